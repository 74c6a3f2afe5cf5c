/** Safeguards of `embedded_kv` that other tests did not cover. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { openEmbeddedKv } from '../../src/storage/embedded-kv/engine.ts';
import { temporaryFolder } from '../support/folders.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder('embedded');
});

test("another program's database is refused though it looks like ours, and stays as it is", async () => {
  await (await openEmbeddedKv({ directory })).close();
  const path = join(directory, 'data.sqlite');
  const database = new Sqlite(path);
  database.pragma('application_id = 77');
  database.close();
  await expect(openEmbeddedKv({ directory })).rejects.toMatchObject({ code: 'STORAGE_FOREIGN', file: 'data.sqlite' });
  const after = new Sqlite(path, { readonly: true });
  expect(after.pragma('application_id', { simple: true })).toBe(77);
  after.close();
});

/** The store with one bit of its file changed. */
async function changedAt(at: number): Promise<void> {
  await (await openEmbeddedKv({ directory })).close();
  const path = join(directory, 'data.sqlite');
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

test.each([20, 47, 55, 59, 67, 80])('a header with another constant at %i is refused with its place', async (at) => {
  await changedAt(at);
  await expect(openEmbeddedKv({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: 'data.sqlite' });
});

test('another description of the table is refused, also one that SQLite takes for the same', async () => {
  await (await openEmbeddedKv({ directory })).close();
  const path = join(directory, 'data.sqlite');
  const bytes = readFileSync(path);
  bytes[bytes.indexOf('CREATE TABLE entries')]! ^= 0x20;
  writeFileSync(path, bytes);
  await expect(openEmbeddedKv({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', offset: 0 });
});
