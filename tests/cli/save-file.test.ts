/** Files of exports: an existing one is kept, and one that was not written whole is deleted. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { newFile } from '../../src/cli/save-file.ts';
import { temporaryFolder } from '../support/folders.ts';

const newPath = (): string => join(temporaryFolder('saved'), 'log.jsonl');

async function save(path: string, texts: Iterable<string>): Promise<void> {
  await using file = newFile(path);
  for (const text of texts) await file.write(text);
  await file.end();
}

it('a file that is written whole stays', async () => {
  const path = newPath();
  await save(path, ['one\n', 'two\n']);
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
});

it.each([
  ['before the first text', ''],
  ['in the middle', 'one\n'],
  ['in a long text', 'x'.repeat(1_000_000)],
])('a file whose source fails %s is deleted, so that the next attempt can make it', async (_, text) => {
  const path = newPath();
  function* failing(): Generator<string> {
    if (text !== '') yield text;
    throw new Error('The source fails.');
  }
  await expect(save(path, failing())).rejects.toThrow('The source fails.');
  expect(existsSync(path)).toBe(false);
  await save(path, ['whole\n']);
  expect(readFileSync(path, 'utf8')).toBe('whole\n');
});

it('has its name only when it is whole: what a killed process leaves is no export', async () => {
  const path = newPath();
  await using file = newFile(path);
  await file.write('x'.repeat(1_000_000));
  expect(readdirSync(dirname(path))).toEqual([expect.stringMatching(/^log\.jsonl\.[0-9a-f]{8}\.part$/)]);
  await file.end();
  expect(statSync(path)).toMatchObject({ size: 1_000_000, mode: 0o100600 });
  await file[Symbol.asyncDispose]();
  expect(readdirSync(dirname(path))).toEqual(['log.jsonl']);
});

it('a file that gets the name meanwhile is neither overwritten nor deleted', async () => {
  const path = newPath();
  await using file = newFile(path);
  await file.write('one\n');
  writeFileSync(path, 'mine');
  await expect(file.end()).rejects.toThrow('exists already and is not overwritten.');
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

it('an existing file is neither overwritten nor deleted', async () => {
  const path = newPath();
  writeFileSync(path, 'mine');
  await expect(save(path, ['one\n'])).rejects.toThrow('exists already and is not overwritten.');
  expect(readFileSync(path, 'utf8')).toBe('mine');
  expect(readdirSync(dirname(path))).toEqual(['log.jsonl']);
});
