/** Asking for an index build and waiting for its end, wherever it was asked for first. */
import { createHash } from 'node:crypto';
import { concat, filter, firstValueFrom, merge, mergeMap, type Observable, ReplaySubject, throwError } from 'rxjs';
import { type IndexBuildCommand, type IndexBuildState, indexBuild } from '../../commands/code-index.ts';
import type { IndexBuildEvent, IndexOutcome, IndexTarget } from '../../events/code-index.ts';
import type { House } from '../../http/house.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import { select } from '../../streams/operators.ts';

type Request = (id: string, command: IndexBuildCommand) => Promise<{ readonly state: IndexBuildState }>;
type Ended = Extract<IndexBuildEvent, { type: 'IndexBuilt' | 'IndexBuildFailed' }>;

/** The stream id of an index: `index-<id>`. */
export function indexId(house: House, choice: EmbeddingChoice): string {
  const { workspace, provider, model, dimensions } = targetOf(house, choice);
  const digest = createHash('sha256')
    .update(JSON.stringify([workspace, provider, model, dimensions]))
    .digest('hex');
  return digest.slice(0, 32);
}

/** The outcome of a build that is started now, or of the one that is under way. Throws `HttpError` when it fails. */
export async function buildIndex(house: House, choice: EmbeddingChoice, request: Request): Promise<IndexOutcome> {
  const id = indexId(house, choice);
  // Subscribed before the request, so that no end is missed.
  const ends$ = new ReplaySubject<Ended>();
  const subscription = endsOf(house, id).subscribe(ends$);
  try {
    const { state } = await request(id, {
      type: 'RequestIndexBuild',
      build: house.ambient.uuid(),
      target: targetOf(house, choice),
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
function endsOf({ committed, indexProgress }: House, id: string): Observable<Ended> {
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

function targetOf(house: House, { provider, model, dimensions }: EmbeddingChoice): IndexTarget {
  return { workspace: house.codeIndex.workspace, provider, model, dimensions: dimensions ?? null };
}
