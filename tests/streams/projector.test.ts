/**
 * The projector: a view is a function of the events up to its checkpoint, whatever batches, stops, restarts and
 * rebuilds there were; and a fold that fails affects one projection only.
 */
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { define, from } from '../../src/events/define.ts';
import { harness } from '../../src/projections/harness.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { approvals } from '../../src/projections/run/approvals.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { tasks } from '../../src/projections/task.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { eventTable, resources } from '../../src/resources.ts';
import type { EventLog, Json } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandHandler, createCommandHandler } from '../../src/streams/command-handler.ts';
import { createCommittedEvents } from '../../src/streams/committed-events.ts';
import { Projector, type ProjectorParts } from '../../src/streams/projector.ts';
import { type Move, moves, SOURCES } from '../../src/testing/moves.ts';
import { lock, unlock } from '../plugin/support.ts';
import { event, to } from '../storage/log-helpers.ts';
import { byDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { play } from '../support/play.ts';
import { steadySystem } from '../support/steady-system.ts';

const ALL: readonly Projection[] = [approvals, jobs, tasks, harness];
/** Of the streams that these fold. */
const NAMES = ['run', 'task', 'harness'];

async function logOf(history: readonly Move[]): Promise<EventLog> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  await play(createCommandHandler({ log, ...steadySystem() }), history);
  return log;
}

/** Every row of every table of the projections, in a fixed order. */
function contents(store: ViewsStore, projections = ALL): unknown {
  const names = projections.flatMap(({ tables }) => tables);
  const rowsOf = (name: string): string[] => store.all(`SELECT * FROM ${name}`).map((row) => JSON.stringify(row));
  return Object.fromEntries(names.map((name) => [name, rowsOf(name).sort()]));
}

/** The types of the program, and two of these tests; the second has a second version. */
const EVENTS = {
  ...eventTable,
  ThingHappened: define('ThingHappened', z.object({ number: z.number() })),
  ThingCounted: define('ThingCounted', {
    version: 2,
    data: z.object({ count: z.number() }),
    upcast: { 1: from(z.object({ counted: z.string() }), ({ counted }) => ({ count: Number(counted) })) },
  }),
};

function projectorOn(
  log: EventLog,
  store: ViewsStore,
  projections = ALL,
  options: Pick<ProjectorParts, 'makeRoom' | 'retryMs'> = {},
) {
  const reports: string[] = [];
  const projector = new Projector({
    log,
    store,
    projections,
    events: EVENTS,
    report: (line) => reports.push(line),
    retryMs: 20,
    ...options,
  });
  return { projector, reports };
}

/** The value with a field more in each of its objects, where the schema takes such fields and does not read them. */
function withUnknownFields(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((each) => withUnknownFields(schema.element as z.ZodType, each));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional)
    return withUnknownFields(schema.unwrap() as z.ZodType, value);
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([name, each]) => {
    const field = (schema.shape as Record<string, z.ZodType>)[name];
    return [name, field === undefined ? each : withUnknownFields(field, each)] as const;
  });
  const isStrict = schema.def.catchall instanceof z.ZodNever;
  return { ...Object.fromEntries(known), ...(!isStrict && { 'a field of its own': 1 }) };
}

async function foldedAtOnce(log: EventLog, projections = ALL): Promise<unknown> {
  const store = openViews(null);
  const { projector } = projectorOn(log, store, projections);
  await projector.catchUp();
  expect(projector.position).toBe(log.head().position);
  return contents(store, projections);
}

