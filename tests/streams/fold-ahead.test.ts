/** Views that another thread folds equal views that are folded in this thread, whatever happens to the other thread. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { homeWithRuns } from '../../bench/support/homes.ts';
import { FoldingThread, partOf } from '../../src/compose/fold-thread.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { foldingOf } from '../../src/read-models.ts';
import { categoriesOf, eventsOf } from '../../src/resource.ts';
import { resources } from '../../src/resources.ts';
import type { ReadOptions } from '../../src/storage/event-log.ts';
import type { StoredEventLog } from '../../src/storage/log/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { Projector, type ProjectorParts } from '../../src/streams/projector.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';

/** A little more than eight parts of 250. */
const EVENTS = 2_100;

const projections = resources.flatMap((each) => each.projections);

async function logOfRuns(events: number): Promise<StoredEventLog> {
  const home = temporaryFolder('home');
  await homeWithRuns(home, events);
  return (await openStorage({ directory: join(home, 'data') })).log;
}

function viewsFile(): string {
  return join(temporaryFolder('views'), 'views.db');
}

function projectorOn(log: StoredEventLog, store: ViewsStore, ahead?: ProjectorParts['ahead']) {
  const reports: string[] = [];
  const parts = { events: eventsOf(resources), categories: categoriesOf(resources), projections };
  const projector = new Projector({ ...parts, log, store, ahead, report: (line) => reports.push(line) });
  return { projector, reports };
}

function contents(store: ViewsStore): unknown {
  const tables = ['checkpoints', ...projections.flatMap((each) => each.tables)];
  return Object.fromEntries(tables.map((table) => [table, store.all(`SELECT * FROM ${table}`)]));
}

async function foldedHere(log: StoredEventLog): Promise<unknown> {
  const store = openViews(null);
  await projectorOn(log, store).projector.catchUp();
  return contents(store);
}

/** What the threads of a test reported. */
const reported: string[] = [];
afterEach(() => void reported.splice(0));

function threadFor(path: string): FoldingThread {
  return new FoldingThread(path, projections, { report: (line) => reported.push(line), eventsMin: 1 });
}

function threadOn(path: string, log: StoredEventLog): FoldingThread {
  const thread = threadFor(path);
  thread.read(log);
  return thread;
}

it('a part of the log has at most 250 events and, unless it is one event, 4 MiB', async () => {
  const { log } = await openStorage({ directory: join(temporaryFolder('large'), 'data') });
  const lengths = [5_000_000, 1_500_000, 1_500_000, 1_500_000, ...Array.from({ length: 301 }, () => 10)];
  for (const [number, length] of lengths.entries())
    await log.append([to('s', [event(number + 1, 'x'.repeat(length))])]);
  const parts: number[] = [];
  for (let after = 0; after < log.head().position; after += parts.at(-1)!) parts.push(partOf(log, after).starts.length);
  expect(parts).toEqual([1, 2, 250, 52]);
});

