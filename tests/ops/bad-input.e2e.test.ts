/** Bad input: one clear sentence that names the fault and what to do, exit code 2 or 1, and no lost or partial work. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { backupStorage } from '../../src/storage/backup.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, fill, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { daybookHere, lines, storageHereOn } from './support.ts';

let home: string;
let data: string;
let treeHash: string;

/** A store of ten events with a backup, a foreign folder, an empty one, and files of several kinds of wrong. */
beforeAll(async () => {
  home = temporaryFolder('bad');
  data = join(home, 'data');
  const storage = await openStorage({ directory: data, backend: 'embedded_kv' });
  await fill(storage.log, 10);
  treeHash = storage.log.head().treeHash;
  await backupStorage(storage, join(home, 'copy'));
  await storage.close();
  mkdirSync(join(home, 'foreign'));
  writeFileSync(join(home, 'foreign', 'letters.txt'), 'dear …');
  mkdirSync(join(home, 'empty'));
  writeFileSync(join(home, 'file'), 'a file');
  writeFileSync(join(home, 'unknown.json'), '{"cow_config": {"max_keys": 3}}');
  writeFileSync(join(home, 'range.json'), '{"cow_config": {"wal_buffer_size": 1}}');
  writeFileSync(join(home, 'broken.json'), '{');
  const { stdout } = await storageHereOn(data)(['export']);
  await storageHereOn(join(home, 'other', 'data'))(['append'], { input: lines(2) });
  writeFileSync(join(home, 'other.jsonl'), (await storageHereOn(join(home, 'other', 'data'))(['export'])).stdout);
  writeFileSync(join(home, 'cut.jsonl'), stdout.slice(0, -40));
  writeFileSync(join(home, 'changed.jsonl'), stdout.replace('"number":4', '"number":5'));
  writeFileSync(join(home, 'binary.jsonl'), Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
});

interface Row {
  readonly what: string;
  /** `@x` is the path of x in the home. */
  readonly words: string;
  readonly on?: string;
  readonly input?: string;
  /** Default: 2. */
  readonly code?: number;
  readonly says: readonly string[];
}

const ROWS: readonly Row[] = [
  { what: 'no verb there is', words: 'frobnicate', says: ['frobnicate'] },
  { what: 'no option there is', words: 'verify --frob', says: ['--frob'] },
  { what: 'no store', words: 'verify', on: 'empty', says: ['@empty', '--data-dir'] },
  { what: 'no folder', words: 'stats', on: 'absent', says: ['@absent', '--data-dir'] },
  { what: 'a folder that is not ours', words: 'verify', on: 'foreign', says: ['@foreign', 'letters.txt'] },
  { what: 'appending to one', words: 'append', on: 'foreign', input: lines(1), says: ['@foreign', 'letters.txt'] },
  { what: 'a file for a folder', words: 'append', on: 'file', input: lines(1), says: ['@file'] },
  { what: 'a backup target in use', words: 'backup --to @foreign', says: ['@foreign', 'not empty'] },
  { what: 'a backup into the data', words: 'backup --to @data/copy', says: ['@data/copy', 'outside'] },
  { what: 'a backup to nowhere said', words: 'backup', says: ['--to', '--verified'] },
  { what: 'a restore over a store', words: 'restore --from @copy', says: ['@data', 'empty directory'] },
  { what: 'a restore over a foreign folder', words: 'restore --from @copy', on: 'foreign', says: ['@foreign'] },
  { what: 'salvage into a folder in use', words: 'salvage --to @foreign', says: ['@foreign', 'not empty'] },
  { what: 'salvage into the data', words: 'salvage --to @data/copy', says: ['@data/copy', 'outside'] },
  { what: 'salvage to nowhere said', words: 'salvage', says: ['--to'] },
  { what: 'salvage of nothing', words: 'salvage --to @new', on: 'empty', says: ['@empty', '--data-dir'] },
  { what: 'a restore from nothing', words: 'restore --from @absent', on: 'new', says: ['@absent'] },
  { what: 'a restore from no backup', words: 'restore --from @foreign', on: 'new', says: ['@foreign'] },
  { what: 'migrating to no engine', words: 'migrate --to btree', says: ['btree', 'cow', 'lsm', 'embedded_kv'] },
  { what: 'migrating to itself', words: 'migrate --to embedded_kv', says: ['already', 'embedded_kv'] },
  { what: 'an engine there is not', words: 'append --backend tree', on: 'new', says: ['--backend', 'tree'] },
  { what: 'no configuration', words: 'stats --config @absent.json', says: ['@absent.json'] },
  { what: 'an unknown key', words: 'validate-config --config @unknown.json', says: ['@unknown.json', 'max_keys'] },
  { what: 'a number out of range', words: 'validate-config --config @range.json', says: ['wal_buffer_size', '65536'] },
  { what: 'no JSON', words: 'validate-config --config @broken.json', says: ['@broken.json', 'JSON'] },
  { what: 'a bad file while serving', words: 'serve --config @range.json', says: ['wal_buffer_size'] },
  {
    what: 'no port there is',
    words: 'serve --port 65536',
    on: 'new',
    says: ['--port must be off or a whole number from 0 to 65535'],
  },
  { what: 'an export over a file', words: 'export --out @file', says: ['@file', 'exists'] },
  { what: 'an export into no folder', words: 'export --out @absent/x', says: ['@absent/x'] },
  { what: 'an import of nothing', words: 'import --from @absent', on: 'new', says: ['@absent'] },
  { what: 'an import of a folder', words: 'import --from @empty', on: 'new', says: ['@empty is a folder'] },
  {
    what: 'an import cut short',
    words: 'import --from @cut.jsonl',
    on: 'cut',
    code: 1,
    says: ['@cut.jsonl', 'Line 10'],
  },
  {
    what: 'an import that was changed',
    words: 'import --from @changed.jsonl',
    on: 'changed',
    code: 1,
    says: ['Line 4'],
  },
  { what: 'an import of another kind', words: 'import --from @binary.jsonl', on: 'binary', code: 1, says: ['UTF-8'] },
  {
    what: 'an import of another log',
    words: 'import --from @other.jsonl',
    says: ['Line 1', 'position 1', 'empty directory'],
  },
  { what: 'erasing what is not there', words: 'erase --position 99', says: ['99', '10'] },
  { what: 'erasing no position', words: 'erase --position x', says: ['--position'] },
  { what: 'inspecting what it has not', words: 'inspect levels', says: ['levels', 'pages'] },
  { what: 'a cache that is not there', words: 'reduce-cache --block-cache-mb 128', says: ['lsm', '@data'] },
  { what: 'half a megabyte', words: 'reduce-cache --block-cache-mb 1.5', says: ['--block-cache-mb'] },
  { what: 'no number to read from', words: 'read --from -3', says: ['--from'] },
  { what: 'a line that is no JSON', words: 'append', input: 'hello\n', says: ['Line 1', 'JSON'] },
  { what: 'a line without data', words: 'append', input: '{"stream":"s","type":"T"}\n', says: ['Line 1', 'data'] },
  {
    what: 'a line with more',
    words: 'append',
    input: '{"stream":"s","type":"T","data":1,"x":1}\n',
    says: ['Line 1', 'x'],
  },
  { what: 'a line that is a list', words: 'append', input: '[]\n', says: ['Line 1 must be {"stream"'] },
  {
    what: 'a version below 0',
    words: 'append',
    input: '{"stream":"s","type":"T","data":1,"expected_version":-1}\n',
    says: ['Line 1', 'expected_version must be a whole number from 0, "any" or "none"'],
  },
  {
    what: 'a number that is none',
    words: 'append',
    input: '{"stream":"s","type":"T","data":1e400}\n',
    says: ['Line 1', 'Infinity'],
  },
  {
    what: 'a number that would be rounded',
    words: 'append',
    input: '{"stream":"s","type":"T","data":{"id":9007199254740993}}\n',
    says: ['Line 1', '9007199254740993', 'text'],
  },
  {
    what: 'data nested without end',
    words: 'append',
    input: `{"stream":"s","type":"T","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`,
    says: ['Line 1', 'deeper than 128 levels'],
  },
  {
    what: 'a stream without a name',
    words: 'append',
    input: '{"stream":"","type":"T","data":1}\n',
    says: ['Line 1', 'stream'],
  },
  {
    what: 'a stream name too long',
    words: 'append',
    input: `${JSON.stringify({ stream: 'x'.repeat(256), type: 'T', data: 1 })}\n`,
    says: ['Line 1', '255'],
  },
  {
    what: 'an event too large',
    words: 'append',
    input: `${JSON.stringify({ stream: 's', type: 'T', data: 'x'.repeat(17_000_000) })}\n`,
    says: ['Line 1', '16775168'],
  },
];

describe('bad input', () => {
  const path = (name: string): string => join(home, name);
  it.each(ROWS)('$what', async ({ words, on = 'data', input = '', code = 2, says }) => {
    const given = words.split(' ').map((word) => (word.startsWith('@') ? path(word.slice(1)) : word));
    const ran = await storageHereOn(path(on))(given, { input });
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(/^daybook/)]);
    for (const part of says) expect(ran.stderr).toContain(part.startsWith('@') ? path(part.slice(1)) : part);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });

  it('changed nothing of the store, the folder that is not ours, the file', async () => {
    const { code, stdout } = await storageHereOn(data)(['verify', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, head: 10, tree_hash: treeHash });
    expect(readdirSync(join(home, 'foreign'))).toEqual(['letters.txt']);
    expect(readFileSync(join(home, 'file'), 'utf8')).toBe('a file');
    expect(readdirSync(home)).not.toContain('absent');
    expect(readdirSync(home)).not.toContain('new');
  });
});

