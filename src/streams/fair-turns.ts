/**
 * Turns for many consumers that share one event loop: each may do one piece of work in its turn.
 *
 * - First come, first served: a consumer that asks again queues behind all others.
 * - One turn of the event loop does as many pieces as fit into 5 ms; then I/O is served.
 */
import { Observable, type Subscriber } from 'rxjs';
import { nextTurn$, type Pace } from './operators.ts';

const SLICE_MS = 5;

/**
 * Each subscription is one place in the queue: it emits and completes when its turn comes. `turn$` separates two
 * slices.
 *
 *     due$.pipe(audit(() => turns$)).subscribe(writeOnePiece);
 */
export function fairTurns({ turn$, now }: Pace): Observable<void> {
  let waiting: Subscriber<void>[] = [];
  let isDue = false;

  function serve(): void {
    const end = now() + SLICE_MS;
    let served = 0;
    do {
      const consumer = waiting[served]!;
      served += 1;
      consumer.next();
      consumer.complete();
    } while (served < waiting.length && now() < end);
    waiting = waiting.slice(served);
    isDue = waiting.length > 0;
    if (isDue) turn$.subscribe(serve);
  }

  return new Observable((consumer) => {
    waiting.push(consumer);
    if (isDue) return;
    isDue = true;
    turn$.subscribe(serve);
  });
}

/** The turns of this process. */
export const fairTurn$ = fairTurns({ turn$: nextTurn$, now: () => performance.now() });