describe('views that another thread folds', () => {
  let log: StoredEventLog;
  let expected: unknown;
  beforeAll(async () => {
    log = await logOfRuns(EVENTS);
    expected = await foldedHere(log);
  });

  it('equal those that are folded here, after a start and after a rebuild', async () => {
    const path = viewsFile();
    const store = openViews(path);
    const { projector } = projectorOn(log, store, threadOn(path, log));
    const seen: number[] = [];
    await projector.catchUp((done) => seen.push(done));
    expect(contents(store)).toEqual(expected);
    expect(projector.position).toBe(log.head().position);
    expect(seen.at(-1)).toBe(log.head().position);
    const executed = vi.spyOn(store, 'exec');
    await projector.rebuild();
    expect(contents(store)).toEqual(expected);
    expect(projector.isFollowing).toBe(true);
    // To drop the tables of a long log takes long.
    expect(executed).not.toHaveBeenCalled();
  });

  it('are folded to the end here when an event is appended while the thread folds the last parts', async () => {
    const path = viewsFile();
    const store = openViews(path);
    const thread = threadFor(path);
    const { position: last } = log.head();
    let isAppended = false;
    const head = () => ({ ...log.head(), position: isAppended ? last : last - 1 });
    thread.read({
      head,
      readRaw: (options) => [...log.readRaw(options)].filter(({ position }) => position <= head().position).values(),
      treeHash: (position) => log.treeHash(position),
    });
    const { projector, reports } = projectorOn(log, store, thread);
    await projector.catchUp((done) => {
      isAppended ||= done > last - 1_000;
    });
    expect(contents(store)).toEqual(expected);
    expect([...reports, ...reported]).toEqual([]);
  });

  it('are rebuilt after the catch-up that runs, and are refused until then', async () => {
    const path = viewsFile();
    const earlier = openViews(path);
    const { log: start } = await openStorage({ directory: join(temporaryFolder('start'), 'data') });
    await start.copy(Array.from(log.readRaw({ limit: 1_000 }), ({ record }) => record));
    await projectorOn(start, earlier).projector.catchUp();
    earlier.close();
    const store = openViews(path);
    const thread = threadOn(path, log);
    const { projector, reports } = projectorOn(log, store, thread);
    const folding = foldingOf(projector, store);
    const starting = folding.catchUp();
    await nextTurn();
    expect(thread.isRunning).toBe(true);
    const rebuilding = [folding.rebuild(), folding.rebuild()];
    await rebuilding[0];
    expect(folding.unavailable()).toMatch(/^The views are being rebuilt from the log/);
    await starting;
    expect(folding.unavailable()).toBeNull();
    expect(contents(store)).toEqual(expected);
    await Promise.all(rebuilding);
    expect([...reports, ...reported]).toEqual([]);
  });

  it('are rebuilt while the thread that began early holds a transaction', async () => {
    const path = viewsFile();
    const thread = threadFor(path);
    const hasFolded = Promise.withResolvers<void>();
    const source = {
      head: () => log.head(),
      treeHash: (size: number) => log.treeHash(size),
      readRaw(options?: ReadOptions) {
        // The ninth part is read when the thread has folded the first one.
        if ((options?.after ?? 0) >= 8 * 250) hasFolded.resolve();
        return log.readRaw(options);
      },
    };
    for (let call = 1; call <= 2; call += 1) thread.copying(source, EVENTS);
    await hasFolded.promise;
    const store = openViews(path);
    const { projector, reports } = projectorOn(log, store, thread);
    await projector.rebuild();
    expect(contents(store)).toEqual(expected);
    expect([...reports, ...reported]).toEqual([]);
  });

  it('are begun while the log is copied, and are complete once it is', async () => {
    const { log: copy } = await openStorage({ directory: join(temporaryFolder('copy'), 'data') });
    const path = viewsFile();
    const thread = threadFor(path);
    const total = log.head().position;
    for (let after = 0; after < total; after = copy.head().position) {
      await copy.copy(Array.from(log.readRaw({ after, limit: 500 }), ({ record }) => record));
      thread.copying(copy, total);
      expect(thread.isRunning).toBe(true);
    }
    const store = openViews(path);
    await projectorOn(copy, store, thread).projector.catchUp();
    expect(thread.isRunning).toBe(false);
    expect(contents(store)).toEqual(expected);
  });

  it('are not begun early where there are views already', async () => {
    const path = viewsFile();
    openViews(path).close();
    const thread = threadFor(path);
    thread.copying(log, log.head().position);
    expect(thread.isRunning).toBe(false);
  });

  it.each(['catchUp', 'rebuild'] as const)(
    'are folded here when the thread of a %s is stopped, and take no events of other daemons meanwhile',
    async (fold) => {
      const path = viewsFile();
      const store = openViews(path);
      if (fold === 'rebuild') await projectorOn(log, store).projector.catchUp();
      const thread = threadOn(path, log);
      const { projector, reports } = projectorOn(log, store, thread);
      let isStopped = false;
      await projector[fold](() => {
        if (isStopped) return;
        isStopped = true;
        expect(thread.isRunning).toBe(true);
        projector.apply([...log.readAll({ limit: 10 })]);
        void thread.stop();
      });
      expect(isStopped).toBe(true);
      expect(reported).toEqual([]);
      expect(contents(store)).toEqual(expected);
      expect(reports).toEqual([]);
    },
  );

  it('are folded here when the thread gets no more of the log', async () => {
    const path = viewsFile();
    const store = openViews(path);
    const thread = threadFor(path);
    thread.read({
      head: () => log.head(),
      treeHash: (size) => log.treeHash(size),
      readRaw(options) {
        if ((options?.after ?? 0) >= 1_000) throw new Error('The disk fails.');
        return log.readRaw(options);
      },
    });
    await projectorOn(log, store, thread).projector.catchUp();
    expect(contents(store)).toEqual(expected);
  });

  it('are folded here when the system has no thread left', async () => {
    const path = viewsFile();
    const store = openViews(path);
    const start = (): never => {
      throw new Error('EAGAIN');
    };
    const thread = new FoldingThread(path, projections, { report: (line) => reported.push(line), eventsMin: 1, start });
    thread.read(log);
    await projectorOn(log, store, thread).projector.catchUp();
    expect(contents(store)).toEqual(expected);
    expect(reported).toEqual([expect.stringContaining('EAGAIN')]);
  });

  it('are folded here when they have moved to memory, and their file is unchanged', async () => {
    const path = viewsFile();
    const store = openViews(path);
    store.moveToMemory();
    const { projector } = projectorOn(log, store, threadOn(path, log));
    await projector.catchUp();
    await projector.rebuild();
    expect(contents(store)).toEqual(expected);
    expect(openViews(path).all('SELECT name FROM sqlite_schema')).toEqual([]);
  });

  it('are not begun early where they cannot be made', async () => {
    const thread = threadFor(join(temporaryFolder('views'), 'missing', 'views.db'));
    thread.copying(log, log.head().position);
    expect(thread.isRunning).toBe(false);
  });

  it('report a failing fold as if it ran here', async () => {
    const log = await logOfRuns(30);
    const envelope = { schema: 1, at: 1, actor: 'owner', correlation: null, causation: null };
    const faulty = { ...envelope, id: '01900000-0000-7000-8000-000000000001', type: 'TaskCreated', data: {} };
    await log.append([{ stream: 'task-faulty', expectedVersion: 'none', events: [faulty] }]);
    const path = viewsFile();
    const store = openViews(path);
    const ahead = projectorOn(log, store, threadOn(path, log)).projector;
    const here = projectorOn(log, openViews(null)).projector;
    await Promise.all([ahead.catchUp(), here.catchUp()]);
    expect([...here.failures.keys()]).toEqual(['tasks']);
    expect(ahead.failures).toEqual(here.failures);
    expect(reported).toEqual([expect.stringContaining('The thread that folds the views ended')]);
  });

  it('are left as they are when the projector is closed', async () => {
    const path = viewsFile();
    const store = openViews(path);
    const { projector } = projectorOn(log, store, threadOn(path, log));
    const caughtUp = projector.catchUp(() => projector.close());
    await expect(caughtUp).rejects.toThrow('The views were closed.');
    store.close();
    expect(existsSync(path)).toBe(true);
    const again = openViews(path);
    await projectorOn(log, again).projector.catchUp();
    expect(contents(again)).toEqual(expected);
  });
});
