/** Salvage: readable events are saved, lost ones are reported, and no damaged event is taken for a good one. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAIN_FILES } from '../../src/storage/backends.ts';
import { DISK_BACKENDS, MARKER_FILE } from '../../src/storage/marker.ts';
import { leafHash } from '../../src/storage/merkle.ts';
import { openStorage } from '../../src/storage/open.ts';
import { BEHIND_FILE, salvageStorage } from '../../src/storage/salvage.ts';
import { memoryFolder } from '../support/folders.ts';
import { migratedBeforeNextLock } from './lock-helpers.ts';
import { event, fill, to } from './log-helpers.ts';

let root: string;
let directory: string;
let target: string;
beforeEach(() => {
  root = memoryFolder('salvage');
  directory = join(root, 'data');
  target = join(root, 'saved');
});

function damage(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf(text);
  expect(at).toBeGreaterThanOrEqual(0);
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(path, bytes);
}

const contents = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]);

describe.each(DISK_BACKENDS)('salvage of %s', (backend) => {
  it('saves intact events, reports lost positions, keeps later events, and leaves the source unchanged', async () => {
    const storage = await openStorage({ directory, backend });
    await fill(storage.log, 40);
    await storage.log.append([to('s', [event(777, 'the one that will be damaged')])]);
    await fill(storage.log, 40, 2_000);
    const { position } = storage.log.head();
    await storage.engine.compact();
    await storage.close();
    const store = join(directory, 'store-1');
    const [main] =
      backend === 'lsm' ? readdirSync(store).filter((name) => name.endsWith('.table')) : [MAIN_FILES[backend]];
    damage(join(store, main!), 'the one that will be damaged');
    const before = contents(store);

    const saved = await salvageStorage({ directory, target });
    const [first] = saved.lost;
    expect(saved).toMatchObject({ backend, cuts: [], errors: [], lost: [{ from: saved.events + 1 }] });
    expect(first!.from).toBeLessThanOrEqual(41);
    expect(first!.to).toBeGreaterThanOrEqual(41);
    expect(saved.events + (first!.to - first!.from + 1) + saved.behind).toBe(position);
    expect(contents(store)).toEqual(before);
    expect(existsSync(`${target}.salvaging`)).toBe(false);

    const lines = readFileSync(join(target, BEHIND_FILE), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(saved.behind);
    for (const line of lines) {
      const { leaf_hash: leaf, ...given } = JSON.parse(line);
      expect(Buffer.from(leafHash(Buffer.from(JSON.stringify(given)))).toString('hex')).toBe(leaf);
    }
    const again = await openStorage({ directory: target });
    expect(again.log.head()).toMatchObject({ position: saved.events, treeHash: saved.treeHash });
    expect((await again.log.verify()).ok).toBe(true);
    await again.close();
  });

  it('cuts the write-ahead log at its damaged record, and reports the size of the cut', async () => {
    const storage = await openStorage({ directory: join(root, 'live'), backend });
    for (const word of ['first', 'second', 'third', 'fourth']) {
      await storage.log.append([to('s', [event(word.length * 100 + word.charCodeAt(0), `the ${word} one`)])]);
    }
    cpSync(join(root, 'live'), directory, { recursive: true, filter: (path) => !/daybook\.lock|-shm$/.test(path) });
    await storage.close();
    const store = join(directory, 'store-1');
    const log = backend === 'embedded_kv' ? 'data.sqlite-wal' : 'wal-000000000001.log';
    const bytes = readFileSync(join(store, log));
    const at = bytes.indexOf('the second one');
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(join(store, log), bytes);
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: log });

    const saved = await salvageStorage({ directory, target });
    expect(saved).toMatchObject({ events: 1, lost: [], behind: 0, errors: [], cuts: [{ file: log }] });
    const [cut] = saved.cuts;
    expect(cut!.offset).toBeLessThan(at);
    expect(cut!.offset + cut!.bytes).toBe(bytes.length);
    expect(readFileSync(join(store, log)).equals(bytes)).toBe(true);
  });

  it.each([
    ['damaged', () => writeFileSync(join(directory, MARKER_FILE), '{')],
    ['lost', () => rmSync(join(directory, MARKER_FILE))],
  ])('of a store whose marker is %s gives the same log', async (_, harm) => {
    const storage = await openStorage({ directory, backend });
    await fill(storage.log, 20);
    const { position: events, treeHash } = storage.log.head();
    await storage.close();
    harm();
    expect(await salvageStorage({ directory, target })).toMatchObject({
      backend,
      events,
      treeHash,
      lost: [],
      errors: [],
    });
    cpSync(join(directory, 'store-1'), join(directory, 'store-2'), { recursive: true });
    const other = join(root, 'other');
    await expect(salvageStorage({ directory, target: other })).rejects.toMatchObject({ file: MARKER_FILE });
  });

  it('of an undamaged store gives the same log', async () => {
    const storage = await openStorage({ directory, backend });
    await fill(storage.log, 300);
    await storage.log.erase([3]);
    const head = storage.log.head();
    await storage.close();
    const saved = await salvageStorage({ directory, target });
    expect(saved).toEqual({
      backend,
      events: head.position,
      treeHash: head.treeHash,
      lost: [],
      behind: 0,
      cuts: [],
      errors: [],
    });
  });
});

describe.each(['cow', 'lsm'] as const)('salvage of %s whose write-ahead log', (backend) => {
  const LOG = 'wal-000000000002.log';

  it.each([
    ['was cut short', (log: string) => truncateSync(log, readFileSync(log).indexOf('the third one')), 2, LOG],
    ['is empty', (log: string) => truncateSync(log, 0), 1, LOG],
    ['has a damaged header', (log: string) => damage(log, 'DAYBKWAL'), 1, LOG],
    ['is gone', (log: string) => rmSync(log), 1, 'wal-000000000001.log'],
  ])('%s saves the events that are left', async (_, harm, events, file) => {
    const storage = await openStorage({ directory: join(root, 'live'), backend });
    for (const word of ['first', 'second', 'third']) {
      await storage.log.append([to('s', [event(word.charCodeAt(0), `the ${word} one`)])]);
      if (word === 'first') await storage.engine.compact();
    }
    cpSync(join(root, 'live'), directory, { recursive: true, filter: (path) => !path.endsWith('daybook.lock') });
    await storage.close();
    harm(join(directory, 'store-1', LOG));
    await expect(openStorage({ directory })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file });
    const saved = await salvageStorage({ directory, target });
    expect(saved).toMatchObject({ events, lost: [], behind: 0, errors: [], cuts: [{ file }] });
    await (await openStorage({ directory: target })).close();
  });
});

describe('salvage', () => {
  it('of an embedded_kv store whose write-ahead log is gone saves what is in the database', async () => {
    const live = join(root, 'live');
    for (const number of [1, 2]) {
      const storage = await openStorage({ directory: live, backend: 'embedded_kv' });
      await storage.log.append([to('s', [event(number)])]);
      if (number === 2)
        cpSync(live, directory, { recursive: true, filter: (path) => !/daybook\.lock|-wal$/.test(path) });
      await storage.close();
    }
    await expect(openStorage({ directory })).rejects.toMatchObject({ file: 'data.sqlite-wal', offset: 0 });
    const cuts = [{ file: 'data.sqlite-wal', offset: 0, bytes: 0 }];
    expect(await salvageStorage({ directory, target })).toMatchObject({ events: 1, lost: [], cuts, errors: [] });
  });

  it('of a database that was cut short says that its end is unknown', async () => {
    const storage = await openStorage({ directory, backend: 'embedded_kv' });
    const texts = Array.from({ length: 300 }, (_, at) => event(at, 'x'.repeat(900)));
    await storage.log.append([to('s', texts)]);
    await storage.close();
    const path = join(directory, 'store-1', MAIN_FILES.embedded_kv);
    const bytes = statSync(path).size;
    const offset = Math.floor(bytes / 2);
    truncateSync(path, offset);
    const { events, errors, cuts } = await salvageStorage({ directory, target });
    expect(events).toBeGreaterThan(50);
    expect(events).toBeLessThan(300);
    expect(cuts).toEqual([{ file: MAIN_FILES.embedded_kv, offset, bytes: bytes - offset }]);
    expect(errors).toEqual([
      expect.objectContaining({ what: expect.stringContaining('the length of the log cannot be read') }),
    ]);
  });

  it('refuses a folder that is not empty and a store in use, and leaves nothing after a failure', async () => {
    const storage = await openStorage({ directory, backend: 'cow' });
    await fill(storage.log, 3);
    await expect(salvageStorage({ directory, target })).rejects.toMatchObject({ code: 'STORAGE_LOCKED' });
    await storage.close();
    writeFileSync(join(directory, 'store-1', 'tree.db'), 'nothing of a tree');
    await expect(salvageStorage({ directory, target })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    expect(readdirSync(root)).toEqual(['data']);
    mkdirSync(target);
    writeFileSync(join(target, 'mine'), '');
    await expect(salvageStorage({ directory, target })).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    expect(readdirSync(target)).toEqual(['mine']);
  });

  it('refuses a target inside the data directory', async () => {
    await (await openStorage({ directory })).close();
    const inside = salvageStorage({ directory, target: join(directory, 'store-2') });
    await expect(inside).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
    expect(readdirSync(directory)).not.toContain('store-2');
  });

  it.each(
    DISK_BACKENDS.flatMap((backend) => [
      { backend, lost: 'store-1' },
      { backend, lost: join('store-1', MAIN_FILES[backend]) },
    ]),
  )('of a directory of $backend without $lost says so, and leaves an empty target', async ({ backend, lost }) => {
    const storage = await openStorage({ directory, backend });
    await fill(storage.log, 3);
    await storage.close();
    rmSync(join(directory, lost), { recursive: true });
    mkdirSync(target);
    await expect(salvageStorage({ directory, target })).rejects.toMatchObject({
      code: 'STORAGE_CORRUPT',
      message: `${directory} has lost ${lost}; there is nothing to salvage.`,
    });
    expect(readdirSync(target)).toEqual([]);
  });

  it('that fails leaves an empty target empty', async () => {
    await (await openStorage({ directory, backend: 'cow' })).close();
    writeFileSync(join(directory, 'store-1', 'tree.db'), 'nothing of a tree');
    mkdirSync(target);
    await expect(salvageStorage({ directory, target })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    expect(readdirSync(target)).toEqual([]);
  });

  it('reads the store that a migration leaves before the directory is locked', async () => {
    const storage = await openStorage({ directory, backend: 'cow' });
    await fill(storage.log, 30);
    const { position: events, treeHash } = storage.log.head();
    await storage.close();
    await migratedBeforeNextLock(directory, 'lsm');
    expect(await salvageStorage({ directory, target })).toMatchObject({ backend: 'lsm', events, treeHash, errors: [] });
  });
});