describe('a view is a function of the log', () => {
  it('is the same folded at once, across any checkpoints, after any restarts, live, and rebuilt', async () => {
    const cuts = fc.array(
      fc.record({ events: fc.integer({ min: 1, max: 9 }), end: fc.constantFrom(null, 'stopped', 'killed') }),
      {
        maxLength: 30,
      },
    );
    await fc.assert(
      fc.asyncProperty(moves(60, NAMES), cuts, async (history, pieces) => {
        const log = await logOf(history);
        const expected = await foldedAtOnce(log);
        const store = openViews(null);
        let { projector } = projectorOn(log, store);
        // Nothing is folded yet, but the tables are there.
        await projectorOn(await logOf([]), store).projector.catchUp();
        let at = 0;
        for (const piece of pieces) {
          const batch = [...log.readAll({ after: at, limit: piece.events })];
          projector.apply(batch);
          at = batch.at(-1)?.position ?? at;
          expect(projector.position).toBe(at);
          if (piece.end === null) continue;
          if (piece.end === 'stopped') projector.settle();
          else store.rollback();
          projector = projectorOn(log, store).projector;
          await projector.catchUp();
          expect(contents(store)).toEqual(expected);
          at = log.head().position;
        }
        await projector.catchUp();
        expect(contents(store)).toEqual(expected);
        await projector.rebuild();
        expect(contents(store)).toEqual(expected);
        expect(projector.failures.size).toBe(0);
      }),
      { numRuns: byDepth({ sample: 12, dense: 40 }) },
    );
  });

  const PROJECTIONS = resources.flatMap(({ projections }) => projections);

  it('so is every projection of the daemon', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 12 });
    const touched = new Set<string>();
    await fc.assert(
      fc.asyncProperty(moves(120), cuts, async (history, pieces) => {
        const { log } = await openStorage({ directory: '', ephemeral: true });
        const commandHandler = createCommandHandler({ log, ...steadySystem() });
        await play(commandHandler, history);
        const expected = await foldedAtOnce(log, PROJECTIONS);
        for (const [table, rows] of Object.entries(expected as object)) if (rows.length > 0) touched.add(table);
        const store = openViews(null);
        const { projector, reports } = projectorOn(log, store, PROJECTIONS);
        await projectorOn(await logOf([]), store, PROJECTIONS).projector.catchUp();
        let at = 0;
        for (const limit of pieces) {
          const batch = [...log.readAll({ after: at, limit })];
          if (batch.length > 0) projector.apply(batch);
          at = batch.at(-1)?.position ?? at;
        }
        projector.settle();
        const next = projectorOn(log, store, PROJECTIONS).projector;
        await next.catchUp();
        expect(contents(store, PROJECTIONS)).toEqual(expected);
        await next.rebuild();
        expect(contents(store, PROJECTIONS)).toEqual(expected);
        expect([...reports, ...next.failures.values()]).toEqual([]);
      }),
      // The sample fills the tables of every projection, which is checked below.
      { numRuns: byDepth({ sample: 20, dense: 140 }) },
    );
    const untouched = PROJECTIONS.filter(
      (projection) => !ALL.includes(projection) && !projection.tables.some((table) => touched.has(table)),
    );
    expect(untouched.map(({ name }) => name)).toEqual([]);
  });

  it.each(Object.keys(SOURCES))(
    'is a function of the declared fields: others stop no projection (%s)',
    async (name) => {
      await fc.assert(
        fc.asyncProperty(moves(30, [name]), async (history) => {
          const { log } = await openStorage({ directory: '', ephemeral: true });
          const { log: wider } = await openStorage({ directory: '', ephemeral: true });
          await play(createCommandHandler({ log, ...steadySystem() }), history);
          for (const { stream, type, data, ...rest } of log.readAll()) {
            const widened = withUnknownFields(eventTable[type]!.data, data) as Json;
            await wider.append([{ stream, expectedVersion: 'any', events: [{ ...rest, type, data: widened }] }]);
          }
          const { projector, reports } = projectorOn(wider, openViews(null), PROJECTIONS);
          await projector.catchUp();
          expect([...reports, ...projector.failures.values()]).toEqual([]);
        }),
        { numRuns: byDepth({ sample: 5, dense: 40 }) },
      );
    },
  );

  it('is a function of the remaining events: an erased event does not stop a projection', async () => {
    const erased = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(moves(40, NAMES), erased, async (history, shares) => {
        const log = await logOf(history);
        const { position } = log.head();
        if (position === 0) return;
        await log.erase([...new Set(shares.map((share) => 1 + Math.floor(share * position)))]);
        const { projector, reports } = projectorOn(log, openViews(null));
        await projector.catchUp();
        expect(reports).toEqual([]);
        expect(projector.position).toBe(log.head().position);
      }),
      { numRuns: byDepth({ sample: 30, dense: 100 }) },
    );
  });

  it('is the same folded live and folded later', async () => {
    await fc.assert(
      fc.asyncProperty(moves(60, NAMES), async (history) => {
        const { log } = await openStorage({ directory: '', ephemeral: true });
        const store = openViews(null);
        const { projector } = projectorOn(log, store);
        await projector.catchUp();
        const committed = createCommittedEvents(log, projector);
        const received: number[] = [];
        committed.folded$.subscribe((events) => {
          received.push(...events.map(({ position }) => position));
          // A subscriber that gets an event may read the views about it.
          expect(projector.position).toBe(events.at(-1)?.position);
        });
        await play(createCommandHandler({ log, ...steadySystem() }), history);
        expect(received).toEqual(received.map((_, index) => index + 1));
        expect(contents(store)).toEqual(await foldedAtOnce(log));
      }),
      { numRuns: byDepth({ sample: 12, dense: 40 }) },
    );
  });

  it('a batch with a gap before it waits for the catch-up', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const { projector } = projectorOn(log, store, [counter()]);
    projector.apply([...log.readAll({ after: 4 })]);
    expect(projector.position).toBe(0);
    await projector.catchUp();
    expect(store.all('SELECT position FROM counted ORDER BY 1')).toHaveLength(10);
  });

  // Each waited for the other one.
  it('two catch-ups at one time end', async () => {
    const { log, counter, folds } = await tenEvents();
    const { projector } = projectorOn(log, openViews(null), [counter()]);
    await Promise.all([projector.catchUp(), projector.catchUp()]);
    expect([projector.position, folds]).toEqual([10, { counted: 10 }]);
  });
});

