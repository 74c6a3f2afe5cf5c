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
import type { BuildProgress, CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { lastIndexBuild } from '../../projections/code-index.ts';
import type { Views } from '../../projections/views.ts';
import type { IndexProgress } from '../../reactors/code-index/progress.ts';
import { indexId } from '../../reactors/code-index/request-build.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import { latestOnDemand } from '../../streams/pull.ts';
import { frameSource, messageBytes, type SseSource } from '../server/sse.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly committed: CommittedEvents;
  readonly codeIndex: CodeIndexPort;
  readonly indexProgress: IndexProgress;
}

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

export function indexStream(deps: Dependencies, choice: EmbeddingChoice): SseSource {
  const id = indexId(deps, choice);
  return frameSource((demand$) =>
    newsOf(deps, id).pipe(
      map((news) => messageBytes({ data: JSON.stringify(news) })),
      catchError((error: Error) => of(messageBytes({ event: 'error', data: error.message }))),
      latestOnDemand(demand$),
      map((bytes) => ({ bytes })),
    ),
  );
}

function newsOf(deps: Dependencies, id: string): Observable<News> {
  const { reported$ } = deps.indexProgress;
  const progress$ = reported$.pipe(
    filter((report) => report.id === id),
    map(({ progress }): News => ({ type: 'building', ...progress })),
  );
  const recorded$ = deps.committed.appended$.pipe(
    select({ stream: `index-${id}`, types: Object.keys(TYPES) }),
    mergeMap((events) => events.map(({ type, data }) => TYPES[type]!(data as never))),
  );
  const stopping$ = reported$.pipe(ignoreElements(), endWith(null));
  const newest$ = defer(() => of(now(deps, id)));
  return merge(newest$, progress$, recorded$).pipe(
    takeWhile(({ type }) => type === 'building', true),
    takeUntil(stopping$),
  );
}

function now(deps: Dependencies, id: string): News {
  if (lastIndexBuild(deps.views, id)?.state !== 'building') return { type: 'idle' };
  return { type: 'building', ...deps.indexProgress.of(id) };
}
