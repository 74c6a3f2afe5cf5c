/** Waits until a delivery has its outcome: from this request's review, an earlier request's, or one taken up again. */
import { filter, firstValueFrom, map, startWith, throwError, throwIfEmpty, timeout } from 'rxjs';
import { type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import type { Dispatcher } from '../../streams/dispatch.ts';
import { select } from '../../streams/operators.ts';
import { REVIEW_MS_MAX } from './review.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly dispatcher: Dispatcher;
  readonly committed: CommittedEvents;
}

type Settled = Exclude<DeliveryState, { status: 'none' | 'due' | 'reviewing' }>;

/** Reviews take turns, so one may wait for others before its own time begins. */
const WAIT_MS_MAX = 2 * REVIEW_MS_MAX;

export function settledDelivery({ dispatcher, committed }: Dependencies, id: string): Promise<Settled> {
  const settled$ = committed.appended$.pipe(
    select({ stream: `${delivery.category}-${id}` }),
    startWith(null),
    map(() => settled(dispatcher.load(delivery, id))),
    filter((state) => state !== null),
    timeout({ first: WAIT_MS_MAX, with: () => throwError(late) }),
    throwIfEmpty(stopping),
  );
  return firstValueFrom(settled$);
}

const late = (): HttpError => new HttpError(504, 'The review is still going; send the delivery again for its result.');
const stopping = (): HttpError =>
  new HttpError(503, 'The daemon stops; send the delivery again.', { 'retry-after': '5' });

function settled(state: DeliveryState): Settled | null {
  return state.status === 'none' || state.status === 'due' || state.status === 'reviewing' ? null : state;
}
