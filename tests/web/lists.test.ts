/** Lists that are loaded page by page while events arrive: neither takes away what the other brought. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api, type Envelope, type JobRecord } from '../../web/api.ts';
import { pendingAfter } from '../../web/approval.ts';
import { EventList } from '../../web/views/log/list-data.ts';
import { RunList } from '../../web/views/runs/list-data.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const ANY_RUN = { q: '', status: '', provider: '', goal: '', from: '', to: '' };
const ANY_EVENT = { stream: '', type: '', actor: '', correlation: '', from: '', to: '' };
/** Longer than a list waits before it asks again. */
const LATER_MS = 3_000;

function run(number: number, status: JobRecord['status'] = 'running'): JobRecord {
  return {
    ...{ session_id: `r${number}`, task: 'Do it', status, provider: 'p', model: 'm', approval: 'full-auto' },
    ...{
      started_at: number,
      queued_at: number,
      first_started_at: number,
      took_ms: 0,
      finished_at: null,
      summary: null,
      cancellation_reason: null,
    },
    ...{ workspace: '/', tags: [], steps_completed: 0, calls_rejected: 0, tokens_used: 0, files_modified: [] },
    parent_session_id: null,
  };
}

function event(position: number, stream = 'task-a'): Envelope {
  return {
    ...{ position, stream, version: 1, id: `e${position}`, type: 'RunCompleted', schema: 1, at: position },
    ...{ actor: 'owner', correlation: null, causation: null, data: {}, leaf_hash: '' },
  };
}

/** A daemon with runs, the newest first. The answers wait: those of the first page for `top`, of the others for `hold`. */
function runsOf(runs: JobRecord[]): { top: Promise<void>; hold: Promise<void> } {
  const daemon = { top: Promise.resolve(), hold: Promise.resolve() };
  vi.spyOn(api.runs, 'list').mockImplementation(async ({ query: { after, limit = 0 } = {} } = {}) => {
    const begin = after === undefined ? 0 : runs.findIndex(({ session_id }) => session_id === after) + 1;
    const page = runs.slice(begin, begin + limit);
    await (after === undefined ? daemon.top : daemon.hold);
    return page;
  });
  vi.spyOn(api.runs, 'get').mockImplementation(async (id) => runs.find(({ session_id }) => session_id === id)!);
  return daemon;
}

const statuses = ({ items }: RunList) =>
  new Map((items.value ?? []).map(({ session_id, status }) => [session_id, status]));

it('a run that begins while a page of older runs is loaded stays in the list', async () => {
  const runs = Array.from({ length: 150 }, (_, index) => run(150 - index));
  const daemon = runsOf(runs);
  const list = new RunList(ANY_RUN);
  list.more();
  await vi.advanceTimersByTimeAsync(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  daemon.hold = promise;
  list.more();
  runs.unshift(run(151));
  list.hear([event(1, 'run-r151')]);
  await vi.advanceTimersByTimeAsync(LATER_MS);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(list.items.value!.map(({ session_id }) => session_id)).toEqual(runs.map(({ session_id }) => session_id));
});

it('shows the ends of several old runs at once', async () => {
  const runs = Array.from({ length: 150 }, (_, index) => run(150 - index));
  runsOf(runs);
  const list = new RunList(ANY_RUN);
  for (const _ of ['first', 'second']) {
    list.more();
    await vi.advanceTimersByTimeAsync(0);
  }
  for (const number of [1, 2, 3]) runs[150 - number] = run(number, 'failed');
  list.hear([1, 2, 3].map((number) => event(number, `run-r${number}`)));
  await vi.advanceTimersByTimeAsync(5 * LATER_MS);
  expect(['r1', 'r2', 'r3'].map((id) => statuses(list).get(id))).toEqual(['failed', 'failed', 'failed']);
});

it('an older answer that comes last does not take back how a run ended', async () => {
  const runs = [run(1)];
  const daemon = runsOf(runs);
  const list = new RunList(ANY_RUN);
  list.more();
  await vi.advanceTimersByTimeAsync(0);
  const older = Promise.withResolvers<void>();
  daemon.top = older.promise;
  list.hear([event(1, 'run-r1')]);
  await vi.advanceTimersByTimeAsync(LATER_MS);
  daemon.top = Promise.resolve();
  runs[0] = run(1, 'complete');
  list.hear([event(2, 'run-r1')]);
  await vi.advanceTimersByTimeAsync(LATER_MS);
  older.resolve();
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(statuses(list).get('r1')).toBe('complete');
});

it('an event that arrives while a page of older events is loaded stays in the list', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  vi.spyOn(api.log, 'list').mockImplementation(async ({ query: { before = 0, limit = 0 } = {} } = {}) => {
    const newest = Math.min(before - 1, 150);
    if (before <= 150) await promise;
    const events = Array.from({ length: Math.min(limit, newest) }, (_, index) => event(newest - index));
    return { events, next: newest > limit ? newest - limit + 1 : null, head: 150 };
  });
  const list = new EventList(ANY_EVENT);
  list.more();
  await vi.advanceTimersByTimeAsync(0);
  list.more();
  list.hear([event(151)]);
  expect(list.items.value![0]!.position).toBe(151);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(list.items.value!.map(({ position }) => position)).toEqual(Array.from({ length: 151 }, (_, at) => 151 - at));
});

it('an open request for approval keeps its place when the event comes that made it', () => {
  const requested = (id: string, position: number): Envelope => ({
    ...event(position, 'run-r1'),
    ...{ type: 'ApprovalRequested', data: { approval_id: id, call: { name: 'bash', input: {} }, expires_at: 9 } },
  });
  const one = requested('a1', 1);
  const open = [one, requested('a2', 2)].reduce(pendingAfter, []);
  expect(pendingAfter(open, one).map(({ id }) => id)).toEqual(['a1', 'a2']);
});
