/** Waiting until no briefing is being made, so that a client need not ask again and again. */
import type { IncomingMessage } from 'node:http';
import { endWith, filter, firstValueFrom, fromEvent, merge, startWith, timer } from 'rxjs';
import { runningBriefing } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';

interface Dependencies {
  readonly views: Views;
  readonly committed: CommittedEvents;
}

/**
 * Resolves at once when no briefing is being made, else at its end, after `ms`, when the client disconnects or when the
 * daemon stops.
 */
export async function whenEnded(
  { views, committed }: Dependencies,
  { ms, request }: { readonly ms: number; readonly request: IncomingMessage },
): Promise<void> {
  const ended$ = committed.folded$.pipe(
    select({ category: 'briefing' }),
    startWith(null),
    filter(() => runningBriefing(views) === undefined),
    endWith(null),
  );
  await firstValueFrom(merge(ended$, timer(ms), fromEvent(request.socket, 'close')));
}
