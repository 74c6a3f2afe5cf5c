/** `daybook log`: reads and checks the event log. Each subcommand is loaded when it runs. */
import { Command } from 'commander';
import { notes } from '../help.ts';
import { homeOption, subcommand, withoutSubcommand } from '../options.ts';

const HELP = `
read, verify, check-schema, export and rebuild also work without a daemon: they open the data directory themselves.

  daybook log tail                                follow new events
  daybook log read --stream run-3f9c… --json      the events of one run
  daybook log verify                              check every hash, and print the head
  daybook log verify --trusted 120:9ac4…          check that the log still begins with a head printed earlier
  daybook log verify --checkpoint old.note --vkey …  check that it still begins with a signed checkpoint
  daybook log check-schema                        check every event against the schemas of this program
  daybook log export --out daybook.jsonl
  daybook log init --log postgres://owner@db.example/team --role daybook   the schema for DAYBOOK_LOG
  daybook log witness add https://example.org/v1/tlog <key>   let another Daybook cosign the checkpoints of this one
`;

export function command(): Command {
  const log = new Command('log').description(
    'The event log: tail, read, verify, check-schema, export; rebuild the views; key, witnesses, time stamps, anchors.',
  );
  addInit(log);
  addTail(log);
  addRead(log);
  subcommand(
    log,
    'verify',
    'recompute every hash, the tree, positions and versions; exit code 1 when anything is wrong',
  )
    .option('--trusted <position:hash>', 'a head noted earlier that the log must still begin with')
    .option('--views', 'also fold the log anew and compare every row of the views with it')
    .option('--checkpoint <file>', 'a signed checkpoint that the log must still begin with; needs --vkey')
    .option('--vkey <key>', 'the verifier key of the log, as daybook log key printed it')
    .option('--file <path>', 'an exported file instead of the log; - for standard input')
    .option('--log <url>', 'the log in this database, postgres://…, instead of that of the daemon')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./verify.ts')).verify(options));
  subcommand(log, 'check-schema', 'report which events are upcast when read; exit code 1 when an event fits no schema')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./check-schema.ts')).checkSchema(options));
  subcommand(log, 'export', 'write every envelope as JSON Lines')
    .option(
      '--out <path>',
      'a file that does not exist yet, made readable by its owner only (default: standard output)',
    )
    .option('--after <position>', 'start after this position', '0')
    .action(async (options) => (await import('./read.ts')).exportLog(options));
  subcommand(log, 'rebuild', 'delete the views and rebuild them from the log')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./rebuild.ts')).rebuild(options));
  addKey(log);
  addWitness(log);
  addAnchors(log);
  const all = [log, ...log.commands, ...log.commands.flatMap(({ commands }) => commands)];
  for (const command of all) homeOption(command);
  return log.addHelpText('after', notes(HELP));
}

function addInit(log: Command): void {
  subcommand(log, 'init', 'create or migrate the schema of a log on PostgreSQL')
    .requiredOption(
      '--log <url>',
      'postgres://owner@host/database?schema=daybook, with a user that may create the schema',
    )
    .option('--role <name>', 'the role of the daemons, which must exist; it gets only the rights that they need')
    .option('--json', 'the result as JSON')
    .action(async (options) => (await import('./init.ts')).init(options));
}

function addTail(log: Command): void {
  subcommand(log, 'tail', 'print the newest events, then new ones, until Ctrl-C')
    .option('-n, --lines <n>', 'how many of the newest events of the log to print first', '10')
    .option('--stream <name>', 'only this stream, such as run-<session id>')
    .option('--type <type>', 'only this event type')
    .option('--json', 'envelopes as JSON lines')
    .action(async (options) => (await import('./read.ts')).tail(options));
}

function addRead(log: Command): void {
  subcommand(log, 'read', 'print events after a position')
    .option('--after <position>', 'start after this position', '0')
    .option('--limit <n>', 'how many', '100')
    .option('--stream <name>', 'only this stream, such as run-<session id>')
    .option('--type <type>', 'only this event type')
    .option('--json', 'envelopes as JSON lines')
    .action(async (options) => (await import('./read.ts')).read(options));
}

function addKey(log: Command): void {
  const key = subcommand(log, 'key', 'print the verifier key of the log, which checks its checkpoints')
    .option('--json', 'the key as JSON')
    .allowExcessArguments()
    .action(withoutSubcommand(async (options: object) => (await import('./key.ts')).printKey(options)));
  subcommand(key, 'rotate', 'replace the key; the log records the change, signed by both keys')
    .option('--json', 'the new key as JSON')
    .action(async (_, command: Command) => (await import('./key.ts')).rotateKey(command.optsWithGlobals()));
}

function addWitness(log: Command): void {
  const witness = subcommand(log, 'witness', 'witnesses that cosign this log, and logs that this Daybook witnesses');
  subcommand(
    witness,
    'list',
    'list the witnesses of this log, the logs that it witnesses, and roll-backs and forks of them',
  )
    .option('--json', 'the settings as JSON')
    .action(async (options) => (await import('./witness.ts')).listWitnesses(options));
  subcommand(witness, 'add', 'let a witness cosign this log')
    .argument('<url>', 'its address, without /add-checkpoint')
    .argument('<vkey>', 'its verifier key')
    .option('--json', 'the settings as JSON')
    .action(async (url, vkey, options) => (await import('./witness.ts')).addWitness(url, vkey, options));
  subcommand(witness, 'trust', 'cosign the checkpoints of another log')
    .argument('<vkey>', 'the verifier key of that log')
    .option('--json', 'the settings as JSON')
    .action(async (vkey, options) => (await import('./witness.ts')).trustLog(vkey, options));
  subcommand(witness, 'remove', 'stop asking a witness, or stop cosigning a log')
    .argument('<name>', 'a verifier key, its name, or the address of a witness')
    .option('--json', 'the settings as JSON')
    .action(async (name, options) => (await import('./witness.ts')).removeWitness(name, options));
  subcommand(witness, 'key', 'print the verifier key with which this Daybook cosigns other logs')
    .option('--json', 'the key as JSON')
    .action(async (options) => (await import('./witness.ts')).printWitnessKey(options));
}

function addAnchors(log: Command): void {
  subcommand(log, 'timestamp', 'let an RFC 3161 authority stamp the newest checkpoint')
    .option('--authority <url>', 'its address (default: the setting timestamp_authority)')
    .option('--out <prefix>', 'new files <prefix>.note and <prefix>.tsr (default: checkpoint-<events>)')
    .option('--json', 'what was stamped, and the names of the files, as JSON')
    .action(async (options) => (await import('./anchor.ts')).stamp(options));
  subcommand(log, 'anchor', 'commit the newest checkpoint to a git repository')
    .requiredOption('--git <dir>', 'a folder of the repository')
    .option('--json', 'the commit as JSON')
    .action(async (options) => (await import('./anchor.ts')).anchor(options));
}
