/** The decider of index builds, the row of the last build, and requests for one. */
import { fromEventPattern } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type IndexBuildCommand, indexBuild } from '../../src/commands/code-index.ts';
import type { IndexBuildEvent, IndexOutcome } from '../../src/events/code-index.ts';
import { createEmbedders } from '../../src/integrations/embedders/embedders.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { createCommandHandler, openEventLog } from '../../src/kernel.ts';
import type { CodeIndexPort } from '../../src/ports/code-index.ts';
import { buildingIndexIds, indexBuilds, lastIndexBuild, newestIndexBuild } from '../../src/projections/code-index.ts';
import { localVector } from '../../src/projections/recall/vector.ts';
import { openViews } from '../../src/projections/views.ts';
import { indexBuilding } from '../../src/reactors/code-index/build.ts';
import { createIndexProgress } from '../../src/reactors/code-index/progress.ts';
import { buildIndex, indexId } from '../../src/reactors/code-index/request.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { RecordedEvent } from '../../src/storage/event-log.ts';
import { LeaseLost } from '../../src/streams/log-refusals.ts';
import { decider } from '../support/given.ts';

const choice = { provider: 'local', model: 'm' } as const;
const target = { workspace: '/w', ...choice, dimensions: null };
const outcome: IndexOutcome = {
  chunks: 2,
  files: 1,
  dimension: 3,
  path: '/i',
  embedded: 2,
  reused: 0,
  skipped: {},
  notes: ['A note.'],
};
const noIndex = { available: [], unusable: [] };
const codeIndex: CodeIndexPort = {
  workspace: '/w',
  list: async () => noIndex,
  verify: async () => noIndex,
  build: () => Promise.reject(new Error('This test builds nothing.')),
  search: async () => [],
  close: async () => undefined,
};
const requested: IndexBuildEvent = { type: 'IndexBuildRequested', data: { build: 'b1', target } };
const built: IndexBuildEvent = { type: 'IndexBuilt', data: { build: 'b1', outcome } };
const failed = (reason: 'failed' | 'interrupted'): IndexBuildEvent => ({
  type: 'IndexBuildFailed',
  data: { build: 'b1', reason, message: 'Why.' },
});

describe('a build', () => {
  const { given } = decider(indexBuild);
  const request = { type: 'RequestIndexBuild', build: 'b2', target } as const;
  const complete = (build: string) => ({ type: 'CompleteIndexBuild', build, outcome }) as const;
  const fail = (build: string) => ({ type: 'FailIndexBuild', build, reason: 'failed', message: 'Why.' }) as const;
  const abandon = { type: 'AbandonIndexBuild', reason: 'interrupted', message: 'Why.' } as const;

  it('begins when it is asked for', () => given().when(request).thenTypes('IndexBuildRequested'));
  it('is joined by requests during it', () => given(requested).when(request).thenNothing());
  it('begins anew after the one before', () => given(requested, built).when(request).thenTypes('IndexBuildRequested'));
  it('begins anew after a failure', () =>
    given(requested, failed('failed')).when(request).thenTypes('IndexBuildRequested'));
  it('ends well', () => given(requested).when(complete('b1')).thenEvents(built));
  it('ends once', () => given(requested, built).when(complete('b1')).thenNothing());
  it('is not ended by another', () => given(requested).when(complete('b9')).thenNothing());
  it('fails', () => given(requested).when(fail('b1')).thenEvents(failed('failed')));
  it('is not failed by another', () => given(requested).when(fail('b9')).thenNothing());
  it('is given up, whichever it is', () => given(requested).when(abandon).thenEvents(failed('interrupted')));
  it('that is not going cannot be given up', () => given(requested, built).when(abandon).thenNothing());

  it('is the one effect that is due, and none when it ended', () => {
    const embedders = createEmbedders({ env: {}, localVector });
    const reactor = indexBuilding({ codeIndex, embedders, clock: systemClock, progress: createIndexProgress() });
    const { fold } = decider(indexBuild);
    expect(reactor.next(fold([requested]))).toMatchObject({ key: 'b1', target });
    expect(reactor.next(fold([requested, built]))).toBeUndefined();
    expect(reactor.next(fold([requested, failed('failed')]))).toBeUndefined();
  });
});

