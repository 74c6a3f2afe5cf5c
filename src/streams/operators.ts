/**
 * The operators of this layer, each composed of RxJS's own. `tests/streams/operators.test.ts` shows them as marbles.
 */
import {
  audit,
  defer,
  filter,
  type MonoTypeOperatorFunction,
  map,
  mergeMap,
  Observable,
  type OperatorFunction,
  of,
  pipe,
  tap,
  throttle,
  timer,
} from 'rxjs';
import { inNextTurn } from '../lib/slices.ts';
import type { RecordedEvent } from '../storage/event-log.ts';

/** Events by the stream they belong to and by type. What is left out selects everything. */
export interface Selection {
  /** All streams `<category>-<id>`. */
  readonly category?: string;
  readonly stream?: string;
  readonly types?: readonly string[];
}

/** A predicate for the events of a selection. */
export function selects({ category, stream, types }: Selection): (event: RecordedEvent) => boolean {
  const prefix = category === undefined ? '' : `${category}-`;
  return (event) =>
    event.stream.startsWith(prefix) &&
    (stream === undefined || event.stream === stream) &&
    (types === undefined || types.includes(event.type));
}

/**
 * The selected events of each batch; batches without any are left out.
 *
 *     committed.appended$.pipe(select({ category: 'run' })).subscribe((events) => …);
 */
export function select(selection: Selection): MonoTypeOperatorFunction<readonly RecordedEvent[]> {
  const isSelected = selects(selection);
  return pipe(
    map((events) => events.filter(isSelected)),
    filter((events) => events.length > 0),
  );
}

/** Emits and completes in the next turn of the event loop, after I/O was served. */
export const nextTurn$: Observable<void> = new Observable((subscriber) =>
  inNextTurn(() => {
    subscriber.next();
    subscriber.complete();
  }),
);

/** Collects the values of one turn and emits the distinct ones in the next turn. */
export function uniquePerTurn<Value>(
  turn$: Observable<unknown> = nextTurn$,
): OperatorFunction<Value, readonly Value[]> {
  return (values$) =>
    defer(() => {
      let collected = new Set<Value>();
      return values$.pipe(
        tap((value) => collected.add(value)),
        audit(() => turn$),
        map(() => {
          const unique = [...collected];
          collected = new Set();
          return unique;
        }),
      );
    });
}

export interface Pace {
  /** Emits when the work that an emission caused is done. */
  readonly turn$: Observable<unknown>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Work shorter than this is followed by no pause. */
const UNPAUSED_MS_MAX = 1;
const REAL_TIME: Pace = { turn$: nextTurn$, now: () => performance.now() };

/**
 * Leaves subscribers at most half of the event loop: after an emission that kept them busy for t milliseconds a pause
 * of t follows. The newest value that arrives in the pause is emitted at its end.
 */
export function paced<Value>({ turn$, now }: Pace = REAL_TIME): MonoTypeOperatorFunction<Value> {
  return (values$) =>
    defer(() => {
      let began = 0;
      const pause = (): Observable<unknown> => {
        const busyMs = now() - began;
        return busyMs < UNPAUSED_MS_MAX ? of(null) : timer(busyMs);
      };
      return values$.pipe(
        throttle(() => turn$.pipe(mergeMap(pause)), { leading: true, trailing: true }),
        tap(() => {
          began = now();
        }),
      );
    });
}
