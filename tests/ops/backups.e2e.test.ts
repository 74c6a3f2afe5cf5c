/**
 * Kept backups on a real disk: verified by restoring, limited in number, and the last verified one is never removed.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { restoreStorage } from '../../src/storage/backup.ts';
import { type DiskBackend, writeMarker } from '../../src/storage/marker.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { openBackups } from '../../src/storage/ops/backups.ts';
import { finishErasures } from '../../src/storage/ops/control.ts';
import { Erasures } from '../../src/storage/ops/erasures.ts';
import { isDue, systemClock } from '../../src/storage/ops/schedule.ts';
import { lock, unlock } from '../plugin/support.ts';
import { event, fill, to } from '../storage/log-helpers.ts';
import { ENGINES } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { replacing } from '../support/replacing.ts';

const START = Date.parse('2026-11-21T02:00:00Z');
const DAY = 86_400_000;

let folder: string;
let storage: Storage;
let time: number;

async function open(backend: DiskBackend = 'embedded_kv'): Promise<void> {
  storage = await openStorage({ directory: join(folder, 'data'), backend });
  await fill(storage.log, 20);
}

function backups(retention = 7) {
  return openBackups({ storage, directory: join(folder, 'backups'), retention, now: () => time });
}

const kept = () => readdirSync(join(folder, 'backups')).sort();

beforeEach(() => {
  folder = temporaryFolder('backups');
  time = START;
});
afterEach(() => storage.close());

describe('a backup', () => {
  it.each(ENGINES)('of %s is proven, and restores to the same log', async (backend) => {
    await open(backend);
    const own = backups();
    const made = await own.make();
    expect(own.state().durationSeconds).toBeGreaterThan(0);
    const { position, treeHash } = storage.log.head();
    expect(made).toMatchObject({ madeAt: START, position, treeHash });
    expect(kept()).toEqual(['2026-11-21T02-00-00Z']);
    const head = await restoreStorage({ from: made.path, directory: join(folder, 'restored') });
    expect(head.treeHash).toBe(treeHash);
  });

  it('is remembered by the next process', async () => {
    await open();
    const made = await backups().make();
    expect(backups().state().last).toEqual(made);
  });

  it('stays when the clock was set back, and is the last one: the daily backup is not due again', async () => {
    await open();
    time = START + 300 * DAY;
    await backups(1).make();
    time = START;
    const at = { hour: new Date(START).getHours(), minute: 0 };
    const own = backups(1);
    const isDueNow = () => isDue(time, { at, doneAt: () => own.state().last!.madeAt });
    expect(isDueNow()).toBe(true);
    const made = await own.make();
    expect(kept()).toEqual(['2026-11-21T02-00-00Z', '2027-09-17T02-00-00Z']);
    expect([own.state().last, isDueNow()]).toEqual([made, false]);
  });

  it('is made while events are appended, and is the log of one moment', async () => {
    await open();
    const appends = Array.from({ length: 50 }, (_, index) => storage.log.append([to('more', [event(1_000 + index)])]));
    const made = await backups().make();
    await Promise.all(appends);
    expect(made.position).toBeGreaterThanOrEqual(20);
    expect(made.treeHash).toBe(storage.log.treeHash(made.position));
  });

  it('asked for twice at once is made once', async () => {
    await open();
    const own = backups();
    const [first, second] = await Promise.all([own.make(), own.make()]);
    expect(second).toBe(first);
    expect(kept()).toHaveLength(1);
  });

  it('that is cancelled before its copy or while it is verified leaves no file and is no failure', async () => {
    await open();
    const reason = new Error('Nobody wants it any more.');
    const directory = join(folder, 'backups');
    const given = { directory, retention: 7, now: () => time };
    const before = openBackups({ ...given, storage, prepare: async () => before.cancel(reason) });
    await expect(before.make()).rejects.toBe(reason);
    const backup: Storage['engine']['backup'] = async (to) => {
      const result = await storage.engine.backup(to);
      // The thread that verifies has been started then.
      setImmediate(() => meanwhile.cancel(reason));
      return result;
    };
    const engine = replacing(storage.engine, { backup });
    const meanwhile = openBackups({ ...given, storage: { ...storage, engine } });
    await expect(meanwhile.make()).rejects.toBe(reason);
    for (const own of [before, meanwhile]) {
      expect(own.state()).toMatchObject({ failures: 0, failure: null, last: null });
    }
    expect(readdirSync(directory)).toEqual([]);
    const next = backups();
    next.cancel(reason);
    await next.make();
    expect(kept()).toHaveLength(1);
  });

  // It counted as made after the erasure, so nobody was told to delete it.
  it('that holds an erased payload, because the erasure could not be finished, is counted', async () => {
    await open('lsm');
    await storage.log.append([to('s', [event(900, 'a text that must leave')])]);
    await storage.engine.settle?.();
    const erasures = new Erasures({ storage, clock: systemClock, report: () => undefined });
    erasures.start();
    onTestFinished(() => erasures.stop());
    const earlier = storage.log.readAll();
    earlier.next();
    await storage.log.erase([21]);
    const own = openBackups({
      ...{ storage, directory: join(folder, 'backups'), retention: 7, now: () => time },
      prepare: () => finishErasures(erasures),
      erasedThrough: () => erasures.state().doneThrough,
    });
    const made = await own.make();
    const files = readdirSync(made.path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const holdsText = files.some((file) =>
      readFileSync(join(file.parentPath, file.name)).includes('a text that must leave'),
    );
    expect([holdsText, own.mayHoldErased(22)]).toEqual([true, 1]);
    earlier.return?.();
    time += DAY;
    await own.make();
    expect([own.mayHoldErased(22), backups().mayHoldErased(22)]).toEqual([1, 1]);
  });

  it('that is not the log of this store is no backup', async () => {
    await open();
    const lying = { ...storage, log: replacing(storage.log, { treeHash: () => '0'.repeat(64) }) };
    const own = openBackups({ storage: lying, directory: join(folder, 'backups'), retention: 7, now: () => time });
    await expect(own.make()).rejects.toThrow(/not this log/);
    expect(own.state()).toMatchObject({ failures: 1, last: null });
    expect(own.state().failure).toContain('not this log');
    expect(kept()).toEqual([]);
  });

  it('that cannot be restored is removed, the one before it stays, and the failure is reported until a backup succeeds', async () => {
    await open();
    const own = backups();
    const good = await own.make();
    time += DAY;
    const broken = breakingBackup(storage);
    const bad = openBackups({ storage: broken, directory: join(folder, 'backups'), retention: 1, now: () => time });
    await expect(bad.make()).rejects.toThrow(/cannot be restored/);
    expect(kept()).toEqual(['2026-11-21T02-00-00Z']);
    expect(bad.state()).toMatchObject({ failures: 1, last: { path: good.path } });
    await own.make();
    expect(own.state()).toMatchObject({ failure: null, kept: 2 });
  });
});

describe('retention', () => {
  it('keeps the newest, removes the rest and what a crash left, and nothing that is not ours', async () => {
    await open();
    const own = backups(2);
    mkdirSync(join(folder, 'backups', 'my-own-copy'), { recursive: true });
    writeFileSync(join(folder, 'backups', 'notes.txt'), 'mine');
    mkdirSync(join(folder, 'backups', '2026-11-22T12-00-00Z'));
    for (let day = 0; day < 3; day += 1) {
      await own.make();
      time += DAY;
    }
    expect(kept()).toEqual(['2026-11-22T02-00-00Z', '2026-11-23T02-00-00Z', 'my-own-copy', 'notes.txt']);
    expect(own.state()).toMatchObject({ kept: 2, failures: 0 });
  });

  // Every attempt, one each quarter of an hour, left another backup of the whole store.
  it('makes no backup again because an old one cannot be removed, and removes the others', async ({ skip }) => {
    await open();
    const own = backups(1);
    const { path } = await own.make();
    if (!lock(path)) skip('This system lets root remove everything.');
    onTestFinished(() => unlock(path));
    mkdirSync(join(folder, 'backups', '2026-11-21T12-00-00Z'));
    time += DAY;
    await expect(own.make()).rejects.toThrow('was made and verified, but an older one cannot be removed');
    expect(kept()).toEqual(['2026-11-21T02-00-00Z', '2026-11-22T02-00-00Z']);
    const { last, failures } = own.state();
    expect([last?.madeAt, failures]).toEqual([time, 1]);
  });

  // It counted as verified, so the verified one before it was removed.
  it('counts none as verified that has another record: null, {}, half of one', async () => {
    await open();
    const made = await backups().make();
    for (const [index, record] of ['null', '{}', '{"position":20'].entries()) {
      const other = join(folder, 'backups', `2026-11-2${5 + index}T02-00-00Z`);
      mkdirSync(other);
      writeFileSync(join(other, 'verified.json'), record);
    }
    expect(backups().state()).toMatchObject({ last: made, kept: 1 });
    time += DAY;
    await backups(2).make();
    expect(kept()).toContain('2026-11-21T02-00-00Z');
  });

  // Each home removed the verified backups of the other one.
  it('in a folder that another home shares keeps the backups of each, also of those made at one time', async () => {
    await open();
    const other = await openStorage({ directory: join(folder, 'other'), backend: 'cow' });
    onTestFinished(() => other.close());
    await other.log.append([to('other', [event(7)])]);
    const directory = join(folder, 'backups');
    const own = backups(1);
    const others = openBackups({ storage: other, directory, retention: 1, now: () => time });
    await Promise.all([own.make(), others.make()]);
    time += DAY;
    const [first, second] = await Promise.all([own.make(), others.make()]);
    expect(kept()).toEqual(['2026-11-22T02-00-00Z', '2026-11-22T02-00-01Z']);
    const heads = await Promise.all(
      [first, second].map(({ path: from }, at) => restoreStorage({ from, directory: join(folder, `restored-${at}`) })),
    );
    expect(heads.map(({ treeHash }) => treeHash)).toEqual([storage.log.head().treeHash, other.log.head().treeHash]);
    expect([own.state(), backups().state()]).toMatchObject([
      { last: first, kept: 1 },
      { last: first, kept: 1 },
    ]);
  });

  it('keeps backups of other events, also of more than the log has, as when it was restored to fewer', async () => {
    await open();
    const others = ['2026-11-20T02-00-00Z', '2026-11-20T02-00-01Z'];
    for (const [index, name] of others.entries()) {
      const path = join(folder, 'backups', name);
      mkdirSync(path, { recursive: true });
      writeMarker(path, { format: 1, backend: 'cow', store: 'store-1', state: 'ready' });
      const record = { position: 20 + index, treeHash: '0'.repeat(64), verifiedAt: START - DAY, bytes: 1 };
      writeFileSync(join(path, 'verified.json'), JSON.stringify(record));
    }
    const own = backups(1);
    expect(own.state()).toMatchObject({ last: null, kept: 0 });
    await own.make();
    expect(kept()).toEqual([...others, '2026-11-21T02-00-00Z']);
  });
});

/** A store whose backups have one byte flipped near the end of their first file. */
function breakingBackup(good: Storage): Storage {
  const backup = async (directory: string) => {
    const result = await good.engine.backup(directory);
    const path = join(directory, readdirSync(directory)[0]!);
    const bytes = readFileSync(path);
    bytes[bytes.length - 200]! ^= 0xff;
    writeFileSync(path, bytes);
    return result;
  };
  return { ...good, engine: replacing(good.engine, { backup }) };
}
