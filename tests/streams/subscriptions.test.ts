/** Subscriptions of a real log: selections of events, stored and live, and rows of the views. */
import { NEVER, Subject } from 'rxjs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/commands/run/decide.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { runOutput } from '../../src/projections/run/output.ts';
import { openViews } from '../../src/projections/views.ts';
import { eventTable } from '../../src/resources.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandHandler, createCommandHandler } from '../../src/streams/command-handler.ts';
import { type CommittedEvents, createCommittedEvents } from '../../src/streams/committed-events.ts';
import type { Selection } from '../../src/streams/operators.ts';
import { Projector } from '../../src/streams/projector.ts';
import type { Write } from '../../src/streams/replay-buffer.ts';
import { createSubscriptions, type Subscriptions } from '../../src/streams/subscriptions.ts';
import { runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { steadySystem } from '../support/steady-system.ts';
import { turns } from '../support/turns.ts';
import { NO_PAUSE } from './marbles.ts';

const ORIGIN = { origin: { actor: 'owner', correlation: null } };

let log: EventLog;
let commandHandler: CommandHandler;
let committed: CommittedEvents;
let subscriptions: Subscriptions;
let projector: Projector;
let isStalled: boolean;
let resume: () => void;
let serial: number;
let reports: string[];

beforeEach(async () => {
  log = (await openStorage({ directory: '', ephemeral: true })).log;
  commandHandler = createCommandHandler({ log, ...steadySystem() });
  const views = openViews(null);
  projector = new Projector({
    log,
    store: views,
    projections: [jobs],
    events: eventTable,
    report: () => undefined,
  });
  await projector.catchUp();
  isStalled = false;
  serial = 0;
  /** The projector of views that take no writes as long as the test says so. */
  const stalling = {
    get isFollowing() {
      return !isStalled && projector.isFollowing;
    },
    apply: (events: Parameters<typeof projector.apply>[0]) => (isStalled ? undefined : projector.apply(events)),
    onCaughtUp: (listener: () => void) => {
      projector.onCaughtUp(listener);
      resume = () => {
        isStalled = false;
        projector.apply([...log.readAll({ after: projector.position })]);
        listener();
      };
    },
  };
  committed = createCommittedEvents(log, stalling);
  reports = [];
  subscriptions = createSubscriptions({
    log,
    views,
    committed,
    report: (line) => void reports.push(line),
    pace: NO_PAUSE,
  });
});

async function append(stream: string, ...types: string[]): Promise<void> {
  const events = types.map((type) => {
    serial += 1;
    const id = `00000000-0000-7000-8000-${String(serial).padStart(12, '0')}`;
    return { id, type, schema: 1, at: 1, actor: 'owner', correlation: null, causation: null, data: {} };
  });
  await log.append([{ stream, expectedVersion: 'any', events }]);
}

/** Takes every write. */
function reading(open: (demand$: Subject<void>) => ReturnType<Subscriptions['events']>) {
  const demand$ = new Subject<void>();
  const state = { seqs: [] as number[], isDone: false };
  const erased: number[] = [];
  const subscription = open(demand$).subscribe({
    next(write: Write) {
      state.seqs.push(...write.frames.map(({ seq }) => seq));
      for (const { seq, json } of write.frames) if (JSON.parse(json).erased === true) erased.push(seq);
      demand$.next();
    },
    complete: () => {
      state.isDone = true;
    },
  });
  return { state, erased, leave: () => subscription.unsubscribe() };
}

const follow = (selection: Selection, after = 0) =>
  reading((demand$) => subscriptions.events({ ...selection, after, demand$ })).state;

it('an erased payload is not sent, neither from stored frames nor from published ones', async () => {
  const stored = Array.from({ length: 700 }, () => 'TaskCreated');
  await append('task-a', ...stored);
  const followed = (selection: Selection, after = 0) =>
    reading((demand$) => subscriptions.events({ ...selection, after, demand$ }));
  const before = followed({});
  await turns(30);
  await append('task-b', 'TaskCreated');
  await turns();
  expect([before.state.seqs.length, before.erased]).toEqual([701, []]);
  await log.erase([1, 300, 701]);
  const [all, newest] = [followed({}), followed({ category: 'task' }, 700)];
  await turns(30);
  expect([all.erased, newest.erased]).toEqual([[1, 300, 701], [701]]);
});

describe('selected events, stored and live', () => {
  beforeEach(async () => {
    await append('task-a', 'TaskCreated', 'TaskChanged');
    await append('goal-a', 'GoalCreated');
    await append('task-b', 'TaskCreated');
  });

  it.each([
    { selection: {}, after: 0, history: [1, 2, 3, 4], live: [5, 6, 7, 8] },
    { selection: { category: 'task' }, after: 0, history: [1, 2, 4], live: [5, 7] },
    { selection: { category: 'goal' }, after: 3, history: [], live: [6] },
    { selection: { stream: 'task-a' }, after: 0, history: [1, 2], live: [5] },
    { selection: { stream: 'task-a' }, after: 1, history: [2], live: [5] },
    { selection: { types: ['TaskCreated'] }, after: 0, history: [1, 4], live: [7] },
    { selection: { category: 'task', types: ['TaskChanged'] }, after: 2, history: [], live: [5] },
    { selection: { stream: 'bookmark-a' }, after: 0, history: [], live: [8] },
  ])('$selection after $after', async ({ selection, after, history, live }) => {
    const state = follow(selection, after);
    await turns();
    expect(state.seqs).toEqual(history);
    await append('task-a', 'TaskChanged');
    await append('goal-a', 'GoalChanged');
    await append('task-c', 'TaskCreated');
    await append('bookmark-a', 'BookmarkAdded');
    await turns();
    expect(state.seqs).toEqual([...history, ...live]);
  });

  it('can begin in the middle of a long stream', async () => {
    for (let count = 0; count < 40; count += 1) await append(count % 3 === 0 ? 'task-a' : 'task-z', 'TaskChanged');
    const positions = [...log.readStream('task-a')].map(({ position }) => position);
    for (const after of [0, 1, 5, 6, 20, positions.at(-2)!, positions.at(-1)!, 1_000]) {
      const state = follow({ stream: 'task-a' }, after);
      await turns();
      expect(state.seqs).toEqual(positions.filter((position) => position > after));
    }
  });

  it('close completes subscriptions after their stored events, later ones too', async () => {
    const early = follow({});
    subscriptions.close();
    const late = follow({ category: 'task' });
    await turns();
    expect([early, late]).toEqual([
      { seqs: [1, 2, 3, 4], isDone: true },
      { seqs: [1, 2, 4], isDone: true },
    ]);
  });

  it('a subscription that fails ends with the error, which is reported; others go on', async () => {
    const readStream = vi.spyOn(log, 'readStream').mockImplementation(() => {
      throw new Error('a broken page');
    });
    const broken = vi.fn();
    const failing$ = subscriptions.events({ stream: 'task-a', after: 0, demand$: NEVER });
    failing$.subscribe({ error: ({ message }: Error) => broken(message) });
    const state = follow({ category: 'task' });
    await turns();
    expect(broken.mock.calls).toEqual([['a broken page']]);
    expect(reports).toEqual(['The subscription of events {"stream":"task-a"} failed: a broken page']);
    expect(state.seqs).toEqual([1, 2, 4]);
    readStream.mockRestore();
  });

  it('come while the views are stalled', async () => {
    const state = follow({}, 4);
    isStalled = true;
    await append('task-a', 'TaskChanged');
    await turns();
    expect(state.seqs).toEqual([5]);
  });
});

describe('the output of a run', () => {
  const output = () => reading((demand$) => subscriptions.rows(runOutput, 'a', { after: 0, demand$ }));

  it('waits for the views, and ends with the run', async () => {
    const command = { type: 'RequestRun', request: request(), notes: [], fork: null } as const;
    await commandHandler.dispatch(run, 'a', command, ORIGIN);
    const { state } = output();
    await turns();
    const before = [...state.seqs];
    isStalled = true;
    await commandHandler.dispatch(run, 'a', { type: 'CancelRun', reason: 'enough' }, ORIGIN);
    await turns();
    expect(state).toEqual({ seqs: before, isDone: false });
    resume();
    await turns();
    expect(state.isDone).toBe(true);
    const { state: later } = output();
    await turns();
    expect(later).toEqual({ seqs: state.seqs, isDone: true });
  });

  it('ends with the run also when the run ends while the views are rebuilt', async () => {
    const command = { type: 'RequestRun', request: request(), notes: [], fork: null } as const;
    await commandHandler.dispatch(run, 'a', command, ORIGIN);
    // The catch-up folds 2 000 events a batch: these are three batches.
    await append('thing-a', ...Array<string>(4_000).fill('ThingHappened'));
    const { state } = output();
    await turns();
    expect(state.isDone).toBe(false);
    let cancelled: Promise<unknown> | undefined;
    await projector.rebuild(() => {
      cancelled ??= commandHandler.dispatch(run, 'a', { type: 'CancelRun', reason: 'enough' }, ORIGIN);
    });
    await cancelled;
    await turns();
    expect(state.isDone).toBe(true);
  });
});
