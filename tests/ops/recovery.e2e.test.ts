/**
 * The recovery that docs/operations.md describes, on each engine: a store is damaged, and the five steps (stop, back up
 * the corrupt data, restore, validate, start) recover it.
 */
import { cpSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { fill } from '../storage/log-helpers.ts';
import { daemonHere } from '../support/daemon.ts';
import { ENGINES } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { storageHereOn } from './support.ts';

let home: string;
let data: string;
beforeEach(() => {
  home = temporaryFolder('recovery');
  data = join(home, 'data');
});

/** The file of the store that holds the events. */
const DATA_FILE: Readonly<Record<DiskBackend, RegExp>> = {
  embedded_kv: /\.sqlite$|\.db$/,
  cow: /^tree\.db$/,
  lsm: /\.(sst|table|tbl)$|^table-/,
};

/** Overwrites a stretch in the middle, as a bad sector would. */
function damage(backend: DiskBackend): string {
  const store = join(data, 'store-1');
  const files = readdirSync(store).filter((name) => DATA_FILE[backend].test(name));
  expect(files).not.toEqual([]);
  for (const file of files) {
    const bytes = readFileSync(join(store, file));
    bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 512);
    writeFileSync(join(store, file), bytes);
  }
  return store;
}

async function filledStore(backend: DiskBackend): Promise<string> {
  const storage = await openStorage({ directory: data, backend });
  await fill(storage.log, 2_000);
  await storage.engine.compact();
  const { treeHash } = storage.log.head();
  await storage.close();
  return treeHash;
}

describe.each(ENGINES)('%s', (backend) => {
  it('stop, back up the corrupt data, restore, validate, start', { timeout: 120_000 }, async () => {
    const storage = storageHereOn(data);
    const treeHash = await filledStore(backend);
    expect((await storage(['backup', '--to', join(home, 'good')])).code).toBe(0);
    damage(backend);

    const found = await storage(['verify', '--json']);
    expect(found.code).toBe(1);
    const report = JSON.parse(found.stdout);
    expect(report).toMatchObject({ ok: false, backend });
    expect(report.errors[0]).toMatchObject({ file: expect.stringMatching(/./), what: expect.stringMatching(/./) });

    // 1. stop: no process has the store open. 2. back up the corrupt data, as files: no program that trusts them is
    //    needed.
    const corrupt = join(home, 'corrupt');
    cpSync(data, corrupt, { recursive: true });
    expect(statSync(join(corrupt, 'daybook.json')).size).toBeGreaterThan(0);
    renameSync(data, join(home, 'data.corrupt'));

    // 3. restore, 4. validate.
    expect((await storage(['restore', '--from', join(home, 'good')])).code).toBe(0);
    const valid = await storage(['validate', '--json']);
    expect(valid.code).toBe(0);
    expect(JSON.parse(valid.stdout)).toMatchObject({ ok: true, head: 2_000, tree_hash: treeHash, backend });

    // 5. start.
    const daemon = await daemonHere({ home });
    const head = await (await daemon.request('/v1/log/head')).json();
    expect(head).toMatchObject({ position: 2_000, tree_hash: treeHash });
    const created = await daemon.request('/api/tasks', { method: 'POST', body: '{"title":"goes on"}' });
    expect(created.status).toBeLessThan(300);
  });
});
