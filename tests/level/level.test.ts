/** `daybook/level` beyond the public suite: folders, limits, ownership of bytes, yielding. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEventLog } from '../../src/kernel.ts';
import { DaybookLevel, type DaybookLevelOptions, DaybookMemoryLevel, EngineLevel } from '../../src/level.ts';
import { writeMarker } from '../../src/storage/marker.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { temporaryFolder } from '../support/folders.ts';

const ENGINES = ['cow', 'lsm', 'embedded_kv'] as const;

function database(location: string, options: DaybookLevelOptions<string, string> = {}): DaybookLevel {
  const db = new DaybookLevel(location, options);
  onTestFinished(() => db.close());
  return db;
}

describe.each(ENGINES)('%s', (engine) => {
  it('entries are there after a reopen that names no engine', async () => {
    const folder = temporaryFolder('level');
    const before = database(folder, { engine, sync: true });
    await before.batch([
      { type: 'put', key: 'a', value: '1' },
      { type: 'put', key: 'b', value: '2' },
      { type: 'del', key: 'a' },
    ]);
    await before.close();
    expect(await database(folder).iterator().all()).toEqual([['b', '2']]);
  });
});

describe('a folder', () => {
  it('is open in one process at a time, which the error names', async () => {
    const folder = temporaryFolder('level');
    await database(folder).open();
    await expect(database(folder).open()).rejects.toMatchObject({
      code: 'LEVEL_DATABASE_NOT_OPEN',
      cause: { code: 'STORAGE_LOCKED', message: expect.stringContaining(String(process.pid)) },
    });
  });

  it('keeps its engine', async () => {
    const folder = temporaryFolder('level');
    const db = database(folder, { engine: 'lsm' });
    await db.open();
    await db.close();
    await expect(database(folder, { engine: 'cow' }).open()).rejects.toMatchObject({
      cause: { code: 'STORAGE_BACKEND_MISMATCH', message: `${folder} was written by lsm, not cow.` },
    });
  });

  it('refuses an engine that does not exist', async () => {
    const options = { engine: 'sqlite' };
    // @ts-expect-error: programs in JavaScript are not checked by types
    const db = new DaybookLevel(temporaryFolder('level'), options);
    await expect(db.open()).rejects.toMatchObject({ cause: { code: 'STORAGE_CONFIG' } });
  });

  it('of an event log is no database, and the other way round', async () => {
    const [log, entries] = [temporaryFolder('level'), temporaryFolder('level')];
    await (await openEventLog({ folder: log })).close();
    const db = database(entries);
    await db.open();
    await db.close();
    await expect(database(log).open()).rejects.toMatchObject({
      cause: {
        code: 'STORAGE_FOREIGN',
        message: `${log} holds an event log: open it with the kernel, or name another one.`,
      },
    });
    await expect(openEventLog({ folder: entries })).rejects.toMatchObject({ code: 'STORAGE_FOREIGN' });
    expect(existsSync(join(entries, 'daybook.lock'))).toBe(false);
  });

  it('whose first open was cut short holds no database', async () => {
    const folder = temporaryFolder('level');
    writeMarker(folder, { format: 1, backend: 'cow', store: 'store-1', state: 'new', content: 'entries' });
    const missing = database(folder).open({ createIfMissing: false });
    await expect(missing).rejects.toMatchObject({ cause: { message: expect.stringContaining('does not exist') } });
    await database(folder).open({ errorIfExists: true });
  });

  it('is not created when createIfMissing is false', async () => {
    const folder = join(temporaryFolder('level'), 'db');
    await expect(database(folder, { createIfMissing: false }).open()).rejects.toMatchObject({
      cause: { code: 'STORAGE_TARGET', message: `${folder} does not exist.` },
    });
    expect(existsSync(folder)).toBe(false);
  });
});

it('keys and values beyond the limits are refused by name, and nothing of the batch is written', async () => {
  const db = new DaybookMemoryLevel();
  const large = db.batch([
    { type: 'put', key: 'fits', value: '' },
    { type: 'put', key: 'k'.repeat(65_537), value: '' },
  ]);
  await expect(large).rejects.toMatchObject({
    code: 'STORAGE_KEY_INVALID',
    message: expect.stringContaining('65536'),
  });
  await expect(db.put('k', Buffer.alloc(67_108_865), { valueEncoding: 'buffer' })).rejects.toMatchObject({
    code: 'STORAGE_VALUE_INVALID',
  });
  expect(await db.keys().all()).toEqual([]);
});

it('a store that reports an error when it is closed is closed by a second call, and can be opened again', async () => {
  class Failing extends EngineLevel<string, string> {
    protected async openEngine() {
      const engine = openMemoryEngine();
      const close = async (): Promise<void> => {
        await engine.close();
        throw new Error('The last writes are not certain.');
      };
      return { engine, close };
    }
  }
  const db = new Failing({}, {}, false);
  await db.put('a', '1');
  await expect(db.close()).rejects.toMatchObject({ cause: { message: 'The last writes are not certain.' } });
  await expect(db.get('a')).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
  await db.close();
  await db.open();
  await db.put('a', '2');
  expect(await db.get('a')).toBe('2');
});

it.each(['buffer', 'view'])(
  'bytes: %s: what a caller changes afterwards changes nothing that is stored',
  async (encoding) => {
    const db = new DaybookMemoryLevel<Uint8Array, Uint8Array>({ keyEncoding: encoding, valueEncoding: encoding });
    const [key, value] = [Buffer.from('key'), Buffer.from('value')];
    await db.put(key, value);
    key.fill(0);
    value.fill(0);
    (await db.get(Buffer.from('key')))!.fill(0);
    for (const [found] of await db.iterator().all()) found.fill(0);
    const [entry] = await db.iterator().all();
    expect(entry!.map((bytes) => Buffer.from(bytes).toString())).toEqual(['key', 'value']);
    expect(Buffer.isBuffer(entry![0])).toBe(encoding === 'buffer');
  },
);

describe('a long iteration', () => {
  it('yields to the event loop meanwhile', async () => {
    const db = new DaybookMemoryLevel();
    const entries = Array.from({ length: 50_000 }, (_, index) => String(index));
    await db.batch(entries.map((key) => ({ type: 'put', key, value: key })));
    let [read, turns] = [0, 0];
    const immediate = (): void => {
      turns += 1;
      if (read < entries.length) setImmediate(immediate);
    };
    setImmediate(immediate);
    for await (const _ of db.keys()) read += 1;
    expect(read).toBe(entries.length);
    expect(turns).toBeGreaterThan(1);
  });

  it('ends when its signal is aborted between two entries', async () => {
    const db = new DaybookMemoryLevel();
    await db.batch(['a', 'b'].map((key) => ({ type: 'put', key, value: key })));
    const abort = new AbortController();
    const keys = db.keys({ signal: abort.signal });
    expect(await keys.next()).toBe('a');
    abort.abort();
    await expect(keys.next()).rejects.toMatchObject({ name: 'AbortError', code: 'LEVEL_ABORTED' });
  });
});

it('clear deletes more keys than fit in one commit, up to its limit, and reads its snapshot', async () => {
  const db = new DaybookMemoryLevel();
  const keys = Array.from({ length: 2_500 }, (_, index) => String(index).padStart(4, '0'));
  await db.batch(keys.map((key) => ({ type: 'put', key, value: '' })));
  await db.clear({ gte: '0100', limit: 2_300 });
  expect(await db.keys().all()).toEqual([...keys.slice(0, 100), ...keys.slice(2_400)]);
  const snapshot = db.snapshot();
  await db.put('new', '');
  await db.clear({ snapshot });
  await snapshot.close();
  expect(await db.keys().all()).toEqual(['new']);
});
