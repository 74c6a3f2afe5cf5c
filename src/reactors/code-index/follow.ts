/**
 * Follows an index build: its present state, every change, and its end, which ends the sequence. Without a build the
 * sequence is one message.
 */
import {
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
import { lastIndexBuild } from '../../projections/code-index.ts';
import type { Views } from '../../projections/views.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import type { IndexProgress } from './progress.ts';
import { indexId } from './request.ts';

export interface FollowParts {
  readonly views: Views;
  readonly committed: Pick<CommittedEvents, 'appended$'>;
  readonly codeIndex: Pick<CodeIndexPort, 'workspace'>;
  readonly indexProgress: IndexProgress;
}

export type BuildMessage =
  | { readonly type: 'idle' }
  | ({ readonly type: 'building' } & Partial<BuildProgress>)
  | { readonly type: 'built'; readonly chunks: number; readonly files: number; readonly notes: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

const MESSAGES: Readonly<Record<string, (data: never) => BuildMessage>> = {
  IndexBuildRequested: () => ({ type: 'building' }),
  IndexBuilt: ({ outcome }: { outcome: { chunks: number; files: number; notes: string[] } }) => ({
    type: 'built',
    chunks: outcome.chunks,
    files: outcome.files,
    notes: outcome.notes,
  }),
  IndexBuildFailed: ({ message }: { message: string }) => ({ type: 'failed', message }),
};

/** Completes with the end of the build, or when the daemon stops. */
export function followBuild(
  { views, committed, codeIndex, indexProgress }: FollowParts,
  choice: EmbeddingChoice,
): Observable<BuildMessage> {
  const id = indexId(codeIndex.workspace, choice);
  const { reported$ } = indexProgress;
  const progress$ = reported$.pipe(
    filter((report) => report.id === id),
    map(({ progress }): BuildMessage => ({ type: 'building', ...progress })),
  );
  const recorded$ = committed.appended$.pipe(
    select({ stream: `index-${id}`, types: Object.keys(MESSAGES) }),
    mergeMap((events) => events.map(({ type, data }) => MESSAGES[type]!(data as never))),
  );
  const stopping$ = reported$.pipe(ignoreElements(), endWith(null));
  const present$ = defer(() => of(presentState(views, indexProgress, id)));
  return merge(present$, progress$, recorded$).pipe(
    takeWhile(({ type }) => type === 'building', true),
    takeUntil(stopping$),
  );
}

function presentState(views: Views, progress: IndexProgress, id: string): BuildMessage {
  if (lastIndexBuild(views, id)?.state !== 'building') return { type: 'idle' };
  return { type: 'building', ...progress.of(id) };
}
