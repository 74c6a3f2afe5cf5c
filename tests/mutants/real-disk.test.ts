/**
 * Faults that the fault disk cannot detect: the code for the real file system must sync, in the right order. The
 * relevant calls of `node:fs` are recorded by name; SQLite is asked what it does at each commit.
 */
import fs, { mkdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEmbeddedKv } from '../../src/storage/embedded-kv/engine.ts';
import { copyFolderDurably, makeDirectories, writeFileAtomic } from '../../src/storage/files.ts';
import { eventKey } from '../../src/storage/log/keys.ts';
import { nodeDisk } from '../../src/storage/node-disk.ts';
import { openStorage } from '../../src/storage/open.ts';
import { BEHIND_FILE, salvageStorage } from '../../src/storage/salvage.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';

const calls = {
  list: [] as string[],
  paths: new Map<number, string>(),
  /** The code of the error that the next call of this name raises. */
  failing: new Map<string, string>(),
  /** Most bytes a write takes. */
  writeBytesMax: Number.POSITIVE_INFINITY,
};

const real = { ...fs };

function note(name: string, file: number | fs.PathLike): void {
  calls.list.push(`${name} ${basename(String(typeof file === 'number' ? (calls.paths.get(file) ?? '?') : file))}`);
  const code = calls.failing.get(name);
  if (code !== undefined) throw Object.assign(new Error(code), { code });
}

const watched = {
  openSync(path: fs.PathLike, ...rest: [fs.OpenMode, fs.Mode?]): number {
    const file = real.openSync(path, ...rest);
    calls.paths.set(file, String(path));
    return file;
  },
  writeSync(file: number, bytes: Uint8Array | string, offset?: number, length?: number, at?: number): number {
    note('write', file);
    if (typeof bytes === 'string') return real.writeSync(file, bytes);
    return real.writeSync(file, bytes, offset, Math.min(length ?? bytes.length, calls.writeBytesMax), at);
  },
  writeFileSync(file: fs.PathOrFileDescriptor, content: string | Uint8Array, options?: fs.WriteFileOptions): void {
    // Bytes it hands to writeSync.
    if (typeof file === 'number' && typeof content === 'string') note('write', file);
    real.writeFileSync(file, content, options);
  },
  fsyncSync: (file: number): void => note('sync', file),
  fdatasyncSync: (file: number): void => note('sync', file),
  fdatasync(file: number, done: (error: Error | null) => void): void {
    try {
      note('sync', file);
      done(null);
    } catch (error) {
      done(error as Error);
    }
  },
  renameSync(from: fs.PathLike, to: fs.PathLike): void {
    note('rename', to);
    real.renameSync(from, to);
  },
  copyFileSync(from: fs.PathLike, to: fs.PathLike): void {
    note('copy', to);
    real.copyFileSync(from, to);
  },
};

/** Modules that import functions of `node:fs` by name see the replacement too. */
function replaceFs(functions: Partial<typeof fs>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}

beforeAll(() => replaceFs(watched as Partial<typeof fs>));
afterAll(() => {
  const { openSync, writeSync, writeFileSync, fsyncSync, fdatasyncSync, fdatasync, renameSync, copyFileSync } = real;
  replaceFs({ openSync, writeSync, writeFileSync, fsyncSync, fdatasyncSync, fdatasync, renameSync, copyFileSync });
});

let root: string;
beforeEach(() => {
  root = temporaryFolder('real-disk');
  calls.list.length = 0;
});
afterEach(() => {
  calls.failing.clear();
  calls.writeBytesMax = Number.POSITIVE_INFINITY;
  vi.restoreAllMocks();
});

describe('files', () => {
  it('are replaced in the order write, sync, rename, sync of the folder', () => {
    writeFileAtomic(join(root, 'marker'), 'text');
    expect(calls.list).toEqual(['write marker.new', 'sync marker.new', 'rename marker', `sync ${basename(root)}`]);
  });

  it('are in folders that are made with a sync of each parent', () => {
    makeDirectories(join(root, 'home', 'data'));
    expect(calls.list).toEqual([`sync ${basename(root)}`, 'sync home']);
    makeDirectories(join(root, 'home', 'data'));
    expect(calls.list).toHaveLength(2);
  });

  it('may be in a folder whose parent cannot be read', () => {
    calls.failing.set('sync', 'EACCES');
    makeDirectories(join(root, 'home'));
    calls.failing.set('sync', 'EIO');
    expect(() => makeDirectories(join(root, 'other'))).toThrow('EIO');
  });

  it('are copied with a sync of each and of their folder', () => {
    mkdirSync(join(root, 'from'));
    writeFileAtomic(join(root, 'from', 'one'), 'text');
    calls.list.length = 0;
    expect([...copyFolderDurably(join(root, 'from'), join(root, 'to'))]).toEqual([4]);
    expect(calls.list).toEqual(['copy one', 'sync one', 'sync to']);
  });
});

