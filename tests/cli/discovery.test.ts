/** The files of a killed daemon lead to no daemon, even when another process has its process id. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { readDiscovery, writeDiscovery } from '../../src/discovery.ts';
import { temporaryFolder } from '../support/folders.ts';

afterEach(() => vi.restoreAllMocks());

const home = temporaryFolder('discovery');
const facts = { pid: process.pid, port: 1, token: '00', started_at: 1, url: 'http://127.0.0.1:1' };
const write = (text: string): void => writeFileSync(join(home, 'daemon.json'), text);

it('a process that is alive is a daemon to ask', () => {
  write(JSON.stringify(facts));
  expect(readDiscovery(home)).toEqual(facts);
});

// Every command then ended with `kill EPERM`.
it.each(['EPERM', 'ESRCH'])('a process that answers %s is none of ours', (code) => {
  write(JSON.stringify(facts));
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(`kill ${code}`), { code });
  });
  expect(readDiscovery(home)).toBeNull();
});

// After a power cut the numbers begin again: `log read` and `run` went on asking a process that was no daemon.
it.skipIf(process.platform !== 'linux')('a process that started later is not the one that wrote the files', () => {
  writeDiscovery(home).write({ token: '00', host: '127.0.0.1', port: 1, startedAt: 1 });
  const written = readDiscovery(home);
  expect(written).toMatchObject({ pid: process.pid, port: 1 });
  // Its parent is alive, too, and another process.
  write(readFileSync(join(home, 'daemon.json'), 'utf8').replace(`"pid":${process.pid}`, `"pid":${process.ppid}`));
  expect(readDiscovery(home)).toBeNull();
});

it.each(['', 'garbage', '{}', JSON.stringify({ ...facts, pid: 'one' })])('a file that is %j is no daemon', (text) => {
  write(text);
  expect(readDiscovery(home)).toBeNull();
});
