/** Waits until a delivery has its outcome, whoever works on it: this request's review, an earlier one's, or one taken up again. */
import { type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Feed } from '../../streams/feed.ts';
import { REVIEW_MS_MAX } from './review.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly dispatcher: CommandHandler;
  readonly feed: Feed;
}

type Settled = Exclude<DeliveryState, { status: 'none' | 'due' | 'reviewing' }>;

/** Reviews take turns, so one may wait for others before its own time begins. */
const WAIT_MS_MAX = 2 * REVIEW_MS_MAX;

export async function settledDelivery(deps: Dependencies, id: string): Promise<Settled> {
  const now = settled(deps.dispatcher.load(delivery, id));
  if (now !== null) return now;
  const { promise, resolve, reject } = Promise.withResolvers<Settled>();
  const stream = `${delivery.category}-${id}`;
  const subscription = deps.feed.committed$.subscribe({
    next(events) {
      if (!events.some((event) => event.stream === stream)) return;
      const state = settled(deps.dispatcher.load(delivery, id));
      if (state !== null) resolve(state);
    },
    complete: () => reject(new HttpError(503, 'The daemon stops; send the delivery again.', { 'retry-after': '5' })),
  });
  const late = (): void =>
    reject(new HttpError(504, 'The review is still going; send the delivery again for its result.'));
  const timer = setTimeout(late, WAIT_MS_MAX);
  return promise.finally(() => {
    clearTimeout(timer);
    subscription.unsubscribe();
  });
}

function settled(state: DeliveryState): Settled | null {
  return state.status === 'none' || state.status === 'due' || state.status === 'reviewing' ? null : state;
}
