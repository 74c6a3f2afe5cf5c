/**
 * Subscriptions of a log: the selected events after a position, stored ones and then live ones, without gap or
 * duplicate.
 *
 * - Nothing is queued per subscription: every event is read from the log when it is due.
 * - Events arrive in pages, in turns that all subscriptions share, so that a long history does not block the others.
 */
import { concat, defer, EMPTY, from, fromEvent, mergeMap, Observable, Subject, takeUntil } from 'rxjs';
import { decodeEvents, type StoredOf } from '../events/decode.ts';
import type { EventTable } from '../events/define.ts';
import { eventsAfter, type RecordedEvent } from '../storage/event-log.ts';
import { type Selection, selects } from '../streams/operators.ts';
import { pull } from '../streams/pull.ts';
import type { OpenEventLog } from './event-log.ts';

export interface SubscribeOptions extends Selection {
  readonly log: OpenEventLog;
  /** Position of the last event that the subscriber has; 0, the beginning, when left out. */
  readonly after?: number;
}

/** Events are decoded: checked, upcast and typed. Skipped: other types, and erased payloads without `whenErased`. */
export interface TypedSubscribeOptions<Table extends EventTable> extends SubscribeOptions {
  readonly events: Table;
}

/**
 * The selected events as an Observable. It completes when the log closes; it errors with `EventSchemaError` when data
 * fits no schema, and with `StorageError` when the log cannot be read.
 *
 *     subscribe({ log, events: bookmarkEvents, category: 'bookmark' }).subscribe(({ position, type, data }) => …);
 */
export function subscribe<Table extends EventTable>(
  options: TypedSubscribeOptions<Table>,
): Observable<StoredOf<Table, RecordedEvent>>;
export function subscribe(options: SubscribeOptions): Observable<RecordedEvent>;
export function subscribe(options: SubscribeOptions & { readonly events?: EventTable }): Observable<unknown> {
  return defer(() => {
    const { log } = options;
    if (log.closing.aborted) return EMPTY;
    const history = new History(options);
    const taken$ = new Subject<void>();
    const news$ = new Observable<void>((subscriber) => log.onAppended(() => subscriber.next()));
    const pages$ = pull({
      demand$: taken$,
      news$,
      next: () => history.nextPage(),
      isCurrent: () => history.isCurrent,
    });
    const askForNext$ = defer(() => {
      taken$.next();
      return EMPTY;
    });
    return pages$.pipe(
      mergeMap((page) => concat(from(page), askForNext$)),
      takeUntil(fromEvent(log.closing, 'abort')),
    );
  });
}

/**
 * The selected events as an async iterable: the next one is read when it is asked for. The loop ends when the log
 * closes, and throws the errors of the Observable of `subscribe`.
 *
 *     for await (const { position, data } of follow({ log, events: bookmarkEvents, after })) await send(data);
 */
export function follow<Table extends EventTable>(
  options: TypedSubscribeOptions<Table>,
): AsyncGenerator<StoredOf<Table, RecordedEvent>, void, void>;
export function follow(options: SubscribeOptions): AsyncGenerator<RecordedEvent, void, void>;
export async function* follow(
  options: SubscribeOptions & { readonly events?: EventTable },
): AsyncGenerator<unknown, void, void> {
  const { log } = options;
  const history = new History(options);
  while (!log.closing.aborted) {
    for (const event of history.nextPage() ?? []) {
      yield event;
      if (log.closing.aborted) return;
    }
    await (history.isCurrent ? nextCommit(log) : new Promise((resolve) => setImmediate(resolve)));
  }
}

/** Resolves with the next commit, or when the log closes. */
function nextCommit(log: OpenEventLog): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      unsubscribe();
      log.closing.removeEventListener('abort', done);
      resolve();
    };
    const unsubscribe = log.onAppended(done);
    log.closing.addEventListener('abort', done);
  });
}

const PAGE_EVENTS_MAX = 256;
const SCANNED_MAX = 2_000;

/** A cursor in the log, and the selected events after it. */
class History {
  readonly #options: SubscribeOptions & { readonly events?: EventTable };
  readonly #isSelected: (event: RecordedEvent) => boolean;
  #cursor: number;

  constructor(options: SubscribeOptions & { readonly events?: EventTable }) {
    this.#options = options;
    this.#isSelected = selects(options);
    this.#cursor = options.after ?? 0;
  }

  /** Whether all events of the log were read. */
  get isCurrent(): boolean {
    return this.#cursor >= this.#options.log.head().position;
  }

  /** The next selected events; null when there are none among those that were read. */
  nextPage(): readonly unknown[] | null {
    const { log, events, stream } = this.#options;
    const head = log.head().position;
    const page: RecordedEvent[] = [];
    let scanned = 0;
    for (const event of eventsAfter(log, this.#cursor, stream)) {
      scanned += 1;
      this.#cursor = event.position;
      if (this.#isSelected(event)) page.push(event);
      if (page.length === PAGE_EVENTS_MAX || scanned === SCANNED_MAX) break;
    }
    if (page.length < PAGE_EVENTS_MAX && scanned < SCANNED_MAX) this.#cursor = Math.max(this.#cursor, head);
    const decoded = events === undefined ? page : [...decodeEvents(events, page)];
    return decoded.length === 0 ? null : decoded;
  }
}
