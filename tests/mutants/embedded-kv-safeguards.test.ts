/** Safeguards of `embedded_kv` that mutants got through. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedKv } from '../../src/storage/embedded-kv/engine.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'daybook-embedded-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
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
