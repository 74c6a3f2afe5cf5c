/** A log that moves into a database and back: the same tree, proofs and erasures; and refused migrations. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../../src/storage/open.ts';
import { migrateFromPostgres, migrateToPostgres } from '../../../src/storage/postgres/migrate.ts';
import { event, fill, isWhole, to } from '../../../src/testing/event-log-contract/case.ts';
import { memoryFolder } from '../../support/folders.ts';
import { withPostgres } from '../../support/postgres.ts';
import { behindProxy, openLog, schemaOf } from './helpers.ts';

/** A data directory with 600 events, two of them erased. */
async function filled(): Promise<string> {
  const directory = join(memoryFolder('migrate'), 'data');
  const { log, close } = await openStorage({ directory });
  await fill(log, 600);
  await log.erase([17, 300]);
  await close();
  return directory;
}

withPostgres('migration', (cluster) => {
  test.each(['cow', 'lsm', 'embedded_kv'] as const)('into the database and back to %s keeps all', async (backend) => {
    const directory = await filled();
    const before = await openStorage({ directory });
    const [events, proof] = [[...before.log.readAll()], before.log.inclusionProof(17, 500)];
    const { position, treeHash } = before.log.head();
    await before.close();
    const url = await cluster().newLog();
    const seen: number[] = [];
    const moved = await migrateToPostgres({ url, directory, progress: (done, total) => seen.push(done / total) });
    expect(moved).toMatchObject({ position, treeHash });
    expect(seen.at(-1)).toBe(1);
    const { log } = await openLog(url);
    expect([...log.readAll()]).toEqual(events);
    expect(log.inclusionProof(17, 500)).toEqual(proof);
    await isWhole(log);
    await log.append([to('a-1', [event(9_000)])]);
    await log.erase([5]);

    const back = join(memoryFolder('migrate'), 'data');
    const returned = await migrateFromPostgres({ url, directory: back, backend });
    expect(returned).toMatchObject({ position: 603, treeHash: log.head().treeHash });
    const after = await openStorage({ directory: back });
    expect(after.backend).toBe(backend);
    expect([...after.log.readAll()]).toEqual([...log.readAll()]);
    expect(after.log.inclusionProof(17, 500)).toEqual(proof);
    await isWhole(after.log);
    await after.close();
  });

  describe('into a database', () => {
    test('continues after an interruption, also when copied events were erased since', async () => {
      const directory = await filled();
      const url = await cluster().newLog();
      const { proxy, proxied } = await behindProxy(cluster(), url);
      const source = await openStorage({ directory });
      for (let number = 1_000; number < 1_010; number += 1) {
        await source.log.append([to('big-1', [event(number, { text: 'x'.repeat(1_000_000) })])]);
      }
      await source.close();
      await expect(migrateToPostgres({ url: proxied, directory, progress: () => proxy.cut() })).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
      });
      const again = await openStorage({ directory });
      await again.log.erase([2]);
      const { position, treeHash } = again.log.head();
      await again.close();
      const seen: number[] = [];
      const moved = await migrateToPostgres({ url, directory, progress: (done) => seen.push(done) });
      expect(moved).toMatchObject({ position, treeHash });
      expect(seen[0]).toBeGreaterThan(605);
      const { log } = await openLog(url);
      expect(log.at(2)?.erased).toBe(true);
      await isWhole(log);
    });

    test('with other or more events is refused and not changed', async () => {
      const directory = await filled();
      const url = await cluster().newLog();
      const { log } = await openLog(url);
      await fill(log, 3, 5_000);
      await expect(migrateToPostgres({ url, directory })).rejects.toMatchObject({
        code: 'STORAGE_TARGET',
        message: expect.stringContaining('position 1 holds another event'),
      });
      await fill(log, 700, 6_000);
      await expect(migrateToPostgres({ url, directory })).rejects.toThrow('it has 703 events, the log only 601');
      expect(log.head().position).toBe(703);
    });

    test('without the schema says how to make it', async () => {
      const directory = await filled();
      await expect(migrateToPostgres({ url: cluster().url('nothing'), directory })).rejects.toMatchObject({
        code: 'STORAGE_CONFIG',
        message: expect.stringContaining('daybook log init'),
      });
    });
  });

  describe('out of a database', () => {
    test('continues in a directory with a beginning of the log, and refuses one with other events', async () => {
      const directory = await filled();
      const url = await cluster().newLog();
      await migrateToPostgres({ url, directory });
      const { log } = await openLog(url);
      await fill(log, 5, 7_000);
      expect(await migrateFromPostgres({ url, directory })).toMatchObject({ position: 606 });
      const other = await openStorage({ directory });
      await fill(other.log, 1, 8_000);
      await other.close();
      await expect(migrateFromPostgres({ url, directory })).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    });

    test('finds records that the database changed', async () => {
      const url = await cluster().newLog();
      const { log } = await openLog(url);
      await fill(log, 5);
      const schema = schemaOf(url);
      await cluster().query(`ALTER TABLE ${schema}.events DISABLE TRIGGER ALL;
        ALTER TABLE ${schema}.events DROP CONSTRAINT record_fits;
        UPDATE ${schema}.events SET record = overlay(record PLACING 'x' FROM 40) WHERE position = 3`);
      const directory = join(memoryFolder('migrate'), 'data');
      await expect(migrateFromPostgres({ url, directory })).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
      expect(existsSync(directory)).toBe(true);
    });
  });
});