/** Ten events, and a projection that keeps each position: folding one twice would break its primary key. */
async function tenEvents() {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (let number = 1; number <= 10; number += 1) await log.append([to('thing-a', [event(number)])]);
  const folds: Record<string, number> = {};
  const counter = (name = 'counted', version = 1, fails = (_position: number): boolean => false): Projection => ({
    name,
    version,
    tables: [name],
    create: `CREATE TABLE ${name} (position INTEGER PRIMARY KEY, stream TEXT NOT NULL)`,
    on: {
      ThingHappened: (views, { position, stream }) => {
        if (fails(position)) throw new Error('no such number');
        folds[name] = (folds[name] ?? 0) + 1;
        views.run(`INSERT INTO ${name} VALUES (?, ?)`, position, stream);
      },
    },
  });
  return { log, counter, folds };
}

const rows = (store: ViewsStore, table: string): number => store.all(`SELECT position FROM ${table}`).length;

async function restarted(log: EventLog, store: ViewsStore, projections: readonly Projection[]): Promise<Projector> {
  const { projector } = projectorOn(log, store, projections);
  await projector.catchUp();
  return projector;
}

describe('an event as a fold sees it', () => {
  const seen: Projection = {
    name: 'seen',
    version: 1,
    tables: ['seen'],
    create: 'CREATE TABLE seen (position INTEGER PRIMARY KEY, data TEXT NOT NULL)',
    on: {
      ThingCounted: (views, { position, data }) =>
        views.run('INSERT INTO seen VALUES (?, ?)', position, JSON.stringify(data)),
      ThingUnknown: () => expect.fail('no table defines it'),
    },
  };
  const counted = (number: number, schema: number, data: Json) => ({
    ...event(number, data),
    type: 'ThingCounted',
    schema,
  });

  it('has the newest schema, whatever schema it was written with', async () => {
    const { log } = await openStorage({ directory: '', ephemeral: true });
    await log.append([to('thing-a', [counted(1, 1, { counted: '7' }), counted(2, 2, { count: 8 })])]);
    const store = openViews(null);
    const { projector, reports } = projectorOn(log, store, [seen]);
    await projector.catchUp();
    expect(store.all('SELECT data FROM seen').map(({ data }) => data)).toEqual(['{"count":7}', '{"count":8}']);
    expect(reports).toEqual([]);
  });

  it('is skipped when its type is unknown or its payload erased', async () => {
    const { log } = await openStorage({ directory: '', ephemeral: true });
    await log.append([to('thing-a', [{ ...event(1), type: 'ThingUnknown' }, counted(2, 1, { counted: '7' })])]);
    await log.erase([2]);
    const store = openViews(null);
    const { projector, reports } = projectorOn(log, store, [seen]);
    await projector.catchUp();
    expect([rows(store, 'seen'), projector.position, reports]).toEqual([0, log.head().position, []]);
  });

  it.each([
    [2, { count: 'many' }, 'no ThingCounted of schema 2: data.count: must be a number'],
    [1, { counted: 7 }, 'no ThingCounted of schema 1: data.counted: must be a string'],
    [2, null, 'no ThingCounted of schema 2: data: must be an object'],
    [3, { count: 1 }, 'no ThingCounted of schema 3: data: a newer program wrote it; this one knows schemas up to 2'],
  ])('that does not fit takes out the projections that fold it (schema %i, %j)', async (schema, data, fault) => {
    const { log, counter } = await tenEvents();
    await log.append([to('thing-a', [counted(11, schema, data)])]);
    const store = openViews(null);
    const { projector, reports } = projectorOn(log, store, [counter(), seen]);
    await projector.catchUp();
    const message = `The projection seen failed at position 11: The event at position 11 (stream thing-a) is ${fault}`;
    expect(reports).toEqual([message]);
    expect([rows(store, 'counted'), projector.position]).toEqual([10, 11]);
  });
});

