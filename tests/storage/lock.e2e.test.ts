/** The lock of a directory and killed processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCK_FILE, lockDirectory, lockHolder } from '../../src/storage/lock.ts';
import { temporaryFolder } from '../support/folders.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder('lock');
});

const fieldsOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');

describe('a holder that was killed', () => {
  /** As in a script that kills the daemon without waiting for it, or in a container without an init process. */
  it.skipIf(!existsSync('/proc/self/stat'))('holds no lock, although its parent never waited for it', async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const pid = Number(await new Promise<Buffer>((said) => parent.stdout.once('data', said)));
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      const holder = { pid, host: hostname(), started: `${boot}/${fieldsOf(pid)[19]}`, since: Date.now() };
      writeFileSync(join(directory, LOCK_FILE), `${JSON.stringify(holder)}\n`);
      expect(lockHolder(directory)).toEqual(holder);
      expect(() => lockDirectory(directory)).toThrow(`held by process ${pid} since`);
      // The shell would wait for its child; what it becomes does not.
      const became = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim();
      await vi.waitFor(() => expect(became()).toBe('sleep'), { timeout: 10_000, interval: 10 });
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(() => expect(fieldsOf(pid)[0]).toBe('Z'), { timeout: 10_000, interval: 10 });
      expect(lockHolder(directory)).toBeUndefined();
      lockDirectory(directory).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

/** A process that holds the lock of the directory until it is killed. */
async function otherHolder(): Promise<ChildProcess> {
  const lock = JSON.stringify(new URL('../../src/storage/lock.ts', import.meta.url).href);
  const code = `import { lockDirectory } from ${lock}; lockDirectory(process.argv[1]); console.log('held');`;
  const args = ['--input-type=module', '--eval', `${code} setInterval(() => {}, 60_000);`, directory];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((said) => child.stdout.once('data', said));
  return child;
}

it.each([
  ['in a container with the same host name', { pid: 2 ** 22 + 1 }],
  ['in a container with another host name', { pid: 2 ** 22 + 1, host: 'a1b2c3d4e5f6' }],
])('a holder that this process cannot see: %s holds the lock until it ends', async (_, change) => {
  const child = await otherHolder();
  try {
    const file = join(directory, LOCK_FILE);
    const holder = { ...JSON.parse(readFileSync(file, 'utf8')), ...change };
    writeFileSync(file, JSON.stringify(holder));
    expect(lockHolder(directory)).toEqual(holder);
    expect(() => lockDirectory(directory)).toThrow(`held by process ${holder.pid}`);
  } finally {
    child.kill('SIGKILL');
    await new Promise((ended) => child.once('exit', ended));
  }
  expect(lockHolder(directory)).toBeUndefined();
  lockDirectory(directory).release();
});

it('leaves the lock of a directory that was put in the place of its own', async () => {
  const lock = lockDirectory(directory);
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  const child = await otherHolder();
  try {
    lock.release();
    expect(lockHolder(directory)).toMatchObject({ pid: child.pid });
  } finally {
    child.kill('SIGKILL');
    await new Promise((ended) => child.once('exit', ended));
  }
});
