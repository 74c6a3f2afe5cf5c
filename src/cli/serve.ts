/** `daybook serve`: runs the daemon in the foreground until SIGTERM, SIGINT or the end of its terminal. */
import { Command } from 'commander';
import { type Flags, loadConfig } from '../config/load.ts';
import { startDaemon } from '../daemon.ts';
import { readDiscovery, removeDiscovery } from '../discovery.ts';
import { APPROVALS } from '../events/run/events.ts';
import { orList } from '../lib/or-list.ts';
import { logDirectory } from '../storage/copy-folder.ts';
import { StorageError } from '../storage/errors.ts';
import { DISK_BACKENDS } from '../storage/marker.ts';
import { CommandError } from './errors.ts';
import { notes } from './help.ts';
import { onStopRequest } from './interrupt.ts';

/** The process exits after this time even if the stop hangs: a stop must take at most 10 s. */
const STOP_MS_MAX = 9_000;
/** How often a daemon under npm, or under an older Node, checks that its parent still runs. */
const ORPHAN_CHECK_MS = 500;

export function command(): Command {
  return new Command('serve')
    .description('Run the daemon (as npm start does).')
    .option('--home <dir>', 'folder of all data of the daemon (default ~/.daybook)')
    .option('--port <n>', 'port to listen on, 0 for a free one (default 7878)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--allow-remote', 'allow listening on an address that other machines reach')
    .option('--workspace <dir>', 'folder that agent runs work in (default: here)')
    .option('--backend <name>', `storage engine of a new home: ${orList(DISK_BACKENDS)}`)
    .option('--storage-config <file>', 'storage configuration (default: storage.json in the home)')
    .option('--storage-ops-port <port>', 'port of the storage operations interface, or off')
    .option('--provider <id>', 'model provider')
    .option('--model <id>', 'model')
    .option('--approval <policy>', orList(APPROVALS))
    .option('--ephemeral', 'keep log and views in memory only')
    .option('--leash', 'end when standard input ends: for a program that starts a daemon for itself')
    .addHelpText('after', notes(HELP))
    .action(serve);
}

const HELP = `
Settings come from $DAYBOOK_HOME/config.json, then the environment, then these flags. The bearer token and the address
are printed to standard error and written to daemon.json in the home, for programs of this user.

  daybook serve                          http://127.0.0.1:7878, home ~/.daybook, no key needed
  daybook serve --port 0 --home /tmp/d   a free port, another home
`;

async function serve({ leash, ...options }: Record<string, string | boolean>): Promise<void> {
  const flags = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  ) as Flags;
  const config = loadConfig(process.env, flags, process.cwd());
  const announce = (line: string): void => void process.stderr.write(`${line}\n`);
  const stopping = new AbortController();
  let started = false;
  const stopped = stopRequest({ leash: leash === true }).then(() => {
    // An interrupted start counts as stopped. The discovery file must not name a process that has ended.
    const giveUp = (): void => {
      removeDiscovery(config.home);
      process.exit(started ? 1 : 0);
    };
    setTimeout(giveUp, STOP_MS_MAX).unref();
    stopping.abort(new Error('The daemon was told to stop.'));
  });
  try {
    const options = { config, env: process.env, announce, leashed: leash === true, until: stopping.signal };
    const daemon = await startDaemon(options);
    started = true;
    await stopped;
    await daemon.stop();
  } catch (error) {
    if (error !== stopping.signal.reason) throw withNextStep(error, config.home);
  }
  process.exit(0);
}

/** Adds the address of the daemon that has the log of the home open, or where the damaged log is and what to do. */
function withNextStep(error: unknown, home: string): unknown {
  if (!(error instanceof StorageError)) return error;
  const { code, message } = error;
  if (code === 'STORAGE_CORRUPT') {
    const what = `The log in ${logDirectory(home)} is damaged: ${message.replace(/\.?$/, '.')}`;
    return new CommandError(`${what} See Recovery in docs/operations.md.`);
  }
  const running = code === 'STORAGE_LOCKED' ? readDiscovery(home) : null;
  return running === null ? error : new CommandError(`${message} It listens on ${running.url}.`);
}

/**
 * Resolves with the first request to stop. The listeners are added before the daemon starts and stay for the life of
 * the process: under `npm start` a Ctrl-C arrives twice, and the second must not end the process before the stop.
 */
function stopRequest({ leash }: { readonly leash: boolean }): Promise<void> {
  return new Promise((resolve) => {
    onStopRequest(resolve);
    if (isNpmStart(process.env) || isHandedOver(process.env)) onOrphaned(resolve);
    if (!leash) return;
    process.stdin.resume().once('close', () => resolve());
    // Standard input must not keep a daemon that failed to start alive. A file has no `unref` and ends by itself.
    process.stdin.unref?.();
  });
}

function isNpmStart({ npm_lifecycle_event, npm_package_name }: NodeJS.ProcessEnv): boolean {
  return npm_lifecycle_event === 'start' && npm_package_name === 'daybook';
}

/** Whether an older Node started this one (bin/own-node.js). */
function isHandedOver({ DAYBOOK_PARENT }: NodeJS.ProcessEnv): boolean {
  return DAYBOOK_PARENT === String(process.ppid);
}

/**
 * Calls back when the parent has ended: the shell that npm starts ends on a signal without forwarding it. Not when it
 * ended with its terminal, as under nohup: then this process gets SIGHUP, too, before the second check.
 */
function onOrphaned(callback: () => void): void {
  const parent = process.ppid;
  let isOrphan = false;
  const timer = setInterval(() => {
    if (isOrphan) callback();
    isOrphan = process.ppid !== parent;
  }, ORPHAN_CHECK_MS);
  timer.unref();
  process.once('SIGHUP', () => clearInterval(timer));
}
