/** Safeguards of `embedded_kv` that mutants got through. */
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
