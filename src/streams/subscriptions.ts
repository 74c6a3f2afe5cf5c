/**
 * The numbered sequences that clients follow: the log, any selection of it, and numbered rows of the views. Each is
 * shared by its subscribers and dropped when the last one has left.
 */
import { defer, EMPTY, map, type Observable, ReplaySubject, takeUntil, takeWhile, tap } from 'rxjs';
import type { NumberedRows } from '../projections/projection.ts';
import type { Views } from '../projections/views.ts';
import { ERASURES_STREAM, type EventLog, eventsAfter, type RecordedEvent } from '../storage/event-log.ts';
import type { CommittedEvents } from './committed-events.ts';
import { envelopeJson } from './envelope.ts';
import { type Pace, type Selection, select, selects } from './operators.ts';
import { type Entry, type Frame, frame, type Write } from './replay-buffer.ts';
import { FellBehind, type Follow, type FollowOptions, type FrameSource, shareFrames } from './shared-frames.ts';

export interface Subscriptions {
  /**
   * The envelopes of the selected events, numbered by position. Depends on the log only and never ends by itself.
   *
   *     subscriptions.events({ category: 'task', after: 0, demand$ }).subscribe(({ frames }) => …);
   */
  events(options: Selection & FollowOptions): Observable<Write>;
  /** The numbered rows about one stream; completes when they are complete. Waits while the views are behind the log. */
  rows(rows: NumberedRows, id: string, options: FollowOptions): Observable<Write>;
  /** Completes every subscription after its stored entries. */
  close(): void;
}

export interface SubscriptionsDependencies {
  readonly log: EventLog;
  readonly views: Views;
  readonly committed: CommittedEvents;
  /** A line for the operator: a subscription that could not be served. */
  readonly report: (message: string) => void;
  readonly pace?: Pace;
}

/** The sequences of one daemon. */
export function createSubscriptions({ log, views, committed, report, pace }: SubscriptionsDependencies): Subscriptions {
  const closed$ = new ReplaySubject<void>(1);
  const shared = new Map<string, Follow>();

  function sharedOf(key: string, source: () => FrameSource): Follow {
    let follow = shared.get(key);
    if (follow === undefined) {
      const { live, ...stored } = source();
      const untilClosed = { ...stored, live: (after: number) => live(after).pipe(takeUntil(closed$)) };
      follow = shareFrames(untilClosed, { idle: () => shared.delete(key), ...(pace && { pace }) });
      shared.set(key, follow);
    }
    return follow;
  }

  function follow(key: string, source: () => FrameSource, options: FollowOptions): Observable<Write> {
    const error = (cause: Error): void => {
      if (!(cause instanceof FellBehind)) report(`The subscription of ${key} failed: ${cause.message}`);
    };
    return defer(() => sharedOf(key, source)(options)).pipe(tap({ error }));
  }

  return {
    events({ after, demand$, ...selection }) {
      const options = { after, demand$ };
      return follow(`events ${JSON.stringify(selection)}`, () => eventSource(log, committed, selection), options);
    },
    rows: (rows, id, options) => follow(`${rows.name} ${id}`, () => rowSource({ rows, id, views, committed }), options),
    close: () => closed$.next(),
  };
}

function eventSource(log: EventLog, { appended$ }: CommittedEvents, selection: Selection): FrameSource {
  const isSelected = selects(selection);
  return {
    head: () => log.head().position,
    *read(after): Iterable<Entry> {
      for (const event of eventsAfter(log, after, selection.stream))
        yield isSelected(event) ? frameOf(event) : { seq: event.position, json: null };
    },
    live: (after) =>
      appended$.pipe(
        select(selection),
        map((events) => events.filter(({ position }) => position > after).map(frameOf)),
      ),
    changed$: appended$.pipe(select({ stream: ERASURES_STREAM })),
  };
}

function frameOf(event: RecordedEvent): Frame {
  return frame(event.position, envelopeJson(event));
}

/** Rows are read in pages; one write seldom holds more than a page. */
const PAGE_ROWS = 32;

interface RowSourceOptions {
  readonly rows: NumberedRows;
  readonly id: string;
  readonly views: Views;
  readonly committed: CommittedEvents;
}

function rowSource({ rows, id, views, committed: { folded$ } }: RowSourceOptions): FrameSource {
  function* read(after: number): Iterable<Frame> {
    for (let newest = after; ; ) {
      const page = rows.page(views, id, { after: newest, limit: PAGE_ROWS });
      for (const { seq, json } of page) yield frame(seq, json);
      if (page.length < PAGE_ROWS) return;
      newest = page.at(-1)!.seq;
    }
  }
  return {
    head: () => rows.newest(views, id),
    read,
    live: (after) =>
      defer(() => {
        if (rows.isComplete(views, id)) return EMPTY;
        let newest = after;
        return folded$.pipe(
          select({ stream: `${rows.category}-${id}` }),
          map(() => {
            const frames = [...read(newest)];
            newest = frames.at(-1)?.seq ?? newest;
            return frames;
          }),
          takeWhile(() => !rows.isComplete(views, id), true),
        );
      }),
  };
}
