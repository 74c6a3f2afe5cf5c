/** Past states: `at` equals the views of that time, whatever was asked before, and its cost is bounded. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allGoals } from '../../src/http/goal/schemas.ts';
import { sessionDocument } from '../../src/http/run/session-document.ts';
import { configuredConnectors, connectors } from '../../src/projections/connector.ts';
import { goalLinks, goalRow, goals, goalsJson, pinIn } from '../../src/projections/goal.ts';
import { factRows } from '../../src/projections/memory/facts.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { job, jobIds, jobJson } from '../../src/projections/run/job-rows.ts';
import { openViews, type Views, type ViewsStore } from '../../src/projections/views.ts';
import { type PastScope, PastViews } from '../../src/queries/as-of/past-views.ts';
import { goalTree } from '../../src/queries/goal/tree.ts';
import { ofRun, pastJob, pastJobIds } from '../../src/queries/run/past-jobs.ts';
import { eventTable, resources } from '../../src/resources.ts';
import type { EventLog, Json, NewEvent, ReadOptions, RecordedEvent } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { Projector } from '../../src/streams/projector.ts';
import { moves } from '../../src/testing/moves.ts';
import { event, to } from '../storage/log-helpers.ts';
import { byDepth } from '../support/depth.ts';
import { play } from '../support/play.ts';
import { replacing } from '../support/replacing.ts';
import { steadySystem } from '../support/steady-system.ts';

const EVER = new AbortController().signal;
const RUNS = ['r1', 'r2'];

/** The questions that `?at=` answers by folding, each with what it is folded from. */
const QUESTIONS: readonly (PastScope & { readonly query: (views: Views) => unknown })[] = [
  { ...allGoals, query: (views) => goalsJson(views, { limit: 50 }) },
  { ...allGoals, query: (views) => [pinIn(views, null), pinIn(views, '/work')] },
  { ...allGoals, query: (views) => (goalRow(views, 'g1') === undefined ? null : goalTree(views, 'g1', 3)) },
  { projection: goals, stream: 'goal-g1', query: (views) => [goalRow(views, 'g1'), goalLinks(views, 'g1')] },
  {
    projection: memory,
    categories: ['fact'],
    query: (views) => factRows(views, { limit: 50, offset: 0 }),
  },
  {
    projection: connectors,
    categories: ['connector'],
    query: (views) => ['/work', '/other'].map((workspace) => configuredConnectors(views, workspace)),
  },
  ...RUNS.map((id) => ({
    ...ofRun(id),
    query: (views: Views) => {
      const row = job(views, id);
      return row && sessionDocument(views, row, 0).markup;
    },
  })),
];

async function emptyLog(): Promise<EventLog> {
  return (await openStorage({ directory: '', ephemeral: true })).log;
}

function projectorOn(log: EventLog, store: ViewsStore): Projector {
  const projections = resources.flatMap((resource) => resource.projections);
  return new Projector({ log, store, projections, events: eventTable, report: fail });
}

function fail(line: string): never {
  throw new Error(line);
}

const jobsOf = (views: Views) =>
  Array.fromAsync(jobIds(views), (id) => ({ row: job(views, id), json: jobJson(views, id) }));

/** What the views answer now, after each event. */
async function answersNow(views: Views): Promise<unknown> {
  return { questions: QUESTIONS.map(({ query }) => query(views)), jobs: await jobsOf(views) };
}

async function answersThen(log: EventLog, views: Views, { past, at }: { past: PastViews; at: string }) {
  const moment = await past.moment(at);
  const found = await Promise.all(QUESTIONS.map(({ query, ...scope }) => past.read(moment, scope, query)));
  const sources = { log, views, past };
  const ids = await pastJobIds(sources, moment, { signal: EVER });
  const then = await Promise.all(ids.map((id) => pastJob(sources, id, { moment, signal: EVER })));
  const asOf = [...found, ...then].map((each) => each.asOf.position);
  expect(Math.max(0, ...asOf)).toBeLessThanOrEqual(moment.position);
  return { questions: found.map(({ result }) => result), jobs: then.map(({ result }) => result) };
}

describe('`at`', () => {
  it('equals the views at that time, at every position, in any order of asking', async () => {
    const kinds = ['run', 'goal', 'goalPins', 'fact', 'connector'];
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(moves(70, kinds), fc.infiniteStream(fc.nat()), async (...drawn) => {
        const [history, picks] = drawn;
        const log = await emptyLog();
        const commandHandler = createCommandHandler({ log, ...steadySystem() });
        await play(commandHandler, history);
        const views = openViews(null);
        const seen = await answersAtEachPosition(log, views);
        const past = new PastViews({ log, events: eventTable });
        const positions = [...seen.keys()];
        for (const pick of picks) {
          if (positions.length === 0 || seen.size - positions.length === 12) break;
          const [position] = positions.splice(pick % positions.length, 1);
          expect(await answersThen(log, views, { past, at: `${position}` })).toEqual(seen.get(position!));
          compared += 1;
        }
      }),
      { numRuns: byDepth({ sample: 12, dense: 30 }) },
    );
    expect(compared).toBeGreaterThan(40);
  });

  it('says that an empty log has no positions', async () => {
    const past = new PastViews({ log: await emptyLog(), events: eventTable });
    await expect(past.moment('1')).rejects.toThrow('at: must be a position of the log, which is empty, or an RFC 3339');
  });
});