describe('the real disk', () => {
  it('syncs what it is told to, off the event loop and on it, and folders', async () => {
    const file = nodeDisk.openFile(join(root, 'file'), 'create');
    await file.sync();
    file.syncNow();
    file.close();
    nodeDisk.syncDirectory(root);
    expect(calls.list).toEqual(['sync file', 'sync file', `sync ${basename(root)}`]);
  });

  it('passes a failed sync on', async () => {
    const file = nodeDisk.openFile(join(root, 'file'), 'create');
    calls.failing.set('sync', 'EIO');
    await expect(file.sync()).rejects.toMatchObject({ code: 'EIO' });
    expect(() => file.syncNow()).toThrow('EIO');
    file.close();
  });

  it('continues a write that was cut short', () => {
    const file = nodeDisk.openFile(join(root, 'file'), 'create');
    const bytes = Uint8Array.from({ length: 100 }, (_, at) => at);
    calls.writeBytesMax = 33;
    file.write(7, bytes);
    expect(file.read(7, 200)).toEqual(bytes);
    file.close();
  });
});

it('a salvage writes the events behind a lost one whole, and durably', async () => {
  const directory = join(root, 'data');
  const storage = await openStorage({ directory, backend: 'cow' });
  await storage.log.append([to('a-1', [event(1), event(2), event(3, 'x'.repeat(5_000))])]);
  await storage.engine.commit([{ key: eventKey(2), value: undefined }], { durable: true });
  await storage.close();
  calls.writeBytesMax = 1_000;
  calls.list.length = 0;
  const target = join(root, 'saved');
  expect(await salvageStorage({ directory, target })).toMatchObject({ lost: [{ from: 2, to: 2 }], behind: 1 });
  const [line] = readFileSync(join(target, BEHIND_FILE), 'utf8').split('\n');
  expect(JSON.parse(line!)).toMatchObject({ position: 3, data: 'x'.repeat(5_000) });
  const at = calls.list.indexOf(`sync ${BEHIND_FILE}`);
  expect(calls.list.slice(at, at + 2)).toEqual([`sync ${BEHIND_FILE}`, 'sync saved']);
});

describe('embedded_kv', () => {
  const put = (key: string) => [{ key: Buffer.from(key), value: Buffer.from('value') }];

  it('syncs the name of a new database, and replaces the checksums of its pages when it is closed', async () => {
    const engine = await openEmbeddedKv({ directory: root });
    expect(calls.list.splice(0)).toEqual([`sync ${basename(root)}`]);
    await engine.close();
    const pages = 'data.sqlite-pages';
    const replaced = [`write ${pages}.new`, `sync ${pages}.new`, `rename ${pages}`, `sync ${basename(root)}`];
    expect(calls.list).toEqual(replaced);
  });

  it('lets SQLite sync at every commit that has a durable one in it, and at no other', async () => {
    const engine = await openEmbeddedKv({ directory: root });
    const levels = watchCommits();
    await engine.commit(put('a'), { durable: true });
    await engine.commit(put('b'), { durable: false });
    const mixed = [put('c'), put('d'), put('e')];
    await Promise.all(mixed.map((batch, index) => engine.commit(batch, { durable: index === 1 })));
    await engine.close();
    expect(levels).toEqual([FULL, NORMAL, FULL]);
  });

  it('syncs a backup and its name', async () => {
    const engine = await openEmbeddedKv({ directory: root });
    calls.list.length = 0;
    await engine.backup(join(root, 'backup'));
    expect(calls.list).toEqual(['sync data.sqlite', 'sync backup']);
    await engine.close();
  });

  it('keeps nothing of a group that failed, and refuses later ones with the reason', async () => {
    const engine = await openEmbeddedKv({ directory: root });
    const exec = Sqlite.prototype.exec;
    vi.spyOn(Sqlite.prototype, 'exec').mockImplementation(function (this: Sqlite.Database, sql: string) {
      if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
      return exec.call(this, sql);
    });
    const failed = [engine.commit(put('a'), { durable: true }), engine.commit(put('b'), { durable: true })];
    for (const commit of failed) await expect(commit).rejects.toMatchObject({ code: 'STORAGE_IO' });
    vi.restoreAllMocks();
    expect([...engine.range()]).toEqual([]);
    expect(engine.failure).toMatchObject({ code: 'STORAGE_IO' });
    await expect(engine.commit(put('c'), { durable: true })).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    await engine.close();
    const again = await openEmbeddedKv({ directory: root });
    expect([...again.range()]).toEqual([]);
    await again.close();
  });

  it('syncs the removal of the checksums of its pages before the first change', async () => {
    await (await openEmbeddedKv({ directory: root })).close();
    const engine = await openEmbeddedKv({ directory: root });
    calls.list.length = 0;
    await engine.commit(put('a'), { durable: true });
    expect(calls.list).toEqual([`sync ${basename(root)}`, 'write data.sqlite-durable']);
    await engine.close();
  });
});

const NORMAL = 1;
const FULL = 2;

/** The synchronous level SQLite has at each COMMIT from here on. */
function watchCommits(): number[] {
  const levels: number[] = [];
  const exec = Sqlite.prototype.exec;
  vi.spyOn(Sqlite.prototype, 'exec').mockImplementation(function (this: Sqlite.Database, sql: string) {
    if (sql === 'COMMIT') levels.push(Number(this.pragma('synchronous', { simple: true })));
    return exec.call(this, sql);
  });
  return levels;
}