it('a directory in use names its holder, and what it was keeps', async () => {
  const storage = await openStorage({ directory: data });
  onTestFinished(() => storage.close());
  for (const words of [
    ['read'],
    ['append'],
    ['migrate', '--to', 'cow'],
    ['erase', '--position', '1'],
    ['inspect', 'wal'],
  ]) {
    const { code, stderr } = await storageHereOn(data)(words, { input: lines(1) });
    expect([words, code]).toEqual([words, 2]);
    expect(stderr).toContain(`process ${process.pid}`);
  }
  await storage.log.append([to('s', [event(99)])]);
});

describe('a directory that may not be written', () => {
  const isRoot = process.getuid?.() === 0;
  it.skipIf(isRoot)('is named', async () => {
    const folder = join(home, 'readonly');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    const { code, stderr } = await storageHereOn(folder)(['append'], { input: lines(1) });
    chmodSync(folder, 0o700);
    expect(code).toBe(2);
    expect(stderr).toContain(folder);
  });

  it('also where even root may not write', async () => {
    const { code, stderr } = await storageHereOn('/sys/daybook')(['append'], { input: lines(1) });
    expect(code).toBe(2);
    expect(stderr).toContain('/sys/daybook');
  });
});

it('help is no failure', async () => {
  const { code, stdout } = await daybookHere(['storage', '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('Exit codes: 0 good, 1 a fault in the data or its medium, 2 bad usage.');
});