describe('starting over', () => {
  it('a version bump rebuilds that projection only', async () => {
    const { log, counter, folds } = await tenEvents();
    const store = openViews(null);
    await restarted(log, store, [counter('one'), counter('two')]);
    expect(folds).toEqual({ one: 10, two: 10 });
    await restarted(log, store, [counter('one', 2), counter('two')]);
    expect(folds).toEqual({ one: 20, two: 10 });
    expect([rows(store, 'one'), rows(store, 'two')]).toEqual([10, 10]);
  });

  it('an added projection is folded from the start, the others stay', async () => {
    const { log, counter, folds } = await tenEvents();
    const store = openViews(null);
    await restarted(log, store, [counter('one')]);
    const projector = await restarted(log, store, [counter('one'), counter('new')]);
    expect(folds).toEqual({ one: 10, new: 10 });
    expect(projector.position).toBe(10);
  });

  it('projections at different positions in one batch each fold just the events that they lack', async () => {
    const { log, counter, folds } = await tenEvents();
    const store = openViews(null);
    const { projector } = projectorOn(log, store, [counter('one')]);
    await restarted((await openStorage({ directory: '', ephemeral: true })).log, store, [counter('one')]);
    projector.apply([...log.readAll({ limit: 5 })]);
    projector.settle();
    const both = await restarted(log, store, [counter('one'), counter('new')]);
    expect(folds).toEqual({ one: 10, new: 10 });
    expect([both.failures.size, both.position]).toEqual([0, 10]);
  });

  it.each([
    { name: 'a longer one', events: 15 },
    { name: 'one of the same length', events: 10 },
    { name: 'a shorter one', events: 3 },
  ])('another log under the same views, $name: folded again', async ({ events }) => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    await restarted(log, store, [counter()]);
    const { log: other } = await openStorage({ directory: '', ephemeral: true });
    for (let number = 1; number <= events; number += 1) await other.append([to('thing-b', [event(100 + number)])]);
    const projector = await restarted(other, store, [counter()]);
    expect([projector.position, rows(store, 'counted')]).toEqual([events, events]);
    expect(store.all('SELECT DISTINCT stream FROM counted')).toEqual([{ stream: 'thing-b' }]);
  });

  it('after growth of the log only the new events are folded', async () => {
    const { log, counter, folds } = await tenEvents();
    const store = openViews(null);
    await restarted(log, store, [counter()]);
    await log.append([to('thing-a', [event(11), event(12)])]);
    await restarted(log, store, [counter()]);
    expect(folds).toEqual({ counted: 12 });
  });
});

