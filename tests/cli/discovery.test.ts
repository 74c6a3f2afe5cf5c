/** The files of a killed daemon lead to no daemon, even when another process has its process id. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
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

// `log verify` of a damaged copy said that it is whole, and `goal new` in a copy made a goal in the original.
it('a copy of a home leads to no daemon, other paths to the same home do', async () => {
  writeDiscovery(home).write({ token: '00', host: '127.0.0.1', port: 1, startedAt: 1 });
  const beside = temporaryFolder('beside');
  const [copy, link, moved] = ['copy', 'link', 'moved'].map((name) => join(beside, name));
  cpSync(home, copy!, { recursive: true });
  symlinkSync(home, link!);
  expect([copy, link, home].map((path) => readDiscovery(path!)?.port)).toEqual([undefined, 1, 1]);
  const clientOf = (path: string) =>
    createClient({ home: path, retriesMax: 0, fetch: () => Promise.reject(new Error()) });
  await expect(clientOf(copy!).log.head()).rejects.toThrow(`No daemon is running on ${copy}`);
  await expect(clientOf(link!).log.head()).rejects.toThrow('http://127.0.0.1:1');
  // The original is no longer where it was: the home was moved.
  write(JSON.stringify({ ...readDiscovery(home), home: moved }));
  expect(readDiscovery(home)).toMatchObject({ port: 1 });
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

// In a container whose first process collects no children, `jobs` asked the killed daemon: ECONNREFUSED.
it.skipIf(process.platform !== 'linux')('a killed process that its parent has not collected is no daemon', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    write(JSON.stringify({ ...facts, pid }));
    expect(readDiscovery(home)).toMatchObject({ pid });
    // Before `exec` the shell would collect its child.
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'), 10_000);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(readDiscovery(home)).toBeNull(), 10_000);
    process.kill(pid, 0);
  } finally {
    parent.kill();
  }
});

it.each(['', 'garbage', '{}', JSON.stringify({ ...facts, pid: 'one' })])('a file that is %j is no daemon', (text) => {
  write(text);
  expect(readDiscovery(home)).toBeNull();
});

it('leaves the files of a daemon whose home was put in the place of its own', () => {
  const own = writeDiscovery(home);
  own.write({ token: '00', host: '127.0.0.1', port: 1, startedAt: 1 });
  writeDiscovery(home).write({ token: '11', host: '127.0.0.1', port: 2, startedAt: 2 });
  own.remove();
  expect(readDiscovery(home)).toMatchObject({ port: 2, token: '11' });
  expect(readFileSync(join(home, 'daemon.token'), 'utf8')).toBe('11');
});
