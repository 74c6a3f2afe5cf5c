/** `daybook log`: reads and checks the event log. Each subcommand is loaded when it runs. */
import { Command } from 'commander';

const HELP = `
read, verify, check-schema, export and rebuild also work without a daemon: then they open the data directory themselves.

  daybook log tail                                follow what happens
  daybook log read --stream run-3f9c… --json      the events of one run
  daybook log verify                              check every hash, and note the head for next time
  daybook log verify --trusted 120:9ac4…          is what was noted then still a beginning of the log?
  daybook log check-schema                        does every event fit the schemas of this program?
  daybook log export --out daybook.jsonl
`;

export function logCommand(): Command {
  const log = new Command('log').description(
    'Look at the event log: tail, read, verify, check-schema, export; rebuild the views.',
  );
  addTail(log);
  addRead(log);
  log
    .command('verify')
    .description('recompute every hash, the tree, positions and versions; exit code 1 when anything is wrong')
    .option('--trusted <position:hash>', 'a head noted earlier that the log must still begin with')
    .option('--views', 'also fold the log anew and compare every row of the views with it')
    .option('--file <path>', 'an exported file instead of the log; - for standard input')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./verify.ts')).verify(options));
  log
    .command('check-schema')
    .description('which events are upcast when they are read; exit code 1 when any fits no schema')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./check-schema.ts')).checkSchema(options));
  log
    .command('export')
    .description('every envelope as JSON Lines')
    .option(
      '--out <path>',
      'a file that does not exist yet, made readable by its owner only (default: standard output)',
    )
    .option('--after <position>', 'begin behind this position', '0')
    .action(async (options) => (await import('./export.ts')).exportLog(options));
  log
    .command('rebuild')
    .description('forget the views and fold them again from the log')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./rebuild.ts')).rebuild(options));
  for (const command of log.commands) {
    command.option('--home <dir>', 'home of the daemon (default: $DAYBOOK_HOME or ~/.daybook)');
  }
  return log.addHelpText('after', HELP);
}

function addTail(log: Command): void {
  log
    .command('tail')
    .description('the newest events, then what happens, until Ctrl-C')
    .option('-n, --lines <n>', 'how many of the newest events of the log to begin with', '10')
    .option('--stream <name>', 'only this stream, such as run-<session id>')
    .option('--type <type>', 'only this event type')
    .option('--json', 'envelopes as JSON lines')
    .action(async (options) => (await import('./tail.ts')).tail(options));
}

function addRead(log: Command): void {
  log
    .command('read')
    .description('events after a position')
    .option('--after <position>', 'begin behind this position', '0')
    .option('--limit <n>', 'how many', '100')
    .option('--stream <name>', 'only this stream, such as run-<session id>')
    .option('--type <type>', 'only this event type')
    .option('--json', 'envelopes as JSON lines')
    .action(async (options) => (await import('./read.ts')).read(options));
}
