/** Waits until no briefing is running, so that clients need not poll. */
import { endWith, filter, firstValueFrom, fromEvent, merge, Observable, startWith } from 'rxjs';
import type { Timers } from '../../lib/timers.ts';
import { runningBriefing } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';

interface Dependencies {
  readonly views: Views;
  readonly committed: CommittedEvents;
  readonly timers: Timers;
}

/**
 * Resolves at once when no briefing is running, else when it has ended, after `ms`, when `signal` aborts or when the
 * daemon stops.
 */
export async function untilBriefingEnded(
  { views, committed, timers }: Dependencies,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const ended$ = committed.folded$.pipe(
    select({ category: 'briefing' }),
    startWith(null),
    filter(() => runningBriefing(views) === undefined),
    endWith(null),
  );
  const late$ = new Observable<null>((reader) => timers.after(ms, () => reader.next(null)));
  await firstValueFrom(merge(ended$, late$, fromEvent(signal, 'abort')));
}
