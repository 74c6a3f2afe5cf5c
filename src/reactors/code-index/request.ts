/** Requests an index build and waits for its end; joins the build that is under way. */
import { hash } from 'node:crypto';
import { concat, filter, firstValueFrom, merge, mergeMap, type Observable, ReplaySubject, throwError } from 'rxjs';
import { type IndexBuildCommand, type IndexBuildState, indexBuild } from '../../commands/code-index.ts';
import { type RefusalKind, refused } from '../../commands/refusal.ts';
import type { IndexBuildEvent, IndexOutcome, IndexTarget } from '../../events/code-index.ts';
import { type CodeIndexPort, IndexError, type SearchHit, type SearchRequest } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import type { IndexProgress } from './progress.ts';

export interface BuildRequestParts {
  readonly ids: IdGenerator;
  readonly committed: Pick<CommittedEvents, 'appended$'>;
  readonly codeIndex: CodeIndexPort;
  readonly indexProgress: IndexProgress;
}

/** Dispatches a command of an index build on the caller's behalf. */
export type DispatchBuild = (id: string, command: IndexBuildCommand) => Promise<{ readonly state: IndexBuildState }>;

type BuildEnd = Extract<IndexBuildEvent, { type: 'IndexBuilt' | 'IndexBuildFailed' }>;
type FailureReason = Extract<BuildEnd, { type: 'IndexBuildFailed' }>['data']['reason'];

const REFUSAL_KINDS: Readonly<Record<FailureReason, RefusalKind>> = {
  refused: 'invalid',
  failed: 'failed',
  interrupted: 'unavailable',
};

/** The id of an index; its stream is `index-<id>`. */
export function indexId(workspace: string, choice: EmbeddingChoice): string {
  const { provider, model, dimensions } = targetOf(workspace, choice);
  const digest = hash('sha256', JSON.stringify([workspace, provider, model, dimensions]));
  return digest.slice(0, 32);
}

/**
 * The outcome of the build in progress, or of a new one. Rejects with a refusal when it fails. A build in progress that
 * turns out to be left over from a daemon that ended is followed by a new one.
 */
export async function buildIndex(
  parts: BuildRequestParts,
  choice: EmbeddingChoice,
  dispatch: DispatchBuild,
): Promise<IndexOutcome> {
  const { end, isOwn } = await endOfBuild(parts, choice, dispatch);
  const isLeftOver = !isOwn && end.type === 'IndexBuildFailed' && end.data.reason === 'interrupted';
  return outcomeOf(isLeftOver ? (await endOfBuild(parts, choice, dispatch)).end : end);
}

function outcomeOf(end: BuildEnd): IndexOutcome {
  if (end.type === 'IndexBuilt') return end.data.outcome;
  throw refused(REFUSAL_KINDS[end.data.reason], end.data.message);
}

/** The end of the build in progress, or of a new one. */
async function endOfBuild(
  parts: BuildRequestParts,
  choice: EmbeddingChoice,
  dispatch: DispatchBuild,
): Promise<{ readonly end: BuildEnd; readonly isOwn: boolean }> {
  const { ids, codeIndex } = parts;
  const id = indexId(codeIndex.workspace, choice);
  // Subscribed before the request, so that no end is missed.
  const ends$ = new ReplaySubject<BuildEnd>();
  const subscription = endsOf(parts, id).subscribe(ends$);
  try {
    const target = targetOf(codeIndex.workspace, choice);
    const own = ids.uuid();
    const { state } = await dispatch(id, { type: 'RequestIndexBuild', build: own, target });
    const { build } = state.building!;
    const end = await firstValueFrom(ends$.pipe(filter(({ data }) => data.build === build)));
    return { end, isOwn: build === own };
  } finally {
    subscription.unsubscribe();
  }
}

export interface IndexSearchParts extends BuildRequestParts {
  announce(line: string): void;
}

export interface IndexSearch extends SearchRequest {
  readonly choice: EmbeddingChoice;
}

/** Searches the index. An index that is damaged or of another version is built again first, with a note. */
export async function searchIndex(
  parts: IndexSearchParts,
  search: IndexSearch,
  dispatch: DispatchBuild,
): Promise<{ readonly results: readonly SearchHit[]; readonly notes: readonly string[] }> {
  const { codeIndex, announce } = parts;
  try {
    return { results: await codeIndex.search(search), notes: [] };
  } catch (error) {
    if (!(error instanceof IndexError) || error.reason !== 'unusable') throw error;
    announce(`${error.message} It is built anew.`);
    await buildIndex(parts, search.choice, dispatch);
    return { results: await codeIndex.search(search), notes: [`${error.message} It was built anew.`] };
  }
}

function targetOf(workspace: string, { provider, model, dimensions }: EmbeddingChoice): IndexTarget {
  return { workspace, provider, model, dimensions: dimensions ?? null };
}

/** The recorded ends of builds of an index. Fails when a build stops without one, or when the daemon stops. */
function endsOf({ committed, indexProgress }: BuildRequestParts, id: string): Observable<BuildEnd> {
  const recorded$ = committed.appended$.pipe(
    select({ stream: `${indexBuild.category}-${id}`, types: ['IndexBuilt', 'IndexBuildFailed'] }),
    mergeMap((events) => events as readonly unknown[] as readonly BuildEnd[]),
  );
  const broken$ = indexProgress.broken$.pipe(
    filter((broken) => broken.id === id),
    mergeMap(({ message }) => throwError(() => refused('unavailable', message))),
  );
  const stopping$ = throwError(() => refused('unavailable', 'The daemon is stopping; the build was given up.'));
  return merge(recorded$, concat(broken$, stopping$));
}
