/**
 * The program `daybook`: a file or folder per command, loaded when the command runs.
 */
import { Command } from 'commander';
import { execute } from './execute.ts';
import { rejectArguments } from './options.ts';
import { version } from './version.ts';

interface Entry {
  readonly description: string;
  load(): Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    description: 'run the daemon (as npm start does)',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  open: {
    description: 'open the console in a browser, already paired',
    load: async () => (await import('./open.ts')).openCommand(),
  },
  run: {
    description: 'start an agent run and follow it in the terminal',
    load: async () => (await import('./run.ts')).runCommand(),
  },
  acp: {
    description: 'serve the Agent Client Protocol over stdin and stdout, for editors',
    load: async () => (await import('./acp/command.ts')).acpCommand(),
  },
  engagement: {
    description: 'client work by phases: deliverables, evidence, gates, reports',
    load: async () => (await import('./engagement/command.ts')).engagementCommand(),
  },
  goal: {
    description: 'goals over many runs: tree, plan, start, recap',
    load: async () => (await import('./goal/command.ts')).goalCommand(),
  },
  approvals: {
    description: 'approvals that runs wait for: list, watch, answer',
    load: async () => (await import('./approvals.ts')).approvalsCommand(),
  },
  chat: {
    description: 'chat with the model',
    load: async () => (await import('./chat.ts')).chatCommand(),
  },
  room: {
    description: 'texts that several people write together: read, follow, write',
    load: async () => (await import('./room.ts')).roomCommand(),
  },
  top: {
    description: 'watch what the daemon does: runs, throughput, latency, store',
    load: async () => (await import('./top.ts')).topCommand(),
  },
  jobs: {
    description: 'list jobs, show one, cancel one',
    load: async () => (await import('./jobs.ts')).jobsCommand(),
  },
  fork: {
    description: 'start a new run after any step of an earlier one',
    load: async () => (await import('./fork.ts')).forkCommand(),
  },
  replay: {
    description: 'check that a recorded run replays exactly',
    load: async () => (await import('./replay.ts')).replayCommand(),
  },
  index: {
    description: 'the code index: build, inspect, search',
    load: async () => (await import('./code-index.ts')).indexCommand(),
  },
  mcp: {
    description: 'MCP servers of a project: list, probe, run; and Daybook’s own (also: daybook --mcp-server)',
    load: async () => (await import('./mcp/command.ts')).mcpCommand(),
  },
  memory: {
    description: 'memories: counts, export, import, encryption at rest',
    load: async () => (await import('./memory.ts')).memoryCommand(),
  },
  log: {
    description: 'the event log: tail, read, verify, export, rebuild the views',
    load: async () => (await import('./log/command.ts')).logCommand(),
  },
  evidence: {
    description: 'evidence bundles: export one, check one',
    load: async () => (await import('./evidence/command.ts')).evidenceCommand(),
  },
  storage: {
    description: 'the store under the log: backup, restore, verify, compact, migrate, inspect and more',
    load: async () => (await import('./storage/command.ts')).storageCommand(),
  },
  briefing: {
    description: 'the morning briefing: show the newest, generate one now',
    load: async () => (await import('./briefing.ts')).briefingCommand(),
  },
  devex: {
    description: 'how well a git repository delivers: delivery keys, practices, what cannot be measured',
    load: async () => (await import('./devex.ts')).devexCommand(),
  },
  doctor: {
    description: 'what is configured, reachable and missing, and how to fix it',
    load: async () => (await import('./doctor/command.ts')).doctorCommand(),
  },
  completion: {
    description: 'completion of commands, options and ids for bash, zsh and fish',
    load: async () => (await import('./completion/command.ts')).completionCommand(wholeProgram),
  },
};

/** The root command with all commands loaded. */
export async function wholeProgram(): Promise<Command> {
  const program = root();
  for (const [name, { description, load }] of Object.entries(COMMANDS)) {
    program.addCommand((await load()).name(name).summary(description));
  }
  return program;
}

export async function main(argv: readonly string[]): Promise<void> {
  const [first = '', ...rest] = expandAliases(argv);
  const entry = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (entry === undefined)
    await execute(
      async () => overview(),
      [first, ...rest].filter((word) => word !== ''),
    );
  else await execute(async () => (await entry.load()).name(`daybook ${first}`), rest);
}

/** Replaces `--mcp-server` and `help <command>` by the commands that they stand for. */
function expandAliases(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  return first === '--mcp-server' ? ['mcp', 'serve', ...rest] : argv;
}

/** The root command with the names and descriptions of all commands, none of them loaded. */
function overview(): Command {
  const program = root();
  for (const [name, { description }] of Object.entries(COMMANDS)) program.command(name).description(description);
  return program;
}

/** Shows the help and refuses unknown commands. */
function root(): Command {
  const program = new Command('daybook')
    .usage('<command> [options]')
    .description('A local assistant daemon that remembers everything it ever did.')
    .helpCommand('help <command>', 'help for a command')
    .version(version(), '-V, --version', 'print the version')
    .allowExcessArguments()
    .action(() => {
      rejectArguments(program);
      program.outputHelp();
    });
  return program;
}
