/**
 * Starts a daemon for the duration of one command, if none is running.
 *
 * - It runs with `--leash`: it ends when its standard input closes, so it never outlives this process.
 * - It listens on a free port and serves no storage operations interface, so it takes no well-known port.
 * - It has a process group of its own, so that Ctrl-C in the terminal reaches the command and not the daemon.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { homeOf } from '../config/load.ts';
import { readDiscovery } from '../discovery.ts';
import { logDirectory } from '../storage/copy-folder.ts';
import { detectBackend } from '../storage/marker.ts';
import { type Client, createClient, serveCommandOf } from './client.ts';
import { CommandError } from './errors.ts';

/** The program itself, for processes that run it. */
export const OWN_PROGRAM = fileURLToPath(new URL('../../bin/daybook.js', import.meta.url));

export interface TemporaryDaemon {
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/** How long to wait for a daemon that is starting or stopping: it holds the lock but does not listen. */
const LOCK_WAIT_MS_MAX = 10_000;
const LOCK_RETRY_MS = 100;
/** The storage's message when another process has the lock. */
const LOCKED = / is held by process \d+ /;

/** Throws when the home has no log yet. For commands that only read: they must not create one. */
export function requireLog(home: string): void {
  const directory = logDirectory(home);
  if (readDiscovery(home) !== null || detectBackend(directory) !== null) return;
  throw new CommandError(
    `There is no log in ${directory} yet. The first start of the daemon makes it: ${serveCommandOf(home)}`,
  );
}

/** Starts a daemon on the home; null when one is running. Of two commands that start at once, the second gets null. */
export async function startTemporaryDaemon(home: string): Promise<TemporaryDaemon | null> {
  for (const since = Date.now(); ; ) {
    if (readDiscovery(home) !== null) return null;
    try {
      return await start(home);
    } catch (error) {
      const isTransient = LOCKED.test((error as Error).message) && Date.now() - since < LOCK_WAIT_MS_MAX;
      if (!isTransient) throw error;
    }
    await sleep(LOCK_RETRY_MS);
  }
}

/** Calls `work` with the daemon of the home, or with one that is started for it. */
export async function withDaemon<Options extends { readonly home?: string }>(
  options: Options,
  work: (client: Client, options: Options) => Promise<void>,
): Promise<void> {
  const home = homeOf(process.env, options);
  const temporary = await startTemporaryDaemon(home);
  try {
    await work(createClient(home), options);
  } finally {
    await temporary?.stop();
  }
}

/** As `withDaemon`, for commands that need an existing log: they create no home. */
export async function withLog<Options extends { readonly home?: string }>(
  options: Options,
  work: (client: Client, options: Options) => Promise<void>,
): Promise<void> {
  requireLog(homeOf(process.env, options));
  await withDaemon(options, work);
}

async function start(home: string): Promise<TemporaryDaemon> {
  const flags = ['--leash', '--home', home, '--port', '0', '--storage-ops-port', 'off'];
  const child = spawn(process.execPath, [OWN_PROGRAM, 'serve', ...flags], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await untilListening(child);
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin!.end();
      await ended;
    },
  };
}

/** Resolves when the child listens; rejects with the reason that it printed when it ended instead. */
async function untilListening(child: ChildProcess): Promise<void> {
  const stderr = child.stderr!.setEncoding('utf8');
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stderr.on('data', (text: string) => {
    printed = (printed + text).slice(-10_000);
    if (/^listening \S+$/m.test(printed)) resolve();
  });
  child.once('error', reject);
  child.once('exit', () =>
    reject(new CommandError(`A daemon could not be started. It said: ${lastErrorLine(printed)}`)),
  );
  await promise;
}

/** The last line that does not hold the token. */
function lastErrorLine(printed: string): string {
  const lines = printed.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('token '));
  return lines.at(-1)?.replace(/^daybook: /, '') ?? 'nothing';
}
