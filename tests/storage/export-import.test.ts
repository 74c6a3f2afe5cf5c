/** Export, import, migration, backup and restore give the same log, or none. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { zEnvelope } from '../../src/events/envelope.ts';
import { MAIN_FILES } from '../../src/storage/backends.ts';
import { backupStorage, restoreStorage } from '../../src/storage/backup.ts';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import { exportLines } from '../../src/storage/export.ts';
import { importLines } from '../../src/storage/import.ts';
import { openEventLog, type StoredEventLog } from '../../src/storage/log/event-log.ts';
import { DISK_BACKENDS, readMarker, writeMarker } from '../../src/storage/marker.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { leafHash } from '../../src/storage/merkle.ts';
import { copyLog } from '../../src/storage/migrate.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { memoryFolder } from '../support/folders.ts';
import { beforeNextLock } from './lock-helpers.ts';
import { event, fill, to } from './log-helpers.ts';

let root: string;
beforeEach(() => {
  root = memoryFolder('copy');
});

describe('export and import', () => {
  it('writes one verifiable envelope per line', async () => {
    const log = await sample();
    const lines = text(log).trimEnd().split('\n');
    expect(lines).toHaveLength(log.head().position);
    for (const line of lines) {
      const envelope = zEnvelope.parse(JSON.parse(line));
      if (envelope.erased) continue;
      const { leaf_hash, ...rest } = envelope;
      expect(Buffer.from(leafHash(Buffer.from(canonicalJson(rest)))).toString('hex')).toBe(leaf_hash);
    }
  });

  it('restores the same log, however the bytes are split into chunks', async () => {
    const log = await sample();
    const all = Buffer.from(text(log));
    for (const size of [1_000_000, 4_096, 7]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < all.length; at += size) chunks.push(all.subarray(at, at + size));
      const copy = openEventLog(openMemoryEngine());
      expect(await importLines(copy, chunks)).toEqual(log.head());
      expect([...copy.readAll()]).toEqual([...log.readAll()]);
      expect(await copy.verify()).toEqual(await log.verify());
    }
  });

  it('continues after an earlier import', async () => {
    const log = await sample();
    const copy = openEventLog(openMemoryEngine());
    await importLines(copy, exportLines(log, { limit: 100 }));
    expect(await importLines(copy, exportLines(log, { after: 100 }))).toEqual(log.head());
    expect((await copy.verify()).errors).toEqual([]);
  });

  it('skips events that the log already has or has erased since, and refuses another log', async () => {
    const log = await sample();
    const copy = openEventLog(openMemoryEngine());
    await importLines(copy, exportLines(log, { limit: 100 }));
    const before = [...exportLines(log)];
    expect(await importLines(copy, before)).toEqual(log.head());
    expect(await importLines(copy, before)).toEqual(log.head());
    await copy.erase([7]);
    const head = copy.head();
    expect(await importLines(copy, before)).toEqual(head);
    const other = openEventLog(openMemoryEngine());
    await fill(other, 5, 9_000);
    const refused = importLines(copy, exportLines(other));
    await expect(refused).rejects.toMatchObject({
      code: 'STORAGE_TARGET',
      message: 'Line 1 is another event than this log holds at position 1; import into an empty directory.',
    });
    const beyond = importLines(other, exportLines(log, { after: 50 }));
    await expect(beyond).rejects.toThrow('Line 1 holds position 51; the one after 5 must come next.');
    expect(copy.head()).toEqual(head);
  });

  /** 128 levels of data are 129 with the envelope. */
  it('restores data of the maximum nesting, and a key named __proto__', async () => {
    const log = openEventLog(openMemoryEngine());
    const deep = JSON.parse(`${'['.repeat(128)}${']'.repeat(128)}`);
    await log.append([to('s', [event(1, deep), event(2, JSON.parse('{"__proto__":{"a":1}}'))])]);
    const copy = openEventLog(openMemoryEngine());
    expect(await importLines(copy, exportLines(log))).toEqual(log.head());
    expect(text(copy)).toBe(text(log));
    expect(text(copy)).toContain('"data":{"__proto__":{"a":1}}');
  });

  const spoiled: readonly (readonly [string, (lines: string[]) => void])[] = [
    ['an edited line', (lines) => edit(lines, (line) => line.replace('owner', 'other'))],
    ['an edited leaf hash', (lines) => edit(lines, (line) => line.replace(/"leaf_hash":"./, '"leaf_hash":"x'))],
    ['a missing line', (lines) => lines.splice(10, 1)],
    ['a repeated line', (lines) => lines.splice(10, 0, lines[10]!)],
    ['two lines in the wrong order', (lines) => lines.splice(10, 2, lines[11]!, lines[10]!)],
    ['a cut line', (lines) => edit(lines, (line) => line.slice(0, -9))],
    ['no JSON', (lines) => edit(lines, () => 'hello')],
    ['a null', (lines) => edit(lines, () => 'null')],
    ['a rehashed forgery with an odd field', (lines) => edit(lines, (line) => rehash(line, { odd: 1 }))],
    ['a rehashed forgery with a bad id', (lines) => edit(lines, (line) => rehash(line, { id: 'x' }))],
    ['a rehashed forgery of a version', (lines) => edit(lines, (line) => rehash(line, { version: 77 }))],
    // The log took it, and its verification ended with a TypeError.
    ['a rehashed erasure of nothing', (lines) => lines.push(rehash(lines.pop()!, { data: { erased: [null] } }))],
    ['a rehashed erasure without data', (lines) => lines.push(rehash(lines.pop()!, { data: null }))],
  ];
  it.each(spoiled)('refuses %s', async (_, spoil) => {
    const lines = text(await sample())
      .trimEnd()
      .split('\n');
    spoil(lines);
    const copy = openEventLog(openMemoryEngine());
    const done = importLines(copy, [`${lines.join('\n')}\n`]);
    await expect(done).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    expect((await copy.verify()).errors).toEqual([]);
  });

  it('copies nothing of a batch with a record that does not fit', async () => {
    const log = await sample();
    const copy = openEventLog(openMemoryEngine());
    const records = [...log.readRaw({ limit: 5 })].map(({ record }) => record);
    await expect(copy.copy([...records, records[0]!])).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    expect(copy.head().position).toBe(0);
    await copyLog(log, copy);
    expect(copy.head()).toEqual(log.head());
  });
});

describe('backup and restore', () => {
  it('restores a backup that was made during writes', async () => {
    const storage = await openStorage({ directory: join(root, 'live') });
    await fill(storage.log, 500);
    const writing = fill(storage.log, 500, 1_000);
    const { files, bytes } = await backupStorage(storage, join(root, 'backup'));
    await writing;
    expect(files).toBeGreaterThan(1);
    expect(bytes).toBeGreaterThan(0);
    const head = await restoreStorage({ from: join(root, 'backup'), directory: join(root, 'restored') });
    expect(head.position).toBeGreaterThanOrEqual(500);
    expect(storage.log.treeHash(head.position)).toBe(head.treeHash);
    await storage.close();
    const restored = await openStorage({ directory: join(root, 'restored') });
    expect(restored.log.head()).toEqual(head);
    expect(restored.backend).toBe(storage.backend);
    await restored.close();
  });

  it('refuses to overwrite or copy a store in use, and says what to do', async () => {
    const live = join(root, 'live');
    const storage = await openStorage({ directory: live });
    await fill(storage.log, 3);
    await expect(backupStorage(storage, live)).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    const locked = restoreStorage({ from: live, directory: join(root, 'copy') });
    await expect(locked).rejects.toMatchObject({ code: 'STORAGE_LOCKED' });
    await backupStorage(storage, join(root, 'backup'));
    const over = restoreStorage({ from: join(root, 'backup'), directory: live });
    await expect(over).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    rmSync(join(root, 'backup', 'daybook.json'));
    const unfinished = restoreStorage({ from: join(root, 'backup'), directory: join(root, 'copy') });
    await expect(unfinished).rejects.toMatchObject({ code: 'STORAGE_FOREIGN' });
    const nowhere = restoreStorage({ from: join(root, 'none'), directory: join(root, 'copy') });
    await expect(nowhere).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    await storage.close();
    const ephemeral = await openStorage({ directory: '', ephemeral: true });
    await expect(backupStorage(ephemeral, join(root, 'x'))).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    await ephemeral.close();
  });

  it('leaves a store that another process creates before the directory is locked', async () => {
    const live = join(root, 'live');
    const storage = await openStorage({ directory: live });
    await fill(storage.log, 3);
    await backupStorage(storage, join(root, 'backup'));
    await storage.close();
    const directory = join(root, 'restored');
    beforeNextLock(() => {
      cpSync(join(live, 'store-1'), join(directory, 'store-1'), { recursive: true });
      writeMarker(directory, readMarker(live)!);
    });
    const over = restoreStorage({ from: join(root, 'backup'), directory });
    await expect(over).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    expect(readMarker(directory)).toEqual(readMarker(live));
  });

  it.each([
    ['in the data', (live: string) => join(live, 'store-2'), 'outside it'],
    ['in the data, behind a link', (live: string) => join(live, '..', 'link', 'deep', 'copy'), 'outside it'],
    ['a file', (live: string) => join(live, '..', 'file'), 'is no folder'],
  ])('refuses a backup to what is %s', async (_where, targetOf, said) => {
    const live = join(root, 'live');
    const storage = await openStorage({ directory: live });
    symlinkSync(live, join(root, 'link'));
    writeFileSync(join(root, 'file'), '');
    const before = readdirSync(live);
    const made = backupStorage(storage, targetOf(live));
    await expect(made).rejects.toMatchObject({ code: 'STORAGE_TARGET', message: expect.stringContaining(said) });
    expect(readdirSync(live)).toEqual(before);
    await backupStorage(storage, join(root, 'live-2'));
    await storage.close();
  });

  it.each([
    ['the backup itself', (backup: string) => backup],
    ['a folder in the backup', (backup: string) => join(backup, 'store-1', 'deep', 'copy')],
    ['a folder in the backup, behind a link', (backup: string) => join(backup, '..', 'link', 'copy')],
  ])('refuses a restore to %s, which stays as it is', async (_where, targetOf) => {
    const storage = await openStorage({ directory: join(root, 'live') });
    const from = join(root, 'backup');
    await backupStorage(storage, from);
    await storage.close();
    symlinkSync(from, join(root, 'link'));
    const before = readdirSync(from, { recursive: true });
    const restored = restoreStorage({ from, directory: targetOf(from) });
    await expect(restored).rejects.toMatchObject({
      code: 'STORAGE_TARGET',
      message: expect.stringContaining('lies in the backup itself'),
    });
    expect(readdirSync(from, { recursive: true })).toEqual(before);
  });

  it('leaves nothing of a backup that failed', async () => {
    const storage = await openStorage({ directory: join(root, 'live') });
    const full = Object.create(storage.engine, {
      backup: {
        value: async (to: string) => {
          mkdirSync(to);
          writeFileSync(join(to, 'half'), '');
          throw new Error('no space');
        },
      },
    }) as Storage['engine'];
    await expect(backupStorage({ ...storage, engine: full }, join(root, 'new'))).rejects.toThrow('no space');
    mkdirSync(join(root, 'mine'));
    await expect(backupStorage({ ...storage, engine: full }, join(root, 'mine'))).rejects.toThrow('no space');
    expect(readdirSync(root).sort()).toEqual(['live', 'mine']);
    expect(readdirSync(join(root, 'mine'))).toEqual([]);
    await backupStorage(storage, join(root, 'mine'));
    await storage.close();
  });

  it('refuses a damaged backup, and the restore can be run again', async () => {
    const storage = await openStorage({ directory: join(root, 'live') });
    await fill(storage.log, 300);
    await backupStorage(storage, join(root, 'backup'));
    await storage.close();
    cpSync(join(root, 'backup'), join(root, 'bad'), { recursive: true });
    const file = join(root, 'bad', 'store-1', readdirSync(join(root, 'bad', 'store-1'))[0]!);
    const damaged = readFileSync(file);
    const at = damaged.indexOf('ThingHappened', damaged.length >> 1);
    damaged[at] = damaged[at]! ^ 1;
    writeFileSync(file, damaged);
    const directory = join(root, 'restored');
    await expect(restoreStorage({ from: join(root, 'bad'), directory })).rejects.toMatchObject({
      code: 'STORAGE_CORRUPT',
    });
    await expect(openStorage({ directory })).rejects.toThrow('run the same restore again');
    const head = await restoreStorage({ from: join(root, 'backup'), directory });
    expect(head.position).toBe(300);
    expect(readMarker(directory)?.state).toBe('ready');
  });

  it.each(DISK_BACKENDS)('refuses a backup of %s that has lost its main file', async (backend) => {
    const storage = await openStorage({ directory: join(root, 'live'), backend });
    await fill(storage.log, 3);
    const from = join(root, 'backup');
    await backupStorage(storage, from);
    await storage.close();
    rmSync(join(from, 'store-1', MAIN_FILES[backend]));
    await expect(restoreStorage({ from, directory: join(root, 'restored') })).rejects.toMatchObject({
      code: 'STORAGE_CORRUPT',
      message: `${from} has lost ${join('store-1', MAIN_FILES[backend])}; restore another backup.`,
    });
    expect(existsSync(join(root, 'restored'))).toBe(false);
  });
});

async function sample(): Promise<StoredEventLog> {
  const log = openEventLog(openMemoryEngine());
  await fill(log, 280);
  await log.append([to('words-1', [event(5_000, { text: 'é😀\u2028"\\' }), event(5_001, null)])]);
  await log.erase([3, 4, 280]);
  return log;
}

function text(log: StoredEventLog): string {
  return Buffer.concat([...exportLines(log)]).toString();
}

function edit(lines: string[], change: (line: string) => string): void {
  lines[10] = change(lines[10]!);
}

function rehash(line: string, change: object): string {
  const { leaf_hash: _, ...event } = { ...JSON.parse(line), ...change };
  const hash = Buffer.from(leafHash(Buffer.from(canonicalJson(event)))).toString('hex');
  return JSON.stringify({ ...event, leaf_hash: hash });
}
