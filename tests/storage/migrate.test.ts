/** Migration between every two engines: the same log afterwards, and one valid store at every moment. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import { eventKey } from '../../src/storage/log/keys.ts';
import { erasedRecord } from '../../src/storage/log/record.ts';
import { DISK_BACKENDS, readMarker } from '../../src/storage/marker.ts';
import { migrateStorage } from '../../src/storage/migrate.ts';
import { openStorage } from '../../src/storage/open.ts';
import { memoryFolder } from '../support/folders.ts';
import { migratedBeforeNextLock } from './lock-helpers.ts';
import { fill } from './log-helpers.ts';

let root: string;
let directory: string;
beforeEach(() => {
  root = memoryFolder('migrate');
  directory = join(root, 'data');
});

const pairs = DISK_BACKENDS.flatMap((from) =>
  DISK_BACKENDS.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe('migrate', () => {
  it.each(pairs)('from %s to %s keeps every event, hash and erasure', async (from, to) => {
    const before = await openStorage({ directory, backend: from });
    await fill(before.log, 600);
    await before.log.erase([17, 300]);
    const events = [...before.log.readAll()];
    const head = before.log.head();
    await before.close();
    const seen: number[] = [];
    expect(await migrateStorage({ directory, to, progress: (done, total) => seen.push(done / total) })).toEqual(head);
    expect(seen.at(-1)).toBe(1);
    expect(readMarker(directory)).toEqual({ format: 1, backend: to, store: 'store-2', state: 'ready' });
    expect(readdirSync(directory).filter((name) => name.startsWith('store-'))).toEqual(['store-2']);
    const after = await openStorage({ directory });
    expect(after.backend).toBe(to);
    expect([...after.log.readAll()]).toEqual(events);
    expect(await after.log.verify()).toEqual({ ok: true, head: 601, treeHash: head.treeHash, errors: [] });
    await fill(after.log, 3, 9_000);
    await after.close();
  });

  it('migrates an empty log', async () => {
    await (await openStorage({ directory, backend: 'embedded_kv' })).close();
    expect((await migrateStorage({ directory, to: 'lsm' })).position).toBe(0);
    const after = await openStorage({ directory });
    expect([after.backend, after.log.head().position]).toEqual(['lsm', 0]);
    await after.close();
  });

  it('keeps the old store when the log is damaged', async () => {
    const before = await openStorage({ directory, backend: 'embedded_kv' });
    await fill(before.log, 100);
    const key = [...before.engine.range({ gte: Buffer.from('e'), lt: Buffer.from('f') })][50]!.key;
    await before.engine.commit([{ key, value: undefined }], { durable: true });
    await before.close();
    await expect(migrateStorage({ directory, to: 'lsm' })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    expect(readMarker(directory)).toMatchObject({ backend: 'embedded_kv', store: 'store-1' });
    expect(readdirSync(directory)).not.toContain('store-2');
  });

  it('refuses damage that only a full verification finds', async () => {
    const before = await openStorage({ directory, backend: 'embedded_kv' });
    await fill(before.log, 20);
    const { leafHash, data, ...metadata } = before.log.at(7)!;
    const tombstone = erasedRecord(Buffer.from(leafHash, 'hex'), canonicalJson(metadata));
    await before.engine.commit([{ key: eventKey(7), value: tombstone }], { durable: true });
    await before.close();
    await expect(migrateStorage({ directory, to: 'lsm' })).rejects.toThrow('no event says so');
    expect(readMarker(directory)).toMatchObject({ backend: 'embedded_kv', store: 'store-1' });
  });

  it('leaves one valid store before and after the marker is replaced', async () => {
    const before = await openStorage({ directory, backend: 'embedded_kv' });
    await fill(before.log, 50);
    const head = before.log.head();
    await before.close();
    cpSync(directory, join(root, 'old'), { recursive: true });
    await migrateStorage({ directory, to: 'lsm' });
    const cutBefore = join(root, 'cut-before');
    cpSync(join(root, 'old'), cutBefore, { recursive: true });
    cpSync(join(directory, 'store-2'), join(cutBefore, 'store-2'), { recursive: true });
    const cutAfter = join(root, 'cut-after');
    cpSync(directory, cutAfter, { recursive: true });
    cpSync(join(root, 'old', 'store-1'), join(cutAfter, 'store-1'), { recursive: true });
    for (const [place, backend] of [[cutBefore, 'embedded_kv'] as const, [cutAfter, 'lsm'] as const]) {
      const storage = await openStorage({ directory: place });
      expect([storage.backend, storage.log.head()]).toEqual([backend, head]);
      await storage.close();
      expect(readdirSync(place).filter((name) => name.startsWith('store-'))).toHaveLength(1);
    }
  });

  it('migrates the store that another migration leaves before the directory is locked', async () => {
    const before = await openStorage({ directory, backend: 'cow' });
    await fill(before.log, 50);
    const head = before.log.head();
    await before.close();
    await migratedBeforeNextLock(directory, 'lsm');
    expect(await migrateStorage({ directory, to: 'embedded_kv' })).toEqual(head);
    expect(readMarker(directory)).toMatchObject({ backend: 'embedded_kv', store: 'store-3' });
    expect(readdirSync(directory).filter((name) => name.startsWith('store-'))).toEqual(['store-3']);
  });
});
