/** Pages of the event log, in either direction, filtered by fields of the envelope. */
import { inSlices, type Slicing } from '../lib/slices.ts';
import { type EventLog, eventsAfter, type RecordedEvent, versionAt } from '../storage/event-log.ts';
import type { Moments } from './as-of/moment.ts';

export interface LogPageQuery {
  /** Only events with a greater position. */
  readonly after: number;
  /** Only events with a smaller position, the newest first; absent: the oldest first. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Empty for every stream. */
  readonly stream: string;
  /** Empty for every type. */
  readonly type: string;
  /** Empty for every actor. */
  readonly actor?: string;
  /** Empty for every correlation. */
  readonly correlation?: string;
  /** Only events at this time or later, Unix milliseconds. */
  readonly from?: number | undefined;
  /** Only events before this time, Unix milliseconds. */
  readonly to?: number | undefined;
}

export interface LogPage {
  readonly items: readonly string[];
  /** The position to continue after, or before when the newest come first; null at the end. */
  readonly next: number | null;
  readonly head: number;
}

/** Limit of events that one filtered page reads. */
const SCANNED_MAX = 50_000;
/** Limit of one page, which ends with the event that exceeds it. */
const PAGE_CHARACTERS_MAX = 16_777_216;

interface Reading {
  readonly render: (event: RecordedEvent) => string;
  readonly moments: Pick<Moments, 'newestUntil'>;
  readonly signal?: AbortSignal;
  readonly slicing?: Slicing;
}

/** Reads in slices, so that a page with a rare filter does not block the event loop. */
export async function logPage(log: EventLog, asked: LogPageQuery, reading: Reading): Promise<LogPage> {
  const { render, slicing } = reading;
  const head = log.head().position;
  const query = await fromNewestMatch(asked, head, reading);
  const items: string[] = [];
  let characters = 0;
  let scanned = 0;
  for await (const event of inSlices(eventsOf(log, query), slicing)) {
    scanned += 1;
    if (isChosen(event, query)) {
      const item = render(event);
      items.push(item);
      characters += item.length;
    }
    if (items.length < query.limit && scanned < SCANNED_MAX && characters < PAGE_CHARACTERS_MAX) continue;
    return { items, next: isLast(event, query, head) ? null : event.position, head };
  }
  return { items, next: null, head };
}

/**
 * The newest events before a time may be years before the head: their position is looked up. A page that continues is
 * there already.
 */
async function fromNewestMatch(query: LogPageQuery, head: number, { moments, signal }: Reading): Promise<LogPageQuery> {
  const { before = 0, to, stream } = query;
  if (before <= head || to === undefined || stream !== '') return query;
  return { ...query, before: (await moments.newestUntil(to - 1, signal)) + 1 };
}

function isLast({ position }: RecordedEvent, { after, before }: LogPageQuery, head: number): boolean {
  return before === undefined ? position >= head : position <= after + 1;
}

function isChosen(event: RecordedEvent, { type, actor = '', correlation = '', from, to }: LogPageQuery): boolean {
  if (type !== '' && event.type !== type) return false;
  if (actor !== '' && event.actor !== actor) return false;
  if (correlation !== '' && event.correlation !== correlation) return false;
  return (from === undefined || event.at >= from) && (to === undefined || event.at < to);
}

function* eventsOf(log: EventLog, { after, before, stream }: LogPageQuery): Iterable<RecordedEvent> {
  if (before === undefined) {
    yield* eventsAfter(log, after, stream === '' ? undefined : stream);
    return;
  }
  const newest =
    stream === ''
      ? log.readAll({ after: before, reverse: true })
      : log.readStream(stream, { after: versionAt(log, before - 1, stream) + 1, reverse: true });
  for (const event of newest) {
    if (event.position <= after) return;
    yield event;
  }
}
