/** The engine contract on `embedded_kv`, and what is specific to it. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedKv } from '../../src/storage/embedded-kv/engine.ts';
import { memoryFolder } from '../support/folders.ts';
import { bytes, DURABLE, keysOf, put, textOf } from './engine-contract/helpers.ts';
import { engineContract } from './engine-contract.ts';

engineContract('embedded_kv', async (directory) => {
  mkdirSync(directory, { recursive: true });
  return openEmbeddedKv({ directory });
});

describe('embedded_kv', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = memoryFolder('sqlite');
    file = join(directory, 'data.sqlite');
  });

  it('detects a changed value that SQLite itself does not detect', async () => {
    const engine = await openEmbeddedKv({ directory });
    await engine.commit([put('a', 'an honest value'), put('b', 'another')], DURABLE);
    await engine.close();
    const changed = readFileSync(file);
    changed.write('AN', changed.indexOf('an honest value'));
    writeFileSync(file, changed);
    const again = await openEmbeddedKv({ directory });
    const damaged = expect.objectContaining({ code: 'STORAGE_CORRUPT', file: 'data.sqlite' });
    expect(() => again.get(bytes('a'))).toThrow(damaged);
    expect(() => [...again.range()]).toThrow(damaged);
    expect(textOf(again.get(bytes('b')))).toBe('another');
    expect(await again.verify()).toEqual([
      { file: 'data.sqlite', offset: expect.any(Number), what: expect.stringContaining('checksum') },
    ]);
    await again.close();
  });

  it('refuses a foreign database, and one of a later format, without changing it', async () => {
    const foreign = new Sqlite(file);
    foreign.exec('CREATE TABLE notes (text); INSERT INTO notes VALUES (1)');
    foreign.close();
    const before = readFileSync(file);
    await expect(openEmbeddedKv({ directory })).rejects.toMatchObject({ code: 'STORAGE_FOREIGN', file: 'data.sqlite' });
    expect(Buffer.compare(readFileSync(file), before)).toBe(0);
    rmSync(file);
    await (await openEmbeddedKv({ directory })).close();
    const later = new Sqlite(file);
    later.pragma('user_version = 2');
    later.close();
    await expect(openEmbeddedKv({ directory })).rejects.toMatchObject({ code: 'STORAGE_FOREIGN' });
  });

  it('leaves no deleted byte in its files after compact', async () => {
    const engine = await openEmbeddedKv({ directory });
    const secret = 'the-word-that-must-go';
    await engine.commit([put('a', secret.repeat(300)), put('b', 'stays')], DURABLE);
    await engine.commit([put('a', 'gone')], DURABLE);
    await engine.compact();
    for (const name of ['data.sqlite', 'data.sqlite-wal']) {
      expect(readFileSync(join(directory, name)).includes(secret)).toBe(false);
    }
    await engine.close();
  });

  it('says that deleted bytes stay on the disk when another program keeps it from removing them', async () => {
    const engine = await openEmbeddedKv({ directory });
    await engine.commit([put('a', 'the-word-that-must-go')], DURABLE);
    const other = new Sqlite(file, { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM entries').get();
    await engine.commit([put('a', 'gone')], DURABLE);
    await expect(engine.compact()).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    expect(readFileSync(`${file}-wal`).includes('the-word-that-must-go')).toBe(true);
    other.close();
    await engine.compact();
    expect([engine.failure, readFileSync(`${file}-wal`).length]).toEqual([null, 0]);
    await engine.close();
  });

  it('ends a verification with an error when it is closed meanwhile', async () => {
    const engine = await openEmbeddedKv({ directory });
    await engine.commit(
      Array.from({ length: 5_000 }, (_, index) => put(`k${index}`, 'x')),
      DURABLE,
    );
    const [verified] = await Promise.allSettled([engine.verify(), engine.close()]);
    expect(verified).toMatchObject({ status: 'rejected', reason: { code: 'STORAGE_CLOSED' } });
  });

  it.each(['compact', 'scrub'] as const)('does not %s after a failed write that waited before it', async (work) => {
    const engine = await openEmbeddedKv({ directory });
    await engine.commit([put('before', '1')], DURABLE);
    const other = new Sqlite(file);
    other.exec("CREATE TRIGGER refuse BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'refused'); END");
    other.close();
    const [commit, maintenance] = await Promise.allSettled([engine.commit([put('a', '1')], DURABLE), engine[work]!()]);
    expect(commit).toMatchObject({ status: 'rejected' });
    expect(maintenance).toMatchObject({ status: 'rejected', reason: { code: 'STORAGE_READ_ONLY' } });
    await engine.close();
  });

  it('finds damage to the last commit when another program has kept the log at the close', async () => {
    const engine = await openEmbeddedKv({ directory });
    await engine.commit([put('a', '1')], DURABLE);
    const other = new Sqlite(file, { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM entries').get();
    await engine.commit([put('b', 'x'.repeat(500))], DURABLE);
    await engine.close();
    const image = memoryFolder('image');
    cpSync(directory, image, { recursive: true });
    other.close();
    const wal = join(image, 'data.sqlite-wal');
    const damaged = readFileSync(wal);
    damaged.write('y', damaged.lastIndexOf('x'));
    writeFileSync(wal, damaged);
    rmSync(join(image, 'data.sqlite-shm'), { force: true });
    await expect(openEmbeddedKv({ directory: image })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
  });

  it('rolls back the whole group when a write inside it fails, and refuses all later commits', async () => {
    const engine = await openEmbeddedKv({ directory });
    await engine.commit([put('before', '1')], DURABLE);
    const other = new Sqlite(file);
    other.exec(
      `CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN NEW.key = x'62' BEGIN SELECT RAISE(FAIL, 'no'); END`,
    );
    other.close();
    const results = await Promise.allSettled([
      engine.commit([put('a', '1')], DURABLE),
      engine.commit([put('b', '1')], DURABLE),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(keysOf(engine)).toEqual(['before']);
    expect(engine.get(bytes('a'))).toBeUndefined();
    expect(engine.failure).not.toBeNull();
    await expect(engine.commit([put('c', '1')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    await engine.close();
    const again = await openEmbeddedKv({ directory });
    expect(keysOf(again)).toEqual(['before']);
    await again.close();
  });
});
