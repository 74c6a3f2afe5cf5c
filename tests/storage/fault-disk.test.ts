/** The fault-injecting disk: which bytes it may lose, which it keeps, and how calls fail. */
import { describe, expect, test } from 'vitest';
import { FaultDisk } from './fault-disk.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (found: Uint8Array | undefined) => (found === undefined ? undefined : new TextDecoder().decode(found));

function disk(): FaultDisk {
  const made = new FaultDisk();
  made.makeDirectory('/d');
  return made;
}

/** The file /d/a, whose name is synced. */
function named(): { readonly at: FaultDisk; readonly file: ReturnType<FaultDisk['openFile']> } {
  const at = disk();
  const file = at.openFile('/d/a', 'create');
  at.syncDirectory('/d');
  return { at, file };
}

/** The contents of /d/a in all crash images; `-` means that the file is absent. */
function found(at: FaultDisk, path = '/d/a'): Set<string> {
  return new Set(at.crashImages().map((image) => text(image.files.get(path)) ?? '-'));
}

describe('unsynced bytes', () => {
  test('a synced file under a synced name survives every crash', () => {
    const at = disk();
    const file = at.openFile('/d/a', 'create');
    file.write(0, bytes('kept'));
    file.syncNow();
    at.syncDirectory('/d');
    expect(found(at)).toEqual(new Set(['kept']));
  });

  test('an unsynced name may be missing though its bytes are synced', () => {
    const at = disk();
    const file = at.openFile('/d/a', 'create');
    file.write(0, bytes('kept'));
    file.syncNow();
    expect(found(at)).toEqual(new Set(['-', 'kept']));
  });

  test('unsynced writes arrive in any of: none, sizes only, each alone, prefixes, all but one', () => {
    const { at, file } = named();
    file.write(0, bytes('A'));
    file.write(1, bytes('B'));
    expect(found(at)).toEqual(new Set(['', '\0\0', 'A', 'AB', '\0B']));
  });

  test('the last write may be torn at every sector, from either side', () => {
    const { at, file } = named();
    file.write(0, new Uint8Array(1024).fill(0));
    file.syncNow();
    file.write(0, new Uint8Array(1024).fill(65));
    const seen = found(at);
    expect(seen).toContain('A'.repeat(512) + '\0'.repeat(512));
    expect(seen).toContain('\0'.repeat(512) + 'A'.repeat(512));
    expect(seen.size).toBe(4);
  });

  test('writes made during a sync are not covered by it', async () => {
    const { at, file } = named();
    file.write(0, bytes('A'));
    const syncing = file.sync();
    file.write(1, bytes('B'));
    await syncing;
    expect(found(at)).toEqual(new Set(['A', 'A\0', 'AB']));
  });

  test('a kill loses nothing by itself, but unsynced writes can still be lost', () => {
    const { at, file } = named();
    file.write(0, bytes('A'));
    const next = at.afterKill();
    expect(text(next.openFile('/d/a', 'open').read(0, 9))).toBe('A');
    expect(found(next)).toEqual(new Set(['', '\0', 'A']));
    next.openFile('/d/a', 'open').syncNow();
    expect(found(next)).toEqual(new Set(['A']));
    expect(found(at)).toEqual(new Set(['', '\0', 'A']));
  });

  test('a rename is undone until its folder is synced', () => {
    const at = disk();
    at.openFile('/d/a', 'create').syncNow();
    const file = at.openFile('/d/b', 'create');
    file.write(0, bytes('new'));
    file.syncNow();
    at.syncDirectory('/d');
    at.rename('/d/b', '/d/a');
    expect(found(at)).toEqual(new Set(['', 'new']));
    at.syncDirectory('/d');
    expect(found(at)).toEqual(new Set(['new']));
    expect(found(at, '/d/b')).toEqual(new Set(['-']));
  });
});

describe('faults', () => {
  test('a power cut during a write may keep or lose it, and every later call throws', () => {
    const { at, file } = named();
    at.failAt(at.operations + 1, 'cut');
    expect(() => file.write(0, bytes('A'))).toThrow('EPOWER');
    expect(() => at.list('/d')).toThrow('EPOWER');
    expect(found(at)).toEqual(new Set(['', '\0', 'A']));
  });

  test('a failed sync loses the bytes permanently, although a second one succeeds', () => {
    const { at, file } = named();
    file.write(0, bytes('A'));
    at.failAt(at.operations + 1, 'EIO');
    expect(() => file.syncNow()).toThrow('EIO');
    file.syncNow();
    expect(found(at)).toEqual(new Set(['']));
    expect(text(file.read(0, 1))).toBe('A');
  });

  test('ENOSPC changes nothing, a short write leaves half', () => {
    const at = disk();
    const file = at.openFile('/d/a', 'create');
    at.failAt(at.operations + 1, 'ENOSPC');
    expect(() => file.write(0, bytes('ABCD'))).toThrow('ENOSPC');
    expect(file.size()).toBe(0);
    at.failAt(at.operations + 1, 'short');
    expect(() => file.write(0, bytes('ABCD'))).toThrow('ENOSPC');
    expect(text(file.read(0, 9))).toBe('AB');
  });

  test('a flipped bit is visible in reads and on the disk', () => {
    const at = disk();
    const file = at.openFile('/d/a', 'create');
    file.write(0, bytes('A'));
    file.syncNow();
    at.syncDirectory('/d');
    at.flip('/d/a', 0, 1);
    expect(text(file.read(0, 1))).toBe('C');
    expect(found(at)).toEqual(new Set(['C']));
  });

  test('an image opens as a disk, and the calls of a path are numbered', () => {
    const at = disk();
    const file = at.openFile('/d/a', 'create');
    file.write(0, bytes('A'));
    const again = new FaultDisk(at.image());
    expect(again.list('/d')).toEqual(['a']);
    expect(text(again.openFile('/d/a', 'read').read(0, 9))).toBe('A');
    expect(again.history.map((operation) => operation.kind)).toEqual(['list', 'openFile', 'read']);
    expect(again.history.map((operation) => operation.index)).toEqual([1, 2, 3]);
  });
});
