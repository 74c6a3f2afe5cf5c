/** `daybook memory`: the program against a real daemon. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildDaemon, childDaemon, removeFolder } from '../support/daemon.ts';
import { memoryClient } from './support.ts';

let daemon: ChildDaemon;
beforeAll(async () => {
  daemon = await childDaemon();
});
afterAll(async () => {
  await daemon.kill('SIGTERM');
  removeFolder(daemon.home);
});

async function run(words: readonly string[], stdin = ''): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [resolve('bin/daybook.js'), 'memory', ...words], {
    env: { PATH: process.env.PATH, DAYBOOK_HOME: daemon.home },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(stdin);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out, err };
}

describe('daybook memory', () => {
  it('imports a file larger than one request, names bad entries by their place in it, exports all of it', async () => {
    const entries: unknown[] = Array.from({ length: 1_500 }, (_, at) => ({
      memory: `Entry ${at} ${'ü'.repeat(600)} ${at * 7}`,
    }));
    entries[1_399] = { memory: ' ' };
    entries[1_400] = { memory: 7 };
    const file = join(daemon.home, 'mem0.json');
    writeFileSync(file, JSON.stringify({ memories: entries }));
    const imported = await run(['import', file, '--json']);
    expect(imported.code).toBe(0);
    const said = JSON.parse(imported.out) as { imported: number; not_imported: { index: number }[] };
    expect([said.imported, said.not_imported.map(({ index }) => index)]).toEqual([1_498, [1_399, 1_400]]);
    const exported = JSON.parse((await run(['export'])).out) as unknown[];
    expect(exported).toHaveLength(1_498);
    expect((await run([])).out).toContain('1498 memories');
  });

  it('names what came back as well, so that every entry is accounted for', async () => {
    const content = 'The lighthouse keeper is called Ivo and has a dog';
    const client = memoryClient(daemon);
    await client.add(content);
    await client.post('/memory/context', { query: content });
    const file = join(daemon.home, 'again.json');
    writeFileSync(file, JSON.stringify([{ memory: content }]));
    expect((await run(['import', file])).out).toMatch(
      /^0 of 1 entries imported\.\n {2}entry 0: it repeats what was recalled/,
    );
  });

  it('says what is wrong in a sentence', async () => {
    const missing = await run(['import', '/nowhere.json']);
    expect([missing.code, missing.err.startsWith('daybook: /nowhere.json cannot be read')]).toEqual([1, true]);
    expect((await run(['bogus'])).code).toBe(2);
    expect((await run(['encrypt', '--passphrase-stdin'])).code).toBe(2);
  });

  it('encrypts with a passphrase from standard input', async () => {
    const done = await run(['encrypt', '--passphrase-stdin'], 'a good long passphrase\n');
    expect([done.code, done.out.includes('passphrase')]).toEqual([0, true]);
    expect((await memoryClient(daemon).get('/memory/stats')).body.encryption).toBe(true);
    expect((await run([])).out).toContain('encryption at rest: on');
  });
});
