/** Asking for an index build and waiting for its end, wherever it was asked for first. */
import { createHash } from 'node:crypto';
import { concat, filter, firstValueFrom, merge, mergeMap, type Observable, ReplaySubject, throwError } from 'rxjs';
import { type IndexBuildCommand, type IndexBuildState, indexBuild } from '../../commands/code-index.ts';
import type { IndexBuildEvent, IndexOutcome, IndexTarget } from '../../events/code-index.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import type { IndexProgress } from './progress.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly ids: IdGenerator;
  readonly committed: CommittedEvents;
  readonly codeIndex: CodeIndexPort;
  readonly indexProgress: IndexProgress;
}

type Request = (id: string, command: IndexBuildCommand) => Promise<{ readonly state: IndexBuildState }>;
type Ended = Extract<IndexBuildEvent, { type: 'IndexBuilt' | 'IndexBuildFailed' }>;

/** The stream id of an index: `index-<id>`. */
export function indexId(deps: Dependencies, choice: EmbeddingChoice): string {
  const { workspace, provider, model, dimensions } = targetOf(deps, choice);
  const digest = createHash('sha256')
    .update(JSON.stringify([workspace, provider, model, dimensions]))
    .digest('hex');
  return digest.slice(0, 32);
}

/** The outcome of a build that is started now, or of the one that is under way. Throws `HttpError` when it fails. */
export async function buildIndex(deps: Dependencies, choice: EmbeddingChoice, request: Request): Promise<IndexOutcome> {
  const id = indexId(deps, choice);
  // Subscribed before the request, so that no end is missed.
  const ends$ = new ReplaySubject<Ended>();
  const subscription = endsOf(deps, id).subscribe(ends$);
  try {
    const { state } = await request(id, {
      type: 'RequestIndexBuild',
      build: deps.ids.uuid(),
      target: targetOf(deps, choice),
    });
    const ended = await firstValueFrom(ends$.pipe(filter(({ data }) => data.build === state.building!.build)));
    if (ended.type === 'IndexBuilt') return ended.data.outcome;
    const { reason, message } = ended.data;
    throw new HttpError({ refused: 400, failed: 500, interrupted: 503 }[reason], message);
  } finally {
    subscription.unsubscribe();
  }
}

/** Recorded ends of builds of an index; an error when a build stops without one. */
function endsOf({ committed, indexProgress }: Dependencies, id: string): Observable<Ended> {
  const recorded$ = committed.appended$.pipe(
    select({ stream: `${indexBuild.category}-${id}`, types: ['IndexBuilt', 'IndexBuildFailed'] }),
    mergeMap((events) => events as readonly unknown[] as readonly Ended[]),
  );
  const broken$ = indexProgress.broken$.pipe(
    filter((broken) => broken.id === id),
    mergeMap(({ message }) => throwError(() => new HttpError(503, message))),
  );
  const stopping$ = throwError(() => new HttpError(503, 'The daemon is stopping; the build was given up.'));
  return merge(recorded$, concat(broken$, stopping$));
}

function targetOf(deps: Dependencies, { provider, model, dimensions }: EmbeddingChoice): IndexTarget {
  return { workspace: deps.codeIndex.workspace, provider, model, dimensions: dimensions ?? null };
}
