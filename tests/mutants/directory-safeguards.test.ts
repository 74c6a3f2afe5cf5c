/** Safeguards of the data directory that other tests did not cover. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { copyLog, migrateStorage } from '../../src/storage/migrate.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, fill, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder('directory');
});

/** A directory with some events; answers its head. */
async function filled(): Promise<unknown> {
  const { log, close } = await openStorage({ directory, backend: 'cow' });
  await fill(log, 5);
  const head = log.head();
  await close();
  return head;
}

test('a migration that cannot name the new store leaves the old one as it was', async () => {
  const head = await filled();
  // A folder in the way of the marker's draft: the marker cannot be replaced.
  mkdirSync(join(directory, 'daybook.json.new'));
  await expect(migrateStorage({ directory, to: 'lsm' })).rejects.toThrow();
  rmdirSync(join(directory, 'daybook.json.new'));
  const { log, backend, close } = await openStorage({ directory });
  expect(backend).toBe('cow');
  expect(log.head()).toEqual(head);
  expect((await log.verify()).errors).toEqual([]);
  await close();
});

test('a copy that is not the same log in the end is refused, though each of its records is good', async () => {
  const source = openEventLog(openMemoryEngine());
  await source.append([to('first', [event(1)])]);
  await source.append([to('second', [event(2)])]);
  const target = openEventLog(openMemoryEngine());
  await target.append([to('other', [event(9)])]);
  await expect(copyLog(source, target)).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
});