describe('a fold that throws', () => {
  it('takes its projection out and names it; the others fold the whole batch', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const { projector, reports } = projectorOn(log, store, [
      counter('good'),
      counter('bad', 1, (position) => position === 7),
    ]);
    await projector.catchUp();
    expect([...projector.failures.keys()]).toEqual(['bad']);
    expect(reports).toEqual(['The projection bad failed at position 7: no such number']);
    expect([rows(store, 'good'), projector.position]).toEqual([10, 10]);
    await log.append([to('thing-a', [event(11)])]);
    projector.apply([...log.readAll({ after: 10 })]);
    expect([rows(store, 'good'), rows(store, 'bad')]).toEqual([11, 0]);
  });

  it('does so also when SQLite refuses a row', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const waiting: Projection = {
      name: 'waiting',
      version: 1,
      tables: ['waiting'],
      create: 'CREATE TABLE waiting (number INTEGER PRIMARY KEY)',
      on: {
        ThingHappened: (views, { position }) =>
          views.run('INSERT INTO waiting (number) VALUES (?)', position === 7 ? 6 : position),
      },
    };
    const { projector, reports } = projectorOn(log, store, [counter('before'), waiting, counter('after')]);
    await projector.catchUp();
    expect([...projector.failures.keys()]).toEqual(['waiting']);
    expect(reports[0]).toMatch(/^The projection waiting failed at position 7: UNIQUE constraint failed/);
    expect([rows(store, 'before'), rows(store, 'after'), projector.position]).toEqual([10, 10, 10]);
  });

  it('reads no more of the log at once than before', async () => {
    const { log } = await openStorage({ directory: '', ephemeral: true });
    const events = Array.from({ length: 9_000 }, (_, index) => event(index + 1));
    await log.append([to('thing-a', events)]);
    const bad: Projection = {
      name: 'bad',
      version: 1,
      tables: ['bad'],
      create: 'CREATE TABLE bad (number INTEGER PRIMARY KEY)',
      on: {
        ThingHappened: (_views, { position }) => {
          if (position === 2_500) throw new Error('no such number');
        },
      },
    };
    const good: Projection = { ...bad, name: 'good', tables: [], create: '', on: {} };
    const read = vi.spyOn(log, 'readAll');
    const { projector } = projectorOn(log, openViews(null), [bad, good]);
    await projector.catchUp();
    expect([[...projector.failures.keys()], projector.position]).toEqual([['bad'], 9_000]);
    expect(Math.max(...read.mock.calls.map(([options]) => options?.limit ?? Number.POSITIVE_INFINITY))).toBe(2_000);
  });

  it('leaves a correct checkpoint: the mended projection goes on and folds no event twice', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const { projector } = projectorOn(log, store, [counter('bad', 1, (position) => position === 7)]);
    projector.apply([...log.readAll({ limit: 5 })]);
    await projector.catchUp();
    expect([...projector.failures.keys()]).toEqual(['bad']);
    await restarted(log, store, [counter('bad')]);
    expect(rows(store, 'bad')).toBe(10);
  });

  it('is forgotten by a rebuild that succeeds', async () => {
    const { log, counter } = await tenEvents();
    let broken = true;
    const store = openViews(null);
    const { projector } = projectorOn(log, store, [counter('bad', 1, () => broken)]);
    await projector.catchUp();
    broken = false;
    await projector.rebuild();
    expect([projector.failures.size, rows(store, 'bad')]).toEqual([0, 10]);
  });
});

