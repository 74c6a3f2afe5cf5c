/**
 * The program `daybook`: one file a command, each loaded only when it is asked for.
 *
 * - Exit codes: 0 done, 1 not done, 2 bad usage; `run` and `fork` add 3 (partial) and 4 (cancelled).
 * - Every failure is one sentence on stderr.
 */
import { Command } from 'commander';
import { version } from './version.ts';

interface Entry {
  readonly description: string;
  load(): Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    description: 'serve the daemon (what npm start runs)',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  run: {
    description: 'start an agent run and follow it in the terminal',
    load: async () => (await import('./run.ts')).runCommand(),
  },
  acp: {
    description: 'serve the Agent Client Protocol over stdin and stdout, for editors',
    load: async () => (await import('./acp/command.ts')).acpCommand(),
  },
  jobs: {
    description: 'list jobs, show one, cancel one',
    load: async () => (await import('./jobs.ts')).jobsCommand(),
  },
  fork: {
    description: 'start a new run from any step of an earlier one',
    load: async () => (await import('./fork.ts')).forkCommand(),
  },
  replay: {
    description: 'check that a recorded run replays exactly',
    load: async () => (await import('./replay.ts')).replayCommand(),
  },
  index: {
    description: 'the code index: build it, look at it, search it',
    load: async () => (await import('./index-command.ts')).indexCommand(),
  },
  mcp: {
    description: 'MCP servers: those of a project, probing one, our own (also: daybook --mcp-server)',
    load: async () => (await import('./mcp/command.ts')).mcpCommand(),
  },
  memory: {
    description: 'what is remembered: counts, export, import, encryption at rest',
    load: async () => (await import('./memory.ts')).memoryCommand(),
  },
  log: {
    description: 'the event log: tail, read, verify, export, rebuild the views',
    load: async () => (await import('./log/command.ts')).logCommand(),
  },
  storage: {
    description: 'the store under the log: backup, restore, verify, compact, migrate, inspect and more',
    load: async () => (await import('./storage/command.ts')).storageCommand(),
  },
  briefing: {
    description: 'the morning briefing: read the newest, make one now',
    load: async () => (await import('./briefing.ts')).briefingCommand(),
  },
  devex: {
    description: 'how well a git repository delivers: delivery keys, practices, what cannot be measured',
    load: async () => (await import('./devex.ts')).devexCommand(),
  },
  doctor: {
    description: 'what is configured, reachable and missing, and how to mend it',
    load: async () => (await import('./doctor/command.ts')).doctorCommand(),
  },
};

/** Loads what a start of the daemon needs, so that Node keeps it compiled. Run by `npm ci`. */
export async function warm(): Promise<void> {
  await import('./serve.ts');
}

export async function main(argv: readonly string[]): Promise<void> {
  outliveReaders();
  const [first = '', ...rest] = wordsOf(argv);
  const entry = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  try {
    const command = entry === undefined ? overview() : (await entry.load()).name(`daybook ${first}`);
    speakPlainly(command);
    const given = entry === undefined ? [first, ...rest].filter((word) => word !== '') : rest;
    // Asked for the help of a command that does not exist, `--help` alone would be answered.
    const words = isUnknownIn(command, given[0]) ? given.slice(0, 1) : given;
    await command.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** What programs that know us by one option only call, and the help of a command, as commands. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  return first === '--mcp-server' ? ['mcp', 'serve', ...rest] : argv;
}

/** Is the word where a command belongs none of its commands? */
function isUnknownIn({ commands }: Command, word = '-'): boolean {
  const known = ['help', ...commands.map((command) => command.name())];
  return commands.length > 0 && !word.startsWith('-') && !known.includes(word);
}

/** What `daybook` and `daybook --help` show, and what refuses a command that does not exist. */
function overview(): Command {
  const program = new Command('daybook')
    .usage('<command> [options]')
    .description('A local assistant daemon that remembers everything it ever did.')
    .helpCommand('help <command>', 'help for a command')
    .version(version(), '-V, --version', 'print the version')
    .allowExcessArguments()
    .action(() => {
      if (program.args[0] !== undefined) program.error(`unknown command '${program.args[0]}'`);
      program.outputHelp();
    });
  for (const [name, { description }] of Object.entries(COMMANDS)) program.command(name).description(description);
  return program;
}

/** Errors of a command line are thrown, and written as one sentence that says where the help is. */
function speakPlainly(command: Command, path = command.name()): void {
  command.exitOverride();
  command.configureOutput({
    outputError: (text, write) => {
      const sentence = text
        .replace(/^error: /, '')
        .trim()
        .replaceAll('\n', ' ');
      write(`${path}: ${sentence.replace(/[.)]?$/, (end) => (end === ')' ? ').' : '.'))} See ${path} --help.\n`);
    },
  });
  for (const child of command.commands) speakPlainly(child, `${path} ${child.name()}`);
}

/** 0 for help, 2 for bad usage, 1 for anything else. */
function exitCodeOf(error: unknown): number {
  const { code, exitCode, name, message } = error as Error & { code?: string; exitCode?: number };
  if (code?.startsWith('commander.') === true) return exitCode === 0 ? 0 : 2;
  process.stderr.write(`daybook: ${message ?? String(error)}\n`);
  return name === 'ConfigError' || name === 'UsageError' || code === 'STORAGE_CONFIG' ? 2 : 1;
}

/**
 * `daybook log export | head` is no failure; a full disk under the output is one. What standard error does not take is
 * lost and ends nothing: least of all a daemon that outlives whoever read it.
 */
function outliveReaders(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    process.stderr.write(`daybook: Standard output cannot be written: ${message}\n`);
    process.exit(1);
  });
}
