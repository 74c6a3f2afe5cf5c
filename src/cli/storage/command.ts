/** `daybook storage`: the store under the log. Each subcommand is loaded when it runs. */
import { Command } from 'commander';
import { orList } from '../../lib/or-list.ts';
import { DISK_BACKENDS } from '../../storage/marker.ts';
import { notes } from '../help.ts';
import { homeOption, subcommand } from '../options.ts';
import { withExitCodes } from './reporting.ts';

const ENGINES = orList(DISK_BACKENDS);
const HOME = 'home of the daemon (default: the folder around --data-dir, $DAYBOOK_HOME or ~/.daybook)';
const BACKEND = ['--backend <name>', `engine of a new store: ${ENGINES}`] as const;

const HELP = `
Exit codes: 0 good, 1 a fault in the data or its medium, 2 bad usage.

backup, snapshot, verify, stats, compact and reduce-cache are executed by the daemon if it runs; stop the daemon for the
others.

  daybook storage verify --json                    every page, every hash
  daybook storage backup --to /mnt/backup/today    while the daemon writes
  daybook storage restore --from /mnt/backup/today --data-dir ~/.daybook/data
  daybook storage migrate --to lsm                 the same log on another engine
  daybook storage migrate --to postgres://daybook@db.example/team   the same log in a database
  jq -c … | daybook storage append                 a line each: {"stream": …, "type": …, "data": …, "expected_version"?: …}
`;

export function command(): Command {
  const storage = new Command('storage').description('Work on the store under the log.');
  addService(storage);
  addChecks(storage);
  addBackups(storage);
  addMaintenance(storage);
  addEvents(storage);
  for (const command of storage.commands) {
    command.option('--data-dir <dir>', 'the data directory (default: data in the home)');
    homeOption(command, HOME);
    if (!command.options.some(({ long }) => long === '--config')) {
      command.option('--config <file>', 'storage configuration (default: storage.json in the home)');
    }
    if (command.name() !== 'serve') command.option('--json', 'JSON for programs');
  }
  return homeOption(storage, HOME).addHelpText('after', notes(HELP));
}

function addService(storage: Command): void {
  subcommand(
    storage,
    'serve',
    'hold the store open and serve health, metrics, readiness and the daily backup, without the daemon',
  )
    .option('--port <n>', 'port of the operations interface, or off (default 8080)')
    .option(...BACKEND)
    .action(withExitCodes(async (options) => (await import('./serve.ts')).serve(options)));
  subcommand(storage, 'detect', 'print the engine that wrote the directory').action(
    withExitCodes(async (options) => (await import('./maintenance.ts')).detect(options)),
  );
  subcommand(storage, 'stats', 'print sizes, cache, log and head').action(
    withExitCodes(async (options) => (await import('./maintenance.ts')).stats(options)),
  );
  subcommand(storage, 'inspect', 'show the internals: pages, tables, wal or events')
    .argument('<what>', 'pages, tables, wal or events')
    .option('--limit <n>', 'how many rows', '1000')
    .action(withExitCodes(async (what, options) => (await import('./inspect.ts')).inspect(what, options)));
}

function addChecks(storage: Command): void {
  for (const name of ['verify', 'validate']) {
    subcommand(
      storage,
      name,
      'read every page and every event, recompute every hash; exit code 1 when anything is wrong',
    )
      .option('--views', 'also fold the log anew and compare every row of the views with it')
      .action(withExitCodes(async (options) => (await import('./verify.ts')).verify(options)));
  }
  subcommand(storage, 'validate-config', 'check a configuration file and show the resulting settings')
    .requiredOption('--config <file>', 'the file')
    .action(withExitCodes(async (options) => (await import('./verify.ts')).validateConfig(options)));
}

function addBackups(storage: Command): void {
  subcommand(storage, 'backup', 'make a consistent copy, also while the daemon writes')
    .option('--to <dir>', 'a folder that is absent or empty')
    .option('--verified', 'instead: a backup like the daily one, kept in the home and verified by restoring it')
    .action(withExitCodes(async (options) => (await import('./backup.ts')).backup(options)));
  subcommand(storage, 'snapshot', 'make a consistent copy with a name, in snapshots in the home')
    .option('--name <name>', 'default: the time')
    .action(withExitCodes(async (options) => (await import('./backup.ts')).snapshot(options)));
  subcommand(storage, 'restore', 'fill an absent or empty data directory from a backup and verify it')
    .requiredOption('--from <dir>', 'the backup')
    .action(withExitCodes(async (options) => (await import('./backup.ts')).restore(options)));
  subcommand(storage, 'salvage', 'copy the readable events of a damaged store to a new one, and list the losses')
    .requiredOption('--to <dir>', 'a folder that is absent or empty')
    .action(withExitCodes(async (options) => (await import('./salvage.ts')).salvage(options)));
  subcommand(
    storage,
    'migrate',
    'move the log to another engine, into a database, or back; the old one is kept until the new one is verified',
  )
    .requiredOption('--to <backend>', `${ENGINES}, or postgres://… with the schema of \`daybook log init\``)
    .option('--log <url>', 'with an engine: copy the log from this database (default: $DAYBOOK_LOG)')
    .action(withExitCodes(async (options) => (await import('./migrate.ts')).migrate(options)));
}

function addMaintenance(storage: Command): void {
  subcommand(storage, 'compact', 'free the space of unreachable data').action(
    withExitCodes(async (options) => (await import('./maintenance.ts')).compact(options)),
  );
  subcommand(storage, 'replay-wal', 'replay the write-ahead log into the store, and print its size').action(
    withExitCodes(async (options) => (await import('./maintenance.ts')).replayWal(options)),
  );
  subcommand(storage, 'reduce-cache', 'resize the block cache of a running lsm store')
    .requiredOption('--block-cache-mb <n>', 'megabytes')
    .action(withExitCodes(async (options) => (await import('./maintenance.ts')).reduceCache(options)));
}

function addEvents(storage: Command): void {
  subcommand(storage, 'append', 'append JSON Lines from standard input; prints each position once it is durable')
    .option(...BACKEND)
    .action(withExitCodes(async (options) => (await import('./append.ts')).append(options)));
  subcommand(storage, 'read', 'print events in order')
    .option('--from <position>', 'start at this position', '1')
    .option('--limit <n>', 'how many (default: all)')
    .option('--stream <name>', 'only this stream')
    .action(withExitCodes(async (options) => (await import('./events.ts')).read(options)));
  subcommand(storage, 'export', 'write every event with its leaf hash as JSON Lines')
    .option('--out <file>', 'a file that does not exist yet (default: standard output)')
    .action(withExitCodes(async (options) => (await import('./events.ts')).exportEvents(options)));
  subcommand(storage, 'import', 'append exported events; every line is checked')
    .option('--from <file>', 'the file (default: standard input)')
    .option(...BACKEND)
    .action(withExitCodes(async (options) => (await import('./events.ts')).importEvents(options)));
  subcommand(storage, 'erase', 'remove the payload of events permanently; position, type and hash stay')
    .requiredOption('--position <n...>', 'one position or several')
    .action(withExitCodes(async (options) => (await import('./events.ts')).erase(options)));
}
