/** Opening a data directory: what is created, what is refused, and what survives a crash between two steps. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAIN_FILES } from '../../src/storage/backends.ts';
import type { Disk } from '../../src/storage/disk.ts';
import { LOCK_FILE, LOCK_GUARD_FILE, lockDirectory, lockHolder } from '../../src/storage/lock.ts';
import { DISK_BACKENDS, detectBackend, MARKER_FILE, readMarker, writeMarker } from '../../src/storage/marker.ts';
import { migrateStorage } from '../../src/storage/migrate.ts';
import { nodeDisk, openFilesIn } from '../../src/storage/node-disk.ts';
import { DEFAULT_BACKEND, openStorage } from '../../src/storage/open.ts';
import { memoryFolder } from '../support/folders.ts';
import { event, fill, positionsOf, to } from './log-helpers.ts';

let root: string;
let directory: string;
beforeEach(() => {
  root = memoryFolder('open');
  directory = join(root, 'data');
});

describe('openStorage', () => {
  it('creates a directory with a marker, and finds the same log again', async () => {
    const first = await openStorage({ directory });
    expect(first.backend).toBe(DEFAULT_BACKEND);
    await fill(first.log, 20);
    const head = first.log.head();
    await first.close();
    await first.close();
    expect(existsSync(join(directory, LOCK_FILE))).toBe(false);
    expect(readMarker(directory)).toEqual({ format: 1, backend: DEFAULT_BACKEND, store: 'store-1', state: 'ready' });
    expect(detectBackend(directory)).toBe(DEFAULT_BACKEND);
    const second = await openStorage({ directory });
    expect(second.log.head()).toEqual(head);
    await second.close();
  });

  it('keeps nothing when ephemeral', async () => {
    const storage = await openStorage({ directory, ephemeral: true });
    expect(positionsOf(await storage.log.append([to('a-1', [event(1)])]))).toEqual([1]);
    await storage.close();
    expect(storage.backend).toBe('memory');
    expect(existsSync(directory)).toBe(false);
  });

  it('refuses a directory another engine wrote, with the command that migrates it', async () => {
    await (await openStorage({ directory, backend: 'embedded_kv' })).close();
    await expect(openStorage({ directory, backend: 'cow' })).rejects.toMatchObject({
      code: 'STORAGE_BACKEND_MISMATCH',
      message: expect.stringContaining(`daybook storage migrate --to cow --data-dir ${directory}`),
    });
    expect(existsSync(join(directory, LOCK_FILE))).toBe(false);
  });

  it('refuses a foreign directory and writes nothing into it', async () => {
    mkdirSync(directory);
    writeFileSync(join(directory, 'thesis.tex'), 'x');
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_FOREIGN', file: 'thesis.tex' });
    expect(readdirSync(directory)).toEqual(['thesis.tex']);
    const file = join(root, 'file');
    writeFileSync(file, '');
    await expect(openStorage({ directory: file })).rejects.toMatchObject({ code: 'STORAGE_IO' });
  });

  it.each([
    ['cut short', '{"format":1,"ba', 'STORAGE_CORRUPT'],
    ['empty', '', 'STORAGE_CORRUPT'],
    ['of an unknown engine', '{"format":1,"backend":"rocks","store":"store-1","state":"ready"}', 'STORAGE_CORRUPT'],
    ['that leaves the directory', '{"format":1,"backend":"cow","store":"../other","state":"ready"}', 'STORAGE_CORRUPT'],
    ['of a later format', '{"format":2}', 'STORAGE_FOREIGN'],
    ['without a format', '{"fosmat":1,"backend":"cow","store":"store-1","state":"ready"}', 'STORAGE_CORRUPT'],
  ])('refuses a marker %s', async (_, text, code) => {
    mkdirSync(directory);
    writeFileSync(join(directory, MARKER_FILE), text);
    await expect(openStorage({ directory })).rejects.toMatchObject({ code, file: MARKER_FILE, offset: 0 });
  });

  it('does not take a directory that cannot be read for an empty one', () => {
    symlinkSync(directory, directory);
    expect(() => detectBackend(directory)).toThrow(`${directory} cannot be read (ELOOP`);
  });

  it.each([0, 16, 18])('names the file of the guard when its byte %i is damaged', async (at) => {
    await (await openStorage({ directory })).close();
    const guard = join(directory, LOCK_GUARD_FILE);
    const bytes = readFileSync(guard);
    bytes[at] = bytes[at]! ^ 0xff;
    writeFileSync(guard, bytes);
    await expect(openStorage({ directory })).rejects.toMatchObject({
      code: 'STORAGE_CORRUPT',
      file: LOCK_GUARD_FILE,
      offset: 0,
      message: expect.stringContaining('delete it'),
    });
    rmSync(guard);
    await (await openStorage({ directory })).close();
  });

  it.each(DISK_BACKENDS)('does not take a %s store without its files for a new one', async (backend) => {
    const storage = await openStorage({ directory, backend });
    await fill(storage.log, 3);
    await storage.close();
    const store = join(directory, 'store-1');
    const main = MAIN_FILES[backend];
    expect(readdirSync(store)).toContain(main);
    for (const names of [[main], readdirSync(store)]) {
      for (const name of names) rmSync(join(store, name), { force: true });
      await expect(openStorage({ directory })).rejects.toMatchObject({
        code: 'STORAGE_CORRUPT',
        file: main,
        offset: 0,
      });
      expect(readdirSync(store)).not.toContain(main);
    }
    rmSync(join(directory, MARKER_FILE));
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: MARKER_FILE });
    expect(existsSync(join(directory, MARKER_FILE))).toBe(false);
  });

  it('refuses a directory whose store is missing instead of creating a new one', async () => {
    await (await openStorage({ directory })).close();
    rmSync(join(directory, 'store-1'), { recursive: true });
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: 'store-1' });
  });

  it('creates the store again where the first open was interrupted, also with another engine', async () => {
    mkdirSync(join(directory, 'store-1'), { recursive: true });
    writeFileSync(join(directory, 'store-1', 'half'), 'x');
    writeFileSync(join(directory, `${MARKER_FILE}.new`), '{"for');
    writeMarker(directory, { format: 1, backend: 'cow', store: 'store-1', state: 'new' });
    const storage = await openStorage({ directory, backend: 'embedded_kv' });
    await fill(storage.log, 3);
    await storage.close();
    expect(readMarker(directory)).toMatchObject({ backend: 'embedded_kv', state: 'ready' });
    expect(readdirSync(join(directory, 'store-1'))).not.toContain('half');
  });

  it('removes the leftovers of a migration interrupted before or after its last step', async () => {
    const storage = await openStorage({ directory });
    await fill(storage.log, 3);
    const head = storage.log.head();
    await storage.close();
    mkdirSync(join(directory, 'store-2'));
    mkdirSync(join(directory, 'store-0'));
    const again = await openStorage({ directory });
    expect(again.log.head()).toEqual(head);
    await again.close();
    expect(readdirSync(directory).filter((name) => name.startsWith('store-'))).toEqual(['store-1']);
  });

  it('keeps a data directory that has the name of a store', async () => {
    const inner = join(directory, 'store-7');
    for (const folder of [directory, inner, directory]) await (await openStorage({ directory: folder })).close();
    expect(readMarker(inner)).toMatchObject({ state: 'ready' });
  });

  it('does not migrate over a data directory that has the name of the next store', async () => {
    const inner = join(directory, 'store-2');
    for (const folder of [directory, inner]) await (await openStorage({ directory: folder })).close();
    await expect(migrateStorage({ directory, to: 'lsm' })).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    expect(readMarker(inner)).toMatchObject({ state: 'ready' });
    await (await openStorage({ directory })).close();
  });

  it('keeps every folder when the marker names one that does not exist', async () => {
    const storage = await openStorage({ directory });
    await fill(storage.log, 3);
    const head = storage.log.head();
    await storage.close();
    const marker = readMarker(directory)!;
    // One flipped bit in the digit.
    writeMarker(directory, { ...marker, store: 'store-3' });
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: 'store-3' });
    await expect(migrateStorage({ directory, to: 'lsm' })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    writeMarker(directory, marker);
    const again = await openStorage({ directory });
    expect(again.log.head()).toEqual(head);
    await again.close();
  });

  it('releases the directory when the open fails', async () => {
    await (await openStorage({ directory, backend: 'embedded_kv' })).close();
    const file = join(directory, 'store-1', 'data.sqlite');
    writeFileSync(file, 'not a database at all, just text that is long enough to be read'.repeat(100));
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: 'data.sqlite' });
    expect(lockHolder(directory)).toBeUndefined();
  });

  it.each(['cow', 'lsm'] as const)('closes %s when the new marker cannot be written', async (backend) => {
    const disk: Disk = {
      ...nodeDisk,
      rename(from, to) {
        nodeDisk.rename(from, to);
        mkdirSync(join(directory, `${MARKER_FILE}.new`), { recursive: true });
      },
    };
    await expect(openStorage({ directory, backend, disk })).rejects.toThrow(`${MARKER_FILE}.new`);
    expect(openFilesIn(directory)).toEqual([]);
    rmSync(join(directory, `${MARKER_FILE}.new`), { recursive: true });
    const again = await openStorage({ directory });
    await again.close();
  });
});

describe('lock', () => {
  const holder = (change: object) => {
    const file = join(directory, LOCK_FILE);
    const held = lockDirectory(directory);
    const text = JSON.parse(readFileSync(file, 'utf8')) as object;
    held.release();
    writeFileSync(file, JSON.stringify({ ...text, ...change }));
  };
  beforeEach(() => {
    mkdirSync(directory);
  });

  it('names its holder and ends with release', () => {
    const lock = lockDirectory(directory);
    expect(lockHolder(directory)).toMatchObject({ pid: process.pid, host: hostname() });
    expect(() => lockDirectory(directory)).toThrow(
      expect.objectContaining({ code: 'STORAGE_LOCKED', message: expect.stringContaining(`process ${process.pid}`) }),
    );
    lock.release();
    lock.release();
    expect(lockHolder(directory)).toBeUndefined();
    lockDirectory(directory).release();
  });

  it.each([
    ['of a process that is gone', { pid: 2 ** 22 + 1 }],
    ['of a pid that is used again', { started: 'another-boot/123' }],
  ])('takes over a lock %s', (_, change) => {
    holder(change);
    const lock = lockDirectory(directory);
    expect(lockHolder(directory)).toMatchObject({ pid: process.pid });
    lock.release();
  });

  it('that was copied with the directory of a living process names the file to delete', () => {
    holder({});
    const remedy = `stop it first, or, if this is a copy of what it has open, delete ${join(directory, LOCK_FILE)}.`;
    expect(() => lockDirectory(directory)).toThrow(remedy);
  });

  it.each(['', '{"pid', 'null', '{"pid":-1}'])('takes over a lock file a crash left as %j', (text) => {
    writeFileSync(join(directory, LOCK_FILE), text);
    lockDirectory(directory).release();
  });

  it.each([
    ['of another machine', { started: 'another-boot/123' }],
    ['of an earlier program in another container', { guard: undefined }],
  ])('does not take over a lock %s', (_, change) => {
    holder({ host: 'elsewhere', pid: 2 ** 22 + 1, ...change });
    expect(() => lockDirectory(directory)).toThrow('on host elsewhere');
  });

  // Without the system's lock a container that was killed kept its home for ever: the next one has another host name.
  it.skipIf(!existsSync('/proc/self/stat'))('takes over a lock of a container that has ended', () => {
    holder({ host: 'a1b2c3d4e5f6', pid: 2 ** 22 + 1 });
    expect(lockHolder(directory)).toBeUndefined();
    lockDirectory(directory).release();
  });

  it('keeps the guard until its release, and leaves no journal beside it', () => {
    const lock = lockDirectory(directory);
    expect(readdirSync(directory).sort()).toEqual([LOCK_FILE, LOCK_GUARD_FILE]);
    lock.release();
    expect(readdirSync(directory)).toEqual([LOCK_GUARD_FILE]);
  });

  it('keeps two stores in one process apart', async () => {
    const first = await openStorage({ directory: join(directory, 'a') });
    await expect(openStorage({ directory: join(directory, 'a') })).rejects.toMatchObject({ code: 'STORAGE_LOCKED' });
    const second = await openStorage({ directory: join(directory, 'b') });
    await first.close();
    await second.close();
  });
});

it('migrate refuses a store in use, a folder without a store, and a store that has the engine already', async () => {
  await expect(migrateStorage({ directory, to: 'cow' })).rejects.toMatchObject({ code: 'STORAGE_FOREIGN' });
  const storage = await openStorage({ directory, backend: 'embedded_kv' });
  const same = migrateStorage({ directory, to: 'embedded_kv' });
  await expect(same).rejects.toMatchObject({ code: 'STORAGE_CONFIG' });
  await expect(migrateStorage({ directory, to: 'cow' })).rejects.toMatchObject({ code: 'STORAGE_LOCKED' });
  await storage.close();
});
