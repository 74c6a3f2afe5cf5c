/** A request for a build that meets the build of a daemon that was killed, before that build is recorded as broken off. */
import { fromEventPattern } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { indexBuild } from '../../src/commands/code-index.ts';
import type { IndexOutcome } from '../../src/events/code-index.ts';
import { systemIds } from '../../src/integrations/system.ts';
import { createCommandHandler, openEventLog } from '../../src/kernel.ts';
import type { CodeIndexPort } from '../../src/ports/code-index.ts';
import { createIndexProgress } from '../../src/reactors/code-index/progress.ts';
import { buildIndex, indexId } from '../../src/reactors/code-index/request.ts';
import type { RecordedEvent } from '../../src/storage/event-log.ts';

const outcome: IndexOutcome = {
  ...{ chunks: 2, files: 1, dimension: 3, path: '/i', embedded: 2, reused: 0, skipped: {}, notes: [] },
};
const choice = { provider: 'local', model: 'm' } as const;
const id = indexId('/w', choice);
const target = { workspace: '/w', ...choice, dimensions: null };
const codeIndex: CodeIndexPort = {
  workspace: '/w',
  list: async () => ({ available: [], unusable: [] }),
  verify: async () => ({ available: [], unusable: [] }),
  build: () => Promise.reject(new Error('This test builds nothing.')),
  search: async () => [],
  close: async () => undefined,
};

async function requests() {
  const log = await openEventLog();
  onTestFinished(() => log.close());
  const { dispatch, load } = createCommandHandler({ log });
  const appended$ = fromEventPattern<readonly RecordedEvent[]>(
    (listener) => log.onAppended(listener),
    (_, unsubscribe: () => void) => unsubscribe(),
  );
  const parts = { ids: systemIds, committed: { appended$ }, codeIndex, indexProgress: createIndexProgress() };
  return {
    dispatch,
    building: () => load(indexBuild, id).building?.build,
    build: () => buildIndex(parts, choice, (of, command) => dispatch(indexBuild, of, command)),
  };
}

it('begins a build of its own when that one is recorded as interrupted', async () => {
  const { build, building, dispatch } = await requests();
  await dispatch(indexBuild, id, { type: 'RequestIndexBuild', build: 'of the killed daemon', target });
  const built = build();
  await dispatch(indexBuild, id, { type: 'AbandonIndexBuild', reason: 'interrupted', message: 'restarted' });
  await expect.poll(building).not.toBeUndefined();
  await dispatch(indexBuild, id, { type: 'CompleteIndexBuild', build: building()!, outcome });
  expect(await built).toEqual(outcome);
});

it('is refused when its own build is interrupted, or the joined one fails', async () => {
  const { build, building, dispatch } = await requests();
  const own = expect(build()).rejects.toMatchObject({ refusal: { kind: 'unavailable' } });
  await expect.poll(building).not.toBeUndefined();
  await dispatch(indexBuild, id, { type: 'AbandonIndexBuild', reason: 'interrupted', message: 'restarted' });
  await own;
  await dispatch(indexBuild, id, { type: 'RequestIndexBuild', build: 'of another request', target });
  const joined = expect(build()).rejects.toMatchObject({ refusal: { kind: 'failed' } });
  await dispatch(indexBuild, id, { type: 'AbandonIndexBuild', reason: 'failed', message: 'no room' });
  await joined;
});
