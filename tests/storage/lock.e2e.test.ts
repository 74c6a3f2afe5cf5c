/** The lock of a directory and killed processes. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