describe('a build that throws', () => {
  const RAW = "ENOSPC: no space left on device, mkdtemp '/home/ada/x'";

  /** What is recorded and what waiting requests are told, when the build and then each command fails so. */
  async function thrown(error: Error, refusal?: Error) {
    const progress = createIndexProgress();
    const told: string[] = [];
    progress.broken$.subscribe(({ message }) => told.push(message));
    const broken = { ...codeIndex, build: () => Promise.reject(error) };
    const embedders = createEmbedders({ env: {}, localVector });
    const reactor = indexBuilding({ codeIndex: broken, embedders, clock: systemClock, progress });
    const sent: string[] = [];
    const scope = {
      ...{ id: 'x', signal: new AbortController().signal, ensureHeld: () => undefined },
      state: () => indexBuild.initial,
      async send(command: IndexBuildCommand) {
        if (refusal !== undefined) throw refusal;
        sent.push(command.type);
        return indexBuild.initial;
      },
    };
    await expect(reactor.perform({ build: 'b1', target }, scope)).rejects.toBe(error);
    return { sent, told };
  }
  const full = new StorageError('STORAGE_FULL', 'The disk is full.');

  it('has a recorded failure, which answers the requests that wait', async () => {
    expect(await thrown(new Error(RAW))).toEqual({ sent: ['AbandonIndexBuild'], told: [] });
  });
  it.each([
    ['while the log takes no writes', full, undefined, 'The disk is full; it goes on when there is room again.'],
    [
      'when its failure waits for the log',
      new Error(RAW),
      full,
      'The disk is full; it goes on when there is room again.',
    ],
    [
      'when its failure cannot be recorded',
      new Error(RAW),
      new Error('bug'),
      'The build failed, and its end cannot be recorded.',
    ],
  ])('%s tells them why, without the text of the error', async (_case, error, refusal, message) => {
    expect(await thrown(error, refusal)).toEqual({ sent: [], told: [message] });
  });
  it('because the lease was lost leaves the answer to the daemon that has it', async () => {
    expect(await thrown(new Error(RAW), new LeaseLost())).toEqual({ sent: [], told: [] });
  });
});

describe('the row of an index', () => {
  const rowAfter = (...events: readonly IndexBuildEvent[]) => {
    const views = openViews(null);
    views.exec(indexBuilds.create);
    for (const [index, event] of events.entries()) {
      const seen = {
        ...event,
        position: index + 1,
        version: index + 1,
        stream: 'index-x',
        at: 100 + index,
        actor: 'a',
      };
      indexBuilds.on[event.type]?.(views, seen);
    }
    return { row: lastIndexBuild(views, 'x'), building: buildingIndexIds(views) };
  };

  it.each<[readonly IndexBuildEvent[], object, readonly string[]]>([
    [[requested], { state: 'building', requested_at: 100, finished_at: null, message: null }, ['x']],
    [[requested, built], { state: 'built', finished_at: 101, message: 'A note.' }, []],
    [[requested, failed('failed')], { state: 'failed', finished_at: 101, message: 'Why.' }, []],
    [[requested, failed('interrupted')], { state: 'interrupted', message: 'Why.' }, []],
    [[requested, built, requested], { state: 'building', requested_at: 102, finished_at: null, message: null }, ['x']],
  ])('after %j', (events, row, building) => {
    const found = rowAfter(...events);
    expect(found.row).toMatchObject(row);
    expect(found.building).toEqual(building);
  });
});

