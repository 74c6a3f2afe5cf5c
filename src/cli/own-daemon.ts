/**
 * A daemon for the time of one command, when none is running.
 *
 * - It is a child on a leash: it ends when this process ends, however that ends.
 * - It takes no port that somebody may count on: a free one, and no storage operations interface.
 * - It has a process group of its own, so that Ctrl-C in the terminal reaches the command and not the daemon under it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readDiscovery } from '../discovery.ts';
import { detectBackend } from '../storage/marker.ts';
import { CommandError } from './failures.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/daybook.js', import.meta.url));

export interface OwnDaemon {
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/** A daemon that is just starting or stopping holds the home and cannot be talked to; it is waited for so long. */
const OTHER_MS_MAX = 10_000;
const OTHER_PAUSE_MS = 100;
/** What the storage says when somebody else has the home. */
const HELD = / is held by process \d+ /;

/** For commands that need what is there: to look for it on a machine that has nothing must not make anything. */
export function requireLog(home: string): void {
  const directory = join(home, 'data');
  if (readDiscovery(home) !== null || detectBackend(directory) !== null) return;
  throw new CommandError(`There is no log in ${directory} yet.`);
}

/** Starts a daemon on the home unless one is running; null when one is. Two that start at once share the first. */
export async function startOwnDaemon(home: string): Promise<OwnDaemon | null> {
  for (const since = Date.now(); ; ) {
    if (readDiscovery(home) !== null) return null;
    try {
      return await start(home);
    } catch (error) {
      const passing = HELD.test((error as Error).message) && Date.now() - since < OTHER_MS_MAX;
      if (!passing) throw error;
    }
    await sleep(OTHER_PAUSE_MS);
  }
}

async function start(home: string): Promise<OwnDaemon> {
  const flags = ['--leash', '--home', home, '--port', '0', '--storage-ops-port', 'off'];
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...flags], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await listening(child);
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin!.end();
      await ended;
    },
  };
}

/** Resolves when the child serves; rejects with what it said when it ended instead. */
async function listening(child: ChildProcess): Promise<void> {
  const stderr = child.stderr!.setEncoding('utf8');
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stderr.on('data', (text: string) => {
    said = (said + text).slice(-10_000);
    if (/^listening \S+$/m.test(said)) resolve();
  });
  child.once('error', reject);
  child.once('exit', () => reject(new CommandError(`A daemon could not be started. It said: ${reasonIn(said)}`)));
  await promise;
}

/** The last line that is not the token. */
function reasonIn(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('token '));
  return lines.at(-1)?.replace(/^daybook: /, '') ?? 'nothing';
}
