/**
 * Backpressure for RxJS, which has none: an Observable that takes the next value only when its consumer asked for it.
 *
 * - A subscription asks for one value; each value of `demand$` asks for one more. Asking twice is asking once.
 * - Values are made in turns that all consumers share, so that neither a long history nor many consumers starve others.
 */
import { audit, defer, map, Observable, type OperatorFunction, Subject, tap } from 'rxjs';
import { fairTurn$ } from './fair-turns.ts';

export interface PullOptions<Value> {
  /** The consumer took the last value: a socket that drained. */
  readonly demand$: Observable<unknown>;
  /** There may be more values. Completes when there will be none beyond those that `next` still gives. */
  readonly news$: Observable<unknown>;
  /** The next value, or null when there is none so far. It is asked for again as long as `isCurrent` is false. */
  next(): Value | null;
  /** True when `next` has nothing to give before `news$` says so. */
  isCurrent(): boolean;
  /** Called for each of `news$` while the last value is not taken; what it throws is the error of the Observable. */
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

    const look = guarded(() => {
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
          look();
        },
      }),
    );
    subscriber.add(due$.pipe(audit(() => turn$)).subscribe(look));
    subscriber.add(demand$.subscribe(ask));
    ask();
  });
}

/**
 * The newest value whenever the consumer asks for one; values that another one followed meanwhile are left out.
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