/** Folds the log into the views one event at a time, and notes what they answer after each. */
async function answersAtEachPosition(log: EventLog, views: ViewsStore): Promise<ReadonlyMap<number, unknown>> {
  // Makes the tables.
  await projectorOn(await emptyLog(), views).catchUp();
  const projector = projectorOn(log, views);
  const seen = new Map<number, unknown>();
  for (const event of log.readAll()) {
    projector.apply([event]);
    seen.set(event.position, await answersNow(views));
  }
  return seen;
}

/** A log with goals `g1` to `g<count>`, a second apart, and with an event of another category after each. */
async function goalLog(count: number): Promise<EventLog> {
  const log = await emptyLog();
  const fields = { workspace: null, statement: '', success_criteria: [], tags: [], parent_goal_id: null };
  const appends = Array.from({ length: count }, (_, index) => index + 1).flatMap((n) => [
    to(`goal-g${n}`, [stored(2 * n - 1, 'GoalCreated', { ...fields, title: `t${n}` })]),
    to('thing-1', [stored(2 * n)]),
  ]);
  await log.append(appends);
  return log;
}

function stored(number: number, type = 'ThingHappened', data: Json = {}): NewEvent {
  return { ...event(number, data), type, at: number * 1_000 };
}

const count = (views: Views): number => goalsJson(views, { limit: 10_000 }).length;

/** The number of goals at each moment, asked one after the other. */
async function counts(past: PastViews, moments: readonly (number | string)[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const at of moments) found.push((await past.read(await past.moment(`${at}`), allGoals, count)).result);
  return found;
}

describe('a moment', () => {
  it('is a position with its own event, or a time with the events of its millisecond', async () => {
    const past = new PastViews({ log: await goalLog(3), events: eventTable });
    expect(await counts(past, [1, 2, 3, 6])).toEqual([1, 1, 2, 3]);
    const times = [999, 1_000, 2_999, 3_000, 9_000].map((ms) => new Date(ms).toISOString());
    expect(await counts(past, times)).toEqual([0, 1, 1, 2, 3]);
    for (const at of ['0', '7', '', 'now', '1.5', '-1'])
      await expect(past.moment(at)).rejects.toThrow('must be a position');
  });

  it('of a time ends with the newest event that is not later, over any number of events and clocks set back', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(times, fc.constantFrom(1, 200), async (seconds, repeat) => {
        const log = await emptyLog();
        const all = seconds.flatMap((second) => Array.from({ length: repeat }, () => second * 1_000));
        for (let at = 0; at < all.length; at += 1_000) {
          const events = all.slice(at, at + 1_000).map((ms, index) => ({ ...stored(at + index + 1), at: ms }));
          await log.append([to('thing-1', events)]);
        }
        const past = new PastViews({ log, events: eventTable });
        for (const second of [3, 0, 5, 2, 4, 1]) {
          const { position } = await past.moment(new Date(second * 1_000).toISOString());
          expect(position).toBe(all.findLastIndex((ms) => ms <= second * 1_000) + 1);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('has the newest included event of what was asked for in as_of', async () => {
    const log = await goalLog(3);
    const past = new PastViews({ log, events: eventTable });
    const asOf = async (at: string, scope: PastScope) => (await past.read(await past.moment(at), scope, () => 0)).asOf;
    const one = { projection: goals, stream: 'goal-g2' };
    const { leafHash } = log.at(3)!;
    expect(await asOf('4', allGoals)).toEqual({ asked: '4', position: 3, at: 3_000, leaf_hash: leafHash });
    expect(await asOf('6', one)).toEqual({ asked: '6', position: 3, at: 3_000, leaf_hash: leafHash });
    expect(await asOf('2', one)).toEqual({ asked: '2', position: 0, at: null, leaf_hash: null });
  });
});

describe('the cost of a past state', () => {
  it('is the events of its categories, folded once for moments that ascend', async () => {
    const log = await goalLog(40);
    const read: number[] = [];
    const readAll = function* (options?: ReadOptions): IterableIterator<RecordedEvent> {
      for (const each of log.readAll(options)) {
        read.push(each.position);
        yield each;
      }
    };
    const past = new PastViews({ log: replacing(log, { readAll }), events: eventTable });
    expect(await counts(past, [11, 41, 41, 79])).toEqual([6, 21, 21, 40]);
    expect(read).toEqual(Array.from({ length: 40 }, (_, n) => 2 * n + 1));
    expect(await counts(past, [5])).toEqual([3]);
    expect(read.slice(40)).toEqual([1, 3, 5]);
  });

  it('is bounded in time: a fold that takes too long is refused, and goes on when it is asked again', async () => {
    const past = new PastViews({ log: await goalLog(1_500), events: eventTable, foldMsMax: 0 });
    let refusals = 0;
    let found: number | undefined;
    while (found === undefined) {
      found = await counts(past, [3_000]).then(
        ([goalCount]) => goalCount,
        (error: Error) => {
          expect(error.message).toMatch(/^The state at that time is being folded, at position \d+ of 3000 now/);
          refusals += 1;
          return undefined;
        },
      );
    }
    expect(found).toBe(1_500);
    expect(refusals).toBeGreaterThan(0);
  });

  it('is bounded in questions at a time', async () => {
    const past = new PastViews({ log: await goalLog(2), events: eventTable });
    const asked = await Promise.allSettled(Array.from({ length: 80 }, () => counts(past, [4])));
    const refused = asked.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(80 - 68);
    expect(await counts(past, [4])).toEqual([2]);
  });
});

it('an erased payload is in no past state, also when the state was folded before', async () => {
  const log = await goalLog(3);
  const past = new PastViews({ log, events: eventTable });
  expect(await counts(past, [6])).toEqual([3]);
  await log.erase([3]);
  expect(await counts(past, [6])).toEqual([2]);
});
