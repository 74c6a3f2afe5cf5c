/** `daybook memory` against a real daemon. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { runProgram, runProgramHere } from '../support/program.ts';
import { memoryClient } from './support.ts';

const daemon = sharedDaemon();

const run = (words: readonly string[], input = '', { home } = daemon) =>
  runProgramHere(['memory', ...words], { env: { DAYBOOK_HOME: home }, input });

describe('daybook memory', () => {
  it('imports a file larger than one request, names bad entries by their place in it, exports all of it', async () => {
    const entries: unknown[] = Array.from({ length: 300 }, (_, at) => ({
      memory: `Entry ${at} ${'ü'.repeat(3_000)} ${at * 7}`,
    }));
    entries[279] = { memory: ' ' };
    entries[280] = { memory: 7 };
    const file = join(daemon.home, 'mem0.json');
    writeFileSync(file, JSON.stringify({ memories: entries }));
    const imported = await run(['import', file, '--json']);
    expect(imported.code).toBe(0);
    const said = JSON.parse(imported.stdout) as { imported: number; not_imported: { index: number }[] };
    expect([said.imported, said.not_imported.map(({ index }) => index)]).toEqual([298, [279, 280]]);
    const exported = JSON.parse((await run(['export'])).stdout) as unknown[];
    expect(exported).toHaveLength(298);
    expect((await run([])).stdout).toContain('298 memories');
  });

  it('names what came back as well, so that every entry is accounted for', async () => {
    const content = 'The lighthouse keeper is called Ivo and has a dog';
    const client = memoryClient(daemon);
    await client.add(content);
    await client.post('/memory/context', { query: content });
    const file = join(daemon.home, 'again.json');
    writeFileSync(file, JSON.stringify([{ memory: content }]));
    expect((await run(['import', file])).stdout).toMatch(
      /^0 of 1 entry imported\.\n {2}entry 0: it repeats what was recalled/,
    );
  });

  it('passes over an entry that is too large for a request, and imports those after it', async () => {
    const file = join(daemon.home, 'large.json');
    const entries = ['Ivo paints the boat', 'x'.repeat(1_100_000), 'Mira mends the nets'];
    writeFileSync(file, JSON.stringify(entries.map((memory) => ({ memory }))));
    const { code, stdout } = await run(['import', file]);
    expect([code, stdout]).toEqual([0, '2 of 3 entries imported.\n  entry 1: it is too large for one request\n']);
  });

  it('says what is wrong in a sentence', async () => {
    const missing = await run(['import', '/nowhere.json']);
    expect([missing.code, missing.stderr]).toEqual([1, 'daybook: There is no file /nowhere.json.\n']);
    expect((await run(['bogus'])).code).toBe(2);
    expect((await run(['encrypt', '--passphrase-stdin'])).code).toBe(2);
  });

  it('without a keyring names the option that takes a passphrase', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, stderr } = await run(['encrypt']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^daybook: A passphrase is needed, because this machine has no keyring .*: daybook memory encrypt --passphrase-stdin < file\n$/,
    );
  });

  it('encrypts with a passphrase from standard input', async () => {
    const other = await daemonHere();
    const client = memoryClient(other);
    await client.add('The lighthouse keeper is called Ivo and has a dog');
    const encrypt = (words: readonly string[], input: string) =>
      run(['encrypt', ...words, '--passphrase-stdin'], input, other);
    const words = ['memory', 'encrypt', '--passphrase-stdin'];
    const env = { DAYBOOK_HOME: other.home };
    const done = await runProgram(words, { env, input: 'a good long passphrase\n' });
    expect([done.code, done.stdout.includes('passphrase')]).toEqual([0, true]);
    expect((await client.get('/memory/stats')).body.encryption).toBe(true);
    expect((await run([], '', other)).stdout).toContain('encryption at rest: on');
    const refused = await encrypt([], 'quite another one\n');
    expect([refused.code, refused.stderr.includes('the passphrase is not theirs')]).toEqual([1, true]);
    const moved = await encrypt(['--key', 'passphrase'], 'quite another one\n');
    expect([moved.code, moved.stdout.includes('passphrase')]).toEqual([0, true]);
    expect((await encrypt([], 'quite another one\n')).code).toBe(0);
    expect((await run(['encrypt', '--key', 'pocket'], '', other)).code).toBe(2);
  });
});
