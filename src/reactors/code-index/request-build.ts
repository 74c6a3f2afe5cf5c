/** Asking for an index build and waiting for its end, wherever it was asked for first. */
import { createHash } from 'node:crypto';
import { type IndexBuildCommand, type IndexBuildState, indexBuild } from '../../commands/code-index.ts';
import type { IndexBuildEvent, IndexOutcome, IndexTarget } from '../../events/code-index.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Feed } from '../../streams/feed.ts';
import type { IndexProgress } from './progress.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly ids: IdGenerator;
  readonly feed: Feed;
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
  const ends = watchEnds(deps, id);
  try {
    const { state } = await request(id, {
      type: 'RequestIndexBuild',
      build: deps.ids.uuid(),
      target: targetOf(deps, choice),
    });
    const ended = await ends.of(state.building!.build);
    if (ended.type === 'IndexBuilt') return ended.data.outcome;
    const { reason, message } = ended.data;
    throw new HttpError({ refused: 400, failed: 500, interrupted: 503 }[reason], message);
  } finally {
    ends.stop();
  }
}

function targetOf(deps: Dependencies, { provider, model, dimensions }: EmbeddingChoice): IndexTarget {
  return { workspace: deps.codeIndex.workspace, provider, model, dimensions: dimensions ?? null };
}

/** Listens from before the request, so that no end is missed. */
function watchEnds({ feed, indexProgress }: Dependencies, id: string) {
  const ended = new Map<string, Ended>();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  let heard = (): void => undefined;
  const subscription = feed.committed$.subscribe((events) => {
    for (const event of events) {
      if (event.stream !== `${indexBuild.category}-${id}`) continue;
      if (event.type !== 'IndexBuilt' && event.type !== 'IndexBuildFailed') continue;
      const end = event as unknown as Ended;
      ended.set(end.data.build, end);
      heard();
    }
  });
  const unwatch = indexProgress.watch({
    broke: (of, message) => (of === id ? reject(new HttpError(503, message)) : undefined),
    over: () => reject(new HttpError(503, 'The daemon is stopping; the build was given up.')),
  });
  return {
    async of(build: string): Promise<Ended> {
      while (!ended.has(build)) {
        const next = new Promise<void>((resolve) => {
          heard = resolve;
        });
        await Promise.race([next, lost]);
      }
      return ended.get(build)!;
    },
    stop() {
      subscription.unsubscribe();
      unwatch();
    },
  };
}
