/**
 * Live progress of an index build: where it stands now, every change, and its end, which ends the stream. When nothing
 * is being built, the stream says that and ends.
 *
 * - A client that is slow gets only the newest of what came meanwhile.
 */
import {
  catchError,
  defer,
  endWith,
  filter,
  ignoreElements,
  map,
  merge,
  mergeMap,
  type Observable,
  of,
  takeUntil,
  takeWhile,
} from 'rxjs';
import type { BuildProgress } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import { lastIndexBuild } from '../../projections/code-index.ts';
import { indexId } from '../../reactors/code-index/request-build.ts';
import { select } from '../../streams/operators.ts';
import { latestOnDemand } from '../../streams/pull.ts';
import type { House } from '../house.ts';
import { frameSource, messageBytes, type SseSource } from '../server/sse.ts';

type News =
  | { readonly type: 'idle' }
  | ({ readonly type: 'building' } & Partial<BuildProgress>)
  | { readonly type: 'built'; readonly chunks: number; readonly files: number; readonly notes: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

const TYPES: Readonly<Record<string, (data: never) => News>> = {
  IndexBuildRequested: () => ({ type: 'building' }),
  IndexBuilt: ({ outcome }: { outcome: { chunks: number; files: number; notes: string[] } }) => ({
    type: 'built',
    chunks: outcome.chunks,
    files: outcome.files,
    notes: outcome.notes,
  }),
  IndexBuildFailed: ({ message }: { message: string }) => ({ type: 'failed', message }),
};

export function indexStream(house: House, choice: EmbeddingChoice): SseSource {
  const id = indexId(house, choice);
  return frameSource((demand$) =>
    newsOf(house, id).pipe(
      map((news) => messageBytes({ data: JSON.stringify(news) })),
      catchError((error: Error) => of(messageBytes({ event: 'error', data: error.message }))),
      latestOnDemand(demand$),
      map((bytes) => ({ bytes })),
    ),
  );
}

function newsOf(house: House, id: string): Observable<News> {
  const { reported$ } = house.indexProgress;
  const progress$ = reported$.pipe(
    filter((report) => report.id === id),
    map(({ progress }): News => ({ type: 'building', ...progress })),
  );
  const recorded$ = house.committed.appended$.pipe(
    select({ stream: `index-${id}`, types: Object.keys(TYPES) }),
    mergeMap((events) => events.map(({ type, data }) => TYPES[type]!(data as never))),
  );
  const stopping$ = reported$.pipe(ignoreElements(), endWith(null));
  const newest$ = defer(() => of(now(house, id)));
  return merge(newest$, progress$, recorded$).pipe(
    takeWhile(({ type }) => type === 'building', true),
    takeUntil(stopping$),
  );
}

function now(house: House, id: string): News {
  if (lastIndexBuild(house.views, id)?.state !== 'building') return { type: 'idle' };
  return { type: 'building', ...house.indexProgress.of(id) };
}