describe('a preview', () => {
  it('shows the rows that the commit will lead to, and leaves none of them', async () => {
    const projections = resources.flatMap((resource) => resource.projections);
    await fc.assert(
      fc.asyncProperty(moves(40), async (history) => {
        const { log } = await openStorage({ directory: '', ephemeral: true });
        const store = openViews(null);
        const { projector, reports } = projectorOn(log, store, projections);
        await projector.catchUp();
        createCommittedEvents(log, projector);
        const commandHandler = createCommandHandler({ log, ...steadySystem(), readModels: projector });
        const previewing: CommandHandler = {
          ...commandHandler,
          async dispatch(decider, id, command, options) {
            const before = contents(store, projections);
            let previewed: unknown;
            const record = () => {
              previewed = contents(store, projections);
              return null;
            };
            const done = commandHandler.dispatch(decider, id, command, { ...options, record });
            expect(contents(store, projections)).toEqual(before);
            const dispatched = await done;
            expect(previewed).toEqual(contents(store, projections));
            return dispatched;
          },
        };
        await play(previewing, history);
        expect(reports).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('includes events that the log has and the views lack', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const { projector } = projectorOn(log, store, [counter()]);
    await projector.catchUp();
    await log.append([to('thing-a', [event(11)])]);
    const next = { ...event(12), stream: 'thing-a', position: 12 };
    expect(projector.preview([next], () => rows(store, 'counted'))).toBe(12);
    expect([rows(store, 'counted'), projector.position]).toEqual([10, 10]);
  });

  it('throws what the work or a fold throws, and no projection is taken out', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const { projector } = projectorOn(log, store, [counter('counted', 1, (position) => position === 12)]);
    await projector.catchUp();
    const at = (position: number) => [{ ...event(position), stream: 'thing-a', position }];
    const preview = () => projector.preview(at(11), () => expect.fail('no answer'));
    expect(preview).toThrow('no answer');
    await log.append([to('thing-a', [event(11)])]);
    expect(() => projector.preview(at(12), () => 1)).toThrow('no such number');
    expect([rows(store, 'counted'), projector.failures.size, projector.stalled]).toEqual([10, 0, null]);
  });
});

/** A full disk took every projection out, and only a rebuild or a restart brought them back. */
describe('views that take no writes', () => {
  const PAGES = 60;

  /** Each row takes five pages. */
  const large: Projection = {
    name: 'counted',
    version: 1,
    tables: ['counted'],
    create: 'CREATE TABLE counted (position INTEGER PRIMARY KEY, text TEXT NOT NULL)',
    on: {
      ThingHappened: (views, { position }) => {
        views.run('INSERT INTO counted VALUES (?, ?)', position, 'x'.repeat(20_000));
      },
    },
  };

  /** The views of ten events, and no room for those of ten more. */
  async function full(options?: Pick<ProjectorParts, 'retryMs'>) {
    const { log } = await tenEvents();
    const store = openViews(null);
    const { projector, reports } = projectorOn(log, store, [large], options);
    await projector.catchUp();
    store.all(`PRAGMA max_page_count = ${PAGES}`);
    const makeRoom = (): void => void store.all(`PRAGMA max_page_count = ${PAGES * 10}`);
    const append = async (first: number, last: number): Promise<void> => {
      for (let number = first; number <= last; number += 1) await log.append([to('thing-a', [event(number)])]);
    };
    return { log, store, projector, reports, makeRoom, append };
  }

  const following = (projector: Projector) =>
    expect.poll(() => projector.stalled, { interval: 5, timeout: 10_000 }).toBeNull();

  it('stall at their checkpoint without taking a projection out, and catch up by themselves', async () => {
    const { log, store, projector, reports, makeRoom, append } = await full();
    const committed = createCommittedEvents(log, projector);
    const received: number[] = [];
    committed.folded$.subscribe((events) => received.push(...events.map(({ position }) => position)));
    await append(11, 20);
    expect([projector.stalled, projector.failures.size]).toEqual(['database or disk is full', 0]);
    const stalledAt = projector.position;
    expect(stalledAt).toBeLessThan(20);
    expect(rows(store, 'counted')).toBe(stalledAt);
    makeRoom();
    await following(projector);
    expect([projector.position, rows(store, 'counted')]).toEqual([20, 20]);
    expect(received).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    await append(21, 21);
    expect([projector.position, received.at(-1)]).toEqual([21, 21]);
    expect(reports).toEqual([
      'database or disk is full; they follow the log again as soon as they can be written.',
      'they follow the log again.',
    ]);
  });

  it('stall in a preview, too: it is refused, and its rows are rolled back', async () => {
    const { log, store, projector, makeRoom } = await full();
    createCommittedEvents(log, projector);
    const many = Array.from({ length: 10 }, (_, n) => ({ ...event(11 + n), stream: 'thing-a', position: 11 + n }));
    const unavailable = expect.objectContaining({ refusal: expect.objectContaining({ kind: 'unavailable' }) });
    for (let n = 0; n < 2; n += 1) expect(() => projector.preview(many, () => 1)).toThrow(unavailable);
    expect([projector.stalled, projector.failures.size]).toEqual(['database or disk is full', 0]);
    makeRoom();
    await following(projector);
    expect([projector.position, rows(store, 'counted')]).toEqual([10, 10]);
    expect(projector.preview(many, () => rows(store, 'counted'))).toBe(20);
  });

  it('do not stall when room can be made: every event is folded and emitted once', async () => {
    const { log, store, append } = await full();
    let pages = PAGES;
    const makeRoom = vi.fn(() => {
      pages += PAGES;
      store.all(`PRAGMA max_page_count = ${pages}`);
      return true;
    });
    const { projector, reports } = projectorOn(log, store, [large], { makeRoom });
    await projector.catchUp();
    const committed = createCommittedEvents(log, projector);
    const received: number[] = [];
    committed.folded$.subscribe((events) => received.push(...events.map(({ position }) => position)));
    await append(11, 30);
    expect([projector.stalled, projector.position, rows(store, 'counted')]).toEqual([null, 30, 30]);
    expect(received).toEqual(Array.from({ length: 20 }, (_, at) => at + 11));
    await projector.rebuild();
    expect([projector.position, rows(store, 'counted'), reports]).toEqual([30, 30, []]);
    expect(makeRoom).toHaveBeenCalled();
  });

  it('make room once more when the commit finds the disk full', async () => {
    const { log, counter } = await tenEvents();
    const store = openViews(null);
    const commit = store.commit.bind(store);
    let failures = 0;
    vi.spyOn(store, 'commit').mockImplementation(() => {
      failures -= 1;
      if (failures >= 0) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
      commit();
    });
    const { projector } = projectorOn(log, store, [counter('counted')], { makeRoom: () => true });
    await projector.catchUp();
    await log.append([to('thing-a', [event(11)])]);
    projector.apply([...log.readAll({ after: 10 })]);
    failures = 2;
    projector.settle();
    failures = 1;
    await projector.rebuild();
    expect([projector.stalled, projector.position, rows(store, 'counted')]).toEqual([null, 11, 11]);
  });

  it('stall at the start, too: the catch-up waits for room', async () => {
    const { log, store, makeRoom, append } = await full();
    await append(11, 20);
    const { projector } = projectorOn(log, store, [large]);
    const caughtUp = projector.catchUp();
    await expect.poll(() => projector.stalled).toBe('database or disk is full');
    makeRoom();
    await caughtUp;
    expect([projector.stalled, projector.position]).toEqual([null, 20]);
  });

  it('are folded into memory at a start with their file on the full disk, and the file is unchanged', async () => {
    const { log, append } = await full();
    const path = join(temporaryFolder('views'), 'views.db');
    const earlier = openViews(path);
    await projectorOn(log, earlier, [large]).projector.catchUp();
    earlier.close();
    await append(11, 20);
    const store = openViews(path);
    store.all(`PRAGMA max_page_count = ${PAGES}`);
    const { projector, reports } = projectorOn(log, store, [large]);
    await projector.catchUp();
    expect([projector.stalled, projector.position, rows(store, 'counted')]).toEqual([null, 20, 20]);
    expect(reports[1]).toBe('they are kept in memory until the next start.');
    projector.close();
    store.close();
    expect(rows(openViews(path), 'counted')).toBe(10);
  });

  it('refuse a rebuild, which is done when there is room', async () => {
    const { log, store, projector, makeRoom, append } = await full();
    createCommittedEvents(log, projector);
    await append(11, 20);
    await expect(projector.rebuild()).rejects.toThrow('database or disk is full');
    expect(projector.stalled).toBe('database or disk is full');
    makeRoom();
    await following(projector);
    expect([projector.position, rows(store, 'counted')]).toEqual([20, 20]);
  });

  it('hold each event once, however often the disk is full for a while, and whenever they are rebuilt', async () => {
    const step = fc.constantFrom('append', 'append', 'settle', 'rebuild', 'full', 'full', 'room', 'pause');
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const { log, store, projector, append } = await full({ retryMs: 1 });
      createCommittedEvents(log, projector);
      const limit = (pages: number): void => void store.all(`PRAGMA max_page_count = ${pages}`);
      const rebuilt: Promise<unknown>[] = [];
      for (const [at, chosen] of [...steps, 'room'].entries()) {
        if (chosen === 'append') await append(11 + at, 11 + at);
        if (chosen === 'settle') projector.settle();
        if (chosen === 'rebuild') rebuilt.push(projector.rebuild().catch(() => {}));
        if (chosen === 'full') limit(store.get<{ readonly page_count: number }>('PRAGMA page_count')!.page_count);
        if (chosen === 'room') limit(1_000);
        // Nothing waits for this: it lets an attempt come between two steps.
        if (chosen === 'pause') await sleep(1);
      }
      await following(projector);
      await Promise.all(rebuilt);
      projector.settle();
      const { position } = log.head();
      expect([projector.failures.size, projector.position, rows(store, 'counted')]).toEqual([0, position, position]);
      projector.close();
    });
    await fc.assert(property, { numRuns: byDepth({ sample: 60, dense: 300, long: 3_000 }) });
  });

  it('fold no event twice when an attempt comes after the end of the stall', async () => {
    const { log, store, projector, makeRoom, append } = await full();
    createCommittedEvents(log, projector);
    const loads = vi.spyOn(store, 'get');
    await append(11, 20);
    makeRoom();
    await projector.rebuild();
    // The transaction of an event stays open until 100 ms after it, and the attempt comes within 20 ms.
    await append(21, 21);
    await expect.poll(() => loads.mock.calls.length, { interval: 1 }).toBeGreaterThan(1);
    await append(22, 22);
    projector.settle();
    expect([projector.failures.size, projector.position, rows(store, 'counted')]).toEqual([0, 22, 22]);
  });

  it.each([
    ['where they are written', 'run'],
    ['where they are read', 'get'],
  ] as const)('that turn out to be damaged %s are named, and nobody waits for them any longer', async (_, where) => {
    const { log, store } = await full();
    const { counter } = await tenEvents();
    let code = 'SQLITE_FULL';
    const fails = (): never => {
      throw Object.assign(new Error(`it says ${code}`), { code });
    };
    const get = store.get.bind(store);
    vi.spyOn(store, 'run').mockImplementation(fails);
    vi.spyOn(store, 'get').mockImplementation((sql, ...values) =>
      where === 'get' && code === 'SQLITE_CORRUPT' ? fails() : get(sql, ...values),
    );
    const { projector } = projectorOn(log, store, [counter()]);
    const committed = createCommittedEvents(log, projector);
    const received: number[] = [];
    committed.folded$.subscribe((events) => received.push(...events.map(({ position }) => position)));
    projector.apply([...log.readAll({ limit: 5 })]);
    expect(projector.stalled).toBe('it says SQLITE_FULL');
    await log.append([to('thing-a', [event(11)])]);
    expect(received).toEqual([]);
    code = 'SQLITE_CORRUPT';
    await following(projector);
    expect([...projector.failures.values()]).toEqual(['it says SQLITE_CORRUPT']);
    expect(received).toEqual([11]);
  });

  /** Views of ten events that cannot be written, because a file beside their file is locked, and an event later. */
  async function locked(suffix: '-wal' | '-shm', skip: (note: string) => void) {
    const path = join(temporaryFolder('views'), 'views.db');
    const { log, counter } = await tenEvents();
    const earlier = openViews(path);
    await restarted(log, earlier, [counter()]);
    earlier.close();
    await log.append([to('thing-a', [event(11)])]);
    writeFileSync(path + suffix, '');
    if (!lock(path + suffix)) skip('This system lets root write everything.');
    onTestFinished(() => void (existsSync(path + suffix) && unlock(path + suffix)));
    const store = openViews(path);
    onTestFinished(() => store.close());
    return { path, store, projector: projectorOn(log, store, [counter()]).projector };
  }

  // They stalled until the next start, while /health promised that they follow the log by themselves.
  it.for(['-wal', '-shm'] as const)(
    'follow the log again when %s of their file can be written again',
    async (suffix, { skip }) => {
      const { path, store, projector } = await locked(suffix, skip);
      const caughtUp = projector.catchUp();
      await expect.poll(() => projector.stalled).toBe('attempt to write a readonly database');
      unlock(path + suffix);
      await caughtUp;
      expect([projector.stalled, projector.position, rows(store, 'counted')]).toEqual([null, 11, 11]);
    },
  );

  it('follow the log again when their file could not be opened at all meanwhile', async ({ skip }) => {
    const { path, store, projector } = await locked('-shm', skip);
    const caughtUp = projector.catchUp();
    await expect.poll(() => projector.stalled).toBe('attempt to write a readonly database');
    rmSync(`${path}-wal`, { force: true });
    mkdirSync(`${path}-wal`);
    await vi.waitFor(() => expect(() => rows(store, 'counted')).toThrow('unable to open database file'), 20_000);
    rmdirSync(`${path}-wal`);
    unlock(`${path}-shm`);
    await caughtUp;
    expect([projector.stalled, projector.position, rows(store, 'counted')]).toEqual([null, 11, 11]);
  });

  it('end a waiting catch-up when they are closed, and are not tried again', async () => {
    const { log, store, append } = await full();
    await append(11, 20);
    const { projector } = projectorOn(log, store, [large]);
    const caughtUp = projector.catchUp();
    await expect.poll(() => projector.stalled).not.toBeNull();
    projector.close();
    await expect(caughtUp).rejects.toThrow();
    store.close();
  });
});
