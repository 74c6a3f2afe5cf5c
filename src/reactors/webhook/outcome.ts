/** Waits for the outcome of a delivery, whichever request started its review. */
import { filter, firstValueFrom, map, startWith, throwError, throwIfEmpty, timeout } from 'rxjs';
import { refused } from '../../commands/refusal.ts';
import { type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import { REVIEW_MS_MAX } from './review.ts';

interface Dependencies {
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly committed: CommittedEvents;
}

type Settled = Exclude<DeliveryState, { status: 'none' | 'due' | 'reviewing' }>;

/** Twice the time limit of a review, because a review may wait for others before its own time begins. */
const WAIT_MS_MAX = 2 * REVIEW_MS_MAX;

/** The daemon stops before the delivery has an outcome. */
export class DaemonStopping extends Error {
  constructor() {
    super('The daemon stops; send the delivery again.');
  }
}

/** Throws `DaemonStopping`, or `Refused` (timed out) after WAIT_MS_MAX. */
export function settledDelivery({ commandHandler, committed }: Dependencies, id: string): Promise<Settled> {
  const settled$ = committed.appended$.pipe(
    select({ stream: `${delivery.category}-${id}` }),
    startWith(null),
    map(() => settled(commandHandler.load(delivery, id))),
    filter((state) => state !== null),
    timeout({ first: WAIT_MS_MAX, with: () => throwError(late) }),
    throwIfEmpty(() => new DaemonStopping()),
  );
  return firstValueFrom(settled$);
}

function late(): Error {
  return refused('timed_out', 'The review is still going; send the delivery again for its result.');
}

function settled(state: DeliveryState): Settled | null {
  return state.status === 'none' || state.status === 'due' || state.status === 'reviewing' ? null : state;
}
