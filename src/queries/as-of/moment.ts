/**
 * The moment that `?at=` names, as a position of the log.
 *
 * - A position includes its own event. It may lie inside a commit of several events.
 * - A time includes all events up to the newest one that is not later than it: after a clock is set back, later events
 *   have earlier times. A time before the first event is position 0.
 */
import { refused } from '../../commands/refusal.ts';
import { TimeSlices } from '../../lib/slices.ts';
import type { EventLog } from '../../storage/event-log.ts';

const BLOCK_EVENTS = 1_024;

/** Finds positions by time. Reads the log backward from its head, each block of events at most once. */
export class Moments {
  readonly #log: EventLog;
  /** The earliest time in each full block that was read, in Unix milliseconds, by the number of the block. */
  readonly #earliest: number[] = [];

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Throws `Refused` (invalid) for a text that is neither a position of the log nor a time. */
  async position(at: string, signal?: AbortSignal): Promise<number> {
    const head = this.#log.head().position;
    if (/^\d{1,15}$/.test(at)) {
      const position = Number(at);
      if (position >= 1 && position <= head) return position;
    } else {
      const ms = rfc3339(at);
      if (ms !== undefined) return this.newestUntil(ms, signal);
    }
    const positions = head === 0 ? ', which is empty' : ` from 1 to ${head}`;
    throw refused(
      'invalid',
      `Invalid query: at: must be a position of the log${positions}, or an RFC 3339 time such as 2026-01-31T09:30:00Z`,
    );
  }

  /** The position of the newest event that is not later than a time; 0 when all events are later. */
  async newestUntil(ms: number, signal?: AbortSignal): Promise<number> {
    const head = this.#log.head().position;
    const slices = new TimeSlices();
    for (let block = Math.ceil(head / BLOCK_EVENTS) - 1; block >= 0; block -= 1) {
      if ((this.#earliest[block] ?? Number.NEGATIVE_INFINITY) > ms) continue;
      const first = block * BLOCK_EVENTS;
      let newest = 0;
      let earliest = Number.POSITIVE_INFINITY;
      for (const { position, at } of this.#log.readAll({ after: first, limit: Math.min(BLOCK_EVENTS, head - first) })) {
        if (at <= ms) newest = position;
        earliest = Math.min(earliest, at);
        if (slices.isOver) await slices.next();
        signal?.throwIfAborted();
      }
      if (head >= first + BLOCK_EVENTS) this.#earliest[block] = earliest;
      if (newest > 0) return newest;
    }
    return 0;
  }
}

/** Decoding a query turns the `+` of a zone into a blank; this puts it back. */
export function withPlus(at: string): string {
  return at.replace(/ (?=\d{2}:\d{2}$)/, '+');
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+\- ]\d{2}:\d{2})$/;

/**
 * Unix milliseconds; undefined for any other text. A blank before the zone counts as `+`, which a query string decodes
 * to a blank.
 */
export function rfc3339(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, day, hour, minute, second, fraction = '', zone] = match;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const [offsetHours, offsetMinutes] = /[Zz]/.test(zone!)
    ? [0, 0]
    : [Number(zone!.slice(1, 3)), Number(zone!.slice(4))];
  const inRange =
    Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60 && offsetHours! <= 23 && offsetMinutes! <= 59;
  if (!inRange) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offset = (zone!.startsWith('-') ? -1 : 1) * (offsetHours! * 60 + offsetMinutes!) * 60;
  return midnight + (seconds - offset) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}
