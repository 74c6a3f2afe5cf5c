/**
 * Follows an index build for one reader: its present state, every change, and its end, which ends the sequence. Without
 * a build the sequence is one message.
 *
 * - For a slow reader only the newest progress is kept, and nothing after the end.
 */
import type { BuildProgress, CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddingChoice } from '../../ports/embedder.ts';
import { lastIndexBuild } from '../../projections/code-index.ts';
import type { Views } from '../../projections/views.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import type { Feed } from '../../streams/feed.ts';
import { createSignal } from '../../streams/signal.ts';
import type { IndexProgress } from './progress.ts';
import { indexId } from './request.ts';

export interface FollowParts {
  readonly views: Views;
  readonly feed: Pick<Feed, 'committed$'>;
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

export async function* followBuild(
  parts: FollowParts,
  choice: EmbeddingChoice,
  signal: AbortSignal,
): AsyncGenerator<BuildMessage> {
  const id = indexId(parts.codeIndex.workspace, choice);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const queue = new MessageQueue(presentState(parts, id));
  const unwatch = parts.indexProgress.watch({
    progress: (of, progress) => (of === id ? queue.push({ type: 'building', ...progress }) : undefined),
    over: () => over.abort(),
  });
  const subscription = parts.feed.committed$.subscribe((events) => {
    for (const message of events.flatMap((event) => messageOf(event, id))) queue.push(message);
  });
  try {
    while (!until.aborted) {
      const message = queue.shift();
      if (message === undefined) {
        await queue.pushed.wait(until);
        continue;
      }
      yield message;
      if (message.type !== 'building') return;
    }
  } finally {
    unwatch();
    subscription.unsubscribe();
  }
}

class MessageQueue {
  readonly pushed = createSignal();
  readonly #messages: BuildMessage[];

  constructor(first: BuildMessage) {
    this.#messages = [first];
  }

  push(message: BuildMessage): void {
    const last = this.#messages.at(-1);
    if (last?.type === 'building' && message.type === 'building') this.#messages[this.#messages.length - 1] = message;
    else if (last === undefined || last.type === 'building') this.#messages.push(message);
    this.pushed.notify();
  }

  shift(): BuildMessage | undefined {
    return this.#messages.shift();
  }
}

function messageOf(event: RecordedEvent, id: string): readonly BuildMessage[] {
  const message = event.stream === `index-${id}` ? MESSAGES[event.type]?.(event.data as never) : undefined;
  return message === undefined ? [] : [message];
}

function presentState({ views, indexProgress }: FollowParts, id: string): BuildMessage {
  if (lastIndexBuild(views, id)?.state !== 'building') return { type: 'idle' };
  return { type: 'building', ...indexProgress.of(id) };
}
