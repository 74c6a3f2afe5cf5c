/** Waits for the outcome of a delivery, from the review of this request, of an earlier one, or of a resumed one. */

import { refused } from '../../commands/refusal.ts';
import { type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import type { Dispatcher } from '../../streams/dispatch.ts';
import type { Feed } from '../../streams/feed.ts';
import { REVIEW_MS_MAX } from './review.ts';

interface Dependencies {
  readonly dispatcher: Dispatcher;
  readonly feed: Feed;
}

type Settled = Exclude<DeliveryState, { status: 'none' | 'due' | 'reviewing' }>;

/** Twice the time of a review: it may wait for others before its own time begins. */
const WAIT_MS_MAX = 2 * REVIEW_MS_MAX;

/** The daemon stops before the delivery has its outcome. */
export class DaemonStopping extends Error {
  constructor() {
    super('The daemon stops; send the delivery again.');
  }
}

/** Throws `DaemonStopping`, or `Refused` (timed out) after WAIT_MS_MAX. */
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
    complete: () => reject(new DaemonStopping()),
  });
  const late = (): void =>
    reject(refused('timed_out', 'The review is still going; send the delivery again for its result.'));
  const timer = setTimeout(late, WAIT_MS_MAX);
  return promise.finally(() => {
    clearTimeout(timer);
    subscription.unsubscribe();
  });
}

function settled(state: DeliveryState): Settled | null {
  return state.status === 'none' || state.status === 'due' || state.status === 'reviewing' ? null : state;
}
