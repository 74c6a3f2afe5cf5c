/** Waiting until no briefing is being made, so that a client need not ask again and again. */
import type { IncomingMessage } from 'node:http';
import { runningBriefing } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';
import type { Feed } from '../../streams/feed.ts';
import { untilHangUp } from '../server/hang-up.ts';

interface Dependencies {
  readonly views: Views;
  readonly feed: Feed;
}

/** Resolves at once when none is, else at its end, after `ms`, or when the caller or the daemon goes. */
export async function whenEnded(
  { views, feed }: Pick<Dependencies, 'views' | 'feed'>,
  { ms, request }: { readonly ms: number; readonly request: IncomingMessage },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (runningBriefing(views) === undefined) resolve();
  };
  const timer = setTimeout(resolve, ms);
  const subscription = feed.committed$.subscribe({
    next: (events) => {
      if (events.some(({ stream }) => stream.startsWith('briefing-'))) look();
    },
    complete: resolve,
  });
  look();
  try {
    await untilHangUp(request, (signal) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      return promise;
    });
  } finally {
    clearTimeout(timer);
    subscription.unsubscribe();
  }
}
