/** The program `daybook`: a file or folder per command, loaded when the command runs. */
import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { execute } from './execute.ts';
import { withoutSubcommand } from './options.ts';

interface Entry {
  readonly description: string;
  load(): Promise<{ command(wholeProgram: () => Promise<Command>): Command }>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: { description: 'run the daemon (as npm start does)', load: () => import('./serve.ts') },
  open: { description: 'open the console in a browser, already paired', load: () => import('./open.ts') },
  run: { description: 'start an agent run and follow it in the terminal', load: () => import('./run.ts') },
  acp: {
    description: 'serve the Agent Client Protocol over stdin and stdout, for editors',
    load: () => import('./acp/command.ts'),
  },
  engagement: {
    description: 'client work by phases: deliverables, evidence, gates, reports',
    load: () => import('./engagement/command.ts'),
  },
  goal: { description: 'goals over many runs: tree, plan, start, recap', load: () => import('./goal/command.ts') },
  approvals: { description: 'approvals that runs wait for: list, watch, answer', load: () => import('./approvals.ts') },
  chat: { description: 'chat with the model', load: () => import('./chat.ts') },
  room: {
    description: 'texts that several people write together: read, follow, write',
    load: () => import('./room/command.ts'),
  },
  top: { description: 'watch what the daemon does: runs, throughput, latency, store', load: () => import('./top.ts') },
  jobs: { description: 'list jobs, show one, cancel one', load: () => import('./jobs.ts') },
  fork: { description: 'start a new run after any step of an earlier one', load: () => import('./fork.ts') },
  replay: { description: 'check that a recorded run replays exactly', load: () => import('./replay.ts') },
  index: { description: 'the code index: build, inspect, search', load: () => import('./code-index.ts') },
  mcp: {
    description: 'MCP servers of a project: list, probe, run; and Daybook’s own (also: daybook --mcp-server)',
    load: () => import('./mcp/command.ts'),
  },
  memory: { description: 'memories: counts, export, import, encryption at rest', load: () => import('./memory.ts') },
  log: {
    description: 'the event log: tail, read, verify, export, rebuild the views',
    load: () => import('./log/command.ts'),
  },
  evidence: { description: 'evidence bundles: export one, check one', load: () => import('./evidence/command.ts') },
  storage: {
    description: 'the store under the log: backup, restore, verify, compact, migrate, inspect and more',
    load: () => import('./storage/command.ts'),
  },
  briefing: {
    description: 'the morning briefing: show the newest, generate one now',
    load: () => import('./briefing.ts'),
  },
  devex: {
    description: 'how well a git repository delivers: delivery keys, practices, what cannot be measured',
    load: () => import('./devex.ts'),
  },
  doctor: {
    description: 'what is configured, reachable and missing, and how to fix it',
    load: () => import('./doctor/command.ts'),
  },
  completion: {
    description: 'completion of commands, options and ids for bash, zsh and fish',
    load: () => import('./completion/command.ts'),
  },
};

/** The root command with all commands loaded. */
export async function wholeProgram(): Promise<Command> {
  const program = root();
  for (const [name, { description, load }] of Object.entries(COMMANDS)) {
    program.addCommand((await load()).command(wholeProgram).name(name).summary(description));
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
  else await execute(async () => (await entry.load()).command(wholeProgram).name(`daybook ${first}`), rest);
}

/** Moves a `--home` before the command behind it, where the command reads it. */
function withHomeAfterCommand(argv: readonly string[]): readonly string[] {
  const [first = ''] = argv;
  const length = first === '--home' ? 2 : Number(first.startsWith('--home='));
  const [command, ...rest] = argv.slice(length);
  return command === undefined ? argv : [command, ...argv.slice(0, length), ...rest];
}

/** Replaces `--mcp-server` and `help <command>` by the commands that they stand for. */
function expandAliases(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = withHomeAfterCommand(argv);
  if (first === 'help') return [...rest, '--help'];
  if (first === '--mcp-server') return ['mcp', 'serve', ...rest];
  return first === undefined ? [] : [first, ...rest];
}

/** The root command with the names and descriptions of all commands, none of them loaded. */
function overview(): Command {
  const program = root();
  for (const [name, { description }] of Object.entries(COMMANDS)) program.command(name).description(description);
  return program;
}

/** Shows the help and refuses unknown commands. */
function root(): Command {
  return new Command('daybook')
    .usage('<command> [options]')
    .description('A local assistant daemon that remembers everything it ever did.')
    .helpCommand('help <command>', 'help for a command')
    .version(VERSION, '-V, --version', 'print the version')
    .allowExcessArguments()
    .action(withoutSubcommand(async (_, program) => program.outputHelp()));
}