it('the last build of a workspace is the one requested last, of any model, and not one of another workspace', () => {
  const views = openViews(null);
  views.exec(indexBuilds.create);
  let position = 0;
  const request = (id: string, of: { at: number; workspace: string; model: string }): void => {
    const { at, ...named } = of;
    const data = { build: `b-${id}`, target: { ...target, ...named } };
    position += 1;
    const place = { position, version: 1, stream: `index-${id}`, at, actor: 'a' };
    indexBuilds.on.IndexBuildRequested?.(views, { type: 'IndexBuildRequested', data, ...place });
  };
  request('a', { at: 10, workspace: '/w', model: 'old' });
  request('b', { at: 30, workspace: '/w', model: 'middle' });
  // The clock was set back.
  request('c', { at: 20, workspace: '/w', model: 'new' });
  request('d', { at: 40, workspace: '/other', model: 'm' });
  expect(newestIndexBuild(views, '/w')).toMatchObject({ id: 'c', model: 'new', requested_at: 20 });
  expect(newestIndexBuild(views, '/other')).toMatchObject({ id: 'd' });
  expect(newestIndexBuild(views, '/none')).toBeUndefined();
  expect(buildingIndexIds(views)).toEqual(['a', 'b', 'c', 'd']);
});

describe('progress', () => {
  const at = (files_done: number) =>
    ({ phase: 'embedding', files_done, files_total: 9, chunks_done: 0, chunks_embedded: 0 }) as const;

  it('is kept until the build ended, and reported to subscribers until the daemon stops', () => {
    const progress = createIndexProgress();
    const seen: unknown[] = [];
    progress.reported$.subscribe({
      next: ({ id, progress: { files_done } }) => seen.push([id, files_done]),
      complete: () => seen.push('over'),
    });
    progress.broken$.subscribe(({ id, message }) => seen.push([id, message]));
    progress.report('x', at(1));
    progress.report('x', at(2));
    expect(progress.of('x')).toEqual(at(2));
    progress.ended('x');
    expect(progress.of('x')).toBeNull();
    progress.broke('x', 'Why.');
    progress.close();
    progress.report('y', at(1));
    expect(seen).toEqual([['x', 1], ['x', 2], ['x', 'Why.'], 'over']);
  });
});

/** Requests that meet the build of a daemon that was killed, before it is recorded as broken off. */
async function requests() {
  const id = indexId('/w', choice);
  const log = await openEventLog();
  onTestFinished(() => log.close());
  const { dispatch, load } = createCommandHandler({ log });
  const appended$ = fromEventPattern<readonly RecordedEvent[]>(
    (listener) => log.onAppended(listener),
    (_, unsubscribe: () => void) => unsubscribe(),
  );
  const parts = { ids: systemIds, committed: { appended$ }, codeIndex, indexProgress: createIndexProgress() };
  return {
    id,
    dispatch,
    building: () => load(indexBuild, id).building?.build,
    build: () => buildIndex(parts, choice, (of, command) => dispatch(indexBuild, of, command)),
  };
}

it('a request begins a build of its own when that of a killed daemon is recorded as interrupted', async () => {
  const { id, build, building, dispatch } = await requests();
  await dispatch(indexBuild, id, { type: 'RequestIndexBuild', build: 'of the killed daemon', target });
  const built = build();
  await dispatch(indexBuild, id, { type: 'AbandonIndexBuild', reason: 'interrupted', message: 'restarted' });
  await expect.poll(building).not.toBeUndefined();
  await dispatch(indexBuild, id, { type: 'CompleteIndexBuild', build: building()!, outcome });
  expect(await built).toEqual(outcome);
});

it('a request is refused when its own build is interrupted, or the joined one fails', async () => {
  const { id, build, building, dispatch } = await requests();
  const own = expect(build()).rejects.toMatchObject({ refusal: { kind: 'unavailable' } });
  await expect.poll(building).not.toBeUndefined();
  await dispatch(indexBuild, id, { type: 'AbandonIndexBuild', reason: 'interrupted', message: 'restarted' });
  await own;
  await dispatch(indexBuild, id, { type: 'RequestIndexBuild', build: 'of another request', target });
  const joined = expect(build()).rejects.toMatchObject({ refusal: { kind: 'failed' } });
  await dispatch(indexBuild, id, { type: 'AbandonIndexBuild', reason: 'failed', message: 'no room' });
  await joined;
});
