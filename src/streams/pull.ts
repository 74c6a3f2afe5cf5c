/**
 * Backpressure for RxJS, which has none: an Observable that takes the next value only when its consumer asked for it.
 *
 * - A subscription asks for one value; each emission of `demand$` asks for one more. Repeated demand counts once.
 * - Values are produced in turns that all consumers share, so that neither a long history nor many consumers block the
 *   event loop.
 */
import { audit, defer, map, Observable, type OperatorFunction, Subject, tap } from 'rxjs';
import { fairTurn$ } from './fair-turns.ts';

export interface PullOptions<Value> {
  /** Emits when the consumer has taken the last value, such as a socket that drained. */
  readonly demand$: Observable<unknown>;
  /** Emits when there may be more values. Completes when none will come beyond those that `next` still returns. */
  readonly news$: Observable<unknown>;
  /** The next value, or null when there is none so far. Called again as long as `isCurrent()` is false. */
  next(): Value | null;
  /** True when `next` returns null until `news$` emits. */
  isCurrent(): boolean;
  /**
   * Called on each emission of `news$` while the last value is not taken. The Observable errors with what it throws.
   */
  whileBlocked?(): void;
  readonly turn$?: Observable<unknown>;
}

/**
 *     news$     ---n-----n-------|
 *     demand$   -----d--------d---
 *     result    ---1-----2-------|
 */
export function pull<Value>(options: PullOptions<Value>): Observable<Value> {
  const { demand$, news$, turn$ = fairTurn$ } = options;
  return new Observable((subscriber) => {
    const due$ = new Subject<void>();
    let isAsked = false;
    let isLast = false;

    function guarded(step: () => void): () => void {
      return () => {
        try {
          step();
        } catch (error) {
          subscriber.error(error);
        }
      };
    }

    const deliver = guarded(() => {
      if (!isAsked || subscriber.closed) return;
      const value = options.next();
      if (value !== null) {
        isAsked = false;
        subscriber.next(value);
      } else if (!options.isCurrent()) due$.next();
      else if (isLast) subscriber.complete();
    });

    const ask = guarded(() => {
      isAsked = true;
      if (isLast || !options.isCurrent()) due$.next();
    });

    subscriber.add(
      news$.subscribe({
        next: guarded(() => (isAsked ? due$.next() : options.whileBlocked?.())),
        error: (error) => subscriber.error(error),
        complete() {
          isLast = true;
          deliver();
        },
      }),
    );
    subscriber.add(due$.pipe(audit(() => turn$)).subscribe(deliver));
    subscriber.add(demand$.subscribe(ask));
    ask();
  });
}

/**
 * The newest value whenever the consumer asks for one; values that were superseded meanwhile are dropped.
 *
 *     values$   -ab-c----d-|
 *     demand$   ------d-d--d
 *     result    -a----c--d-|
 */
export function latestOnDemand<Value>(
  demand$: Observable<unknown>,
  turn$?: Observable<unknown>,
): OperatorFunction<Value, Value> {
  return (values$) =>
    defer(() => {
      let newest: { readonly value: Value } | null = null;
      const news$ = values$.pipe(
        tap((value) => {
          newest = { value };
        }),
      );
      const next = (): { readonly value: Value } | null => {
        const taken = newest;
        newest = null;
        return taken;
      };
      const taken$ = pull({ demand$, news$, next, isCurrent: () => newest === null, ...(turn$ && { turn$ }) });
      return taken$.pipe(map(({ value }) => value));
    });
}
