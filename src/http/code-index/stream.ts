/**
 * Live progress of an index build as messages for one reader: where it stands now, every change, and its end, which
 * ends the stream. When nothing is being built, that is all there is to say.
 *
 * - Of progress only the newest is kept for a reader that is slow, and nothing after the end.
 */
import type { EventMessage } from 'fastify-sse-v2';
import type { BuildProgress, CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { lastIndexBuild } from '../../projections/code-index.ts';
import type { Views } from '../../projections/views.ts';
import type { IndexProgress } from '../../reactors/code-index/progress.ts';
import { indexId } from '../../reactors/code-index/request-build.ts';
import type { Feed } from '../../streams/feed.ts';
import { messageSource, type SseSource } from '../server/sse.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly feed: Feed;
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
  return messageSource(
    (signal) => messages(deps, { id, signal }),
    (error) => ({ event: 'error', data: (error as Error).message }),
  );
}

async function* messages(
  deps: Dependencies,
  { id, signal }: { id: string; signal: AbortSignal },
): AsyncGenerator<EventMessage> {
  const waiting: News[] = [now(deps, id)];
  let wake = (): void => undefined;
  let isOver = false;
  const push = (news: News): void => {
    const last = waiting.at(-1);
    if (last?.type === 'building' && news.type === 'building') waiting[waiting.length - 1] = news;
    else if (last === undefined || last.type === 'building') waiting.push(news);
    wake();
  };
  const end = (): void => {
    isOver = true;
    wake();
  };
  const unwatch = deps.indexProgress.watch({
    progress: (of, progress) => (of === id ? push({ type: 'building', ...progress }) : undefined),
    over: end,
  });
  const subscription = deps.feed.committed$.subscribe((events) => {
    for (const event of events) {
      const news = event.stream === `index-${id}` ? TYPES[event.type]?.(event.data as never) : undefined;
      if (news !== undefined) push(news);
    }
  });
  signal.addEventListener('abort', end, { once: true });
  try {
    while (!isOver) {
      const news = waiting.shift();
      if (news !== undefined) {
        yield { data: JSON.stringify(news) };
        if (news.type !== 'building') return;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unwatch();
    subscription.unsubscribe();
  }
}

function now(deps: Dependencies, id: string): News {
  if (lastIndexBuild(deps.views, id)?.state !== 'building') return { type: 'idle' };
  return { type: 'building', ...deps.indexProgress.of(id) };
}
