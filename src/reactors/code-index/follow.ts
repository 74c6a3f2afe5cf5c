/**
 * Follows an index build: its present state, every change, and its end, which completes the sequence. Without a build,
 * the sequence is one message.
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
import { z } from 'zod';
import { type IndexBuildEvent, indexBuildEvents, zIndexOutcome } from '../../events/code-index.ts';
import { decodeEvents } from '../../events/decode.ts';
import { type CodeIndexPort, zBuildProgress } from '../../ports/code-index.ts';
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

export const zBuildMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('idle').describe('No build is under way.') }),
  z.object({ type: z.literal('building').describe('A build is under way.'), ...zBuildProgress.partial().shape }),
  z.object({
    type: z.literal('built').describe('The build has ended.'),
    ...zIndexOutcome.pick({ chunks: true, files: true, notes: true }).shape,
  }),
  z.object({
    type: z.literal('failed').describe('The build has failed.'),
    message: z.string().describe('Why, in one sentence.'),
  }),
]);
z.globalRegistry.add(zBuildMessage, { id: 'BuildMessage' });
export type BuildMessage = z.infer<typeof zBuildMessage>;

export interface BuildNews {
  readonly message: BuildMessage;
  /** Set on the message that ends the sequence: the id of the ended build, or `none`. */
  readonly ended?: string;
}

function newsOf({ type, data }: IndexBuildEvent): BuildNews {
  switch (type) {
    case 'IndexBuildRequested':
      return { message: { type: 'building' } };
    case 'IndexBuilt': {
      const { chunks, files, notes } = data.outcome;
      return { message: { type: 'built', chunks, files, notes }, ended: data.build };
    }
    case 'IndexBuildFailed':
      return { message: { type: 'failed', message: data.message }, ended: data.build };
  }
}

/** Id of the newest ended build of a model, `none` before the first build, null while a build is under way. */
export function endedBuild({ views, codeIndex }: FollowParts, choice: EmbeddingChoice): string | null {
  return endedOf(views, indexId(codeIndex.workspace, choice));
}

function endedOf(views: Views, id: string): string | null {
  const last = lastIndexBuild(views, id);
  return last?.state === 'building' ? null : (last?.build ?? 'none');
}

/** Completes when the build ends or the daemon stops. */
export function followBuild(
  { views, committed, codeIndex, indexProgress }: FollowParts,
  choice: EmbeddingChoice,
): Observable<BuildNews> {
  const id = indexId(codeIndex.workspace, choice);
  const { reported$ } = indexProgress;
  const progress$ = reported$.pipe(
    filter((report) => report.id === id),
    map(({ progress }): BuildNews => ({ message: { type: 'building', ...progress } })),
  );
  const recorded$ = committed.appended$.pipe(
    select({ stream: `index-${id}` }),
    mergeMap((events) => [...decodeEvents(indexBuildEvents, events)].map(newsOf)),
  );
  const stopping$ = reported$.pipe(ignoreElements(), endWith(null));
  const present$ = defer(() => of(presentState(views, indexProgress, id)));
  return merge(present$, progress$, recorded$).pipe(
    takeWhile(({ message }) => message.type === 'building', true),
    takeUntil(stopping$),
  );
}

function presentState(views: Views, progress: IndexProgress, id: string): BuildNews {
  const ended = endedOf(views, id);
  if (ended !== null) return { message: { type: 'idle' }, ended };
  return { message: { type: 'building', ...progress.of(id) } };
}
