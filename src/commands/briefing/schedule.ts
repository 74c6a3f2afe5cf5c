/**
 * When a briefing is due: a time of day on the clocks of a time zone, on some days of the week. Pure but for the time
 * zone database of the runtime.
 *
 * - A time that a day lacks (clocks go forward) is the first moment after the gap; of one that comes twice the first
 *   counts. A day that a zone never had has none.
 * - The machine's own zone is asked of `Date`: the formatter for any other one costs 8 MiB once it is there.
 */
import { type BriefingSettings, WEEKDAYS, type Weekday } from '../../events/briefing/events.ts';

export type Schedule = Pick<BriefingSettings, 'time' | 'days' | 'timezone'>;

/** A taken time further ahead than this was taken under a wrong clock, and says nothing. */
const FUTURE_MS_MAX = 86_400_000;
const DAY_MS = 86_400_000;
/** Further than any zone is from UTC, and than any change of one: on both sides of a wall time nothing else changes. */
const AROUND_MS = 1.5 * DAY_MS;
/** A week, and a day more on either side. */
const DAYS_LOOKED = 8;

/** The earliest time after `now`. */
export function nextTime(now: number, schedule: Schedule): number {
  const times = timesAround(now, schedule).filter((time) => time > now);
  return Math.min(...times);
}

/** The latest time that is not after `now`. */
export function lastTime(now: number, schedule: Schedule): number {
  const times = timesAround(now, schedule).filter((time) => time <= now);
  return Math.max(...times);
}

/**
 * The time for which a briefing is owed now, or null: the latest one since the schedule was set, unless there was one
 * for it. However many were missed, it is one.
 */
export function dueTime(
  now: number,
  schedule: Schedule,
  { since, taken }: { readonly since: number; readonly taken: number | null },
): number | null {
  const last = lastTime(now, schedule);
  return last <= since || isTaken(last, { taken, now }) ? null : last;
}

/** Is there a briefing for that time? A clock that was set back brings none again. */
export function isTaken(
  time: number,
  { taken, now }: { readonly taken: number | null; readonly now: number },
): boolean {
  return taken !== null && taken >= time && taken <= now + FUTURE_MS_MAX;
}

export function zoneOf({ timezone }: Pick<Schedule, 'timezone'>): string {
  return timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** An IANA name; offsets such as +02:00 have no rules and are none. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return formatterOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** null is the machine's. */
type Zone = string | null;

function timesAround(now: number, { time, days, timezone: zone }: Schedule): readonly number[] {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const today = Math.floor(wallTime(now, zone) / DAY_MS);
  const times: number[] = [];
  for (let day = today - DAYS_LOOKED; day <= today + DAYS_LOOKED; day += 1) {
    if (!days.includes(weekdayOf(day))) continue;
    const moment = momentOf(day * DAY_MS + (hour * 60 + minute) * 60_000, zone);
    if (Math.floor(wallTime(moment, zone) / DAY_MS) === day) times.push(moment);
  }
  return times;
}

/** Day 0 was a Thursday. */
function weekdayOf(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7]!;
}

/** The first moment at which the zone's clocks show `wall`, or else something later. */
function momentOf(wall: number, zone: Zone): number {
  const before = wall - AROUND_MS;
  const after = wall + AROUND_MS;
  const candidates = [before, after].map((at) => wall - (wallTime(at, zone) - at));
  const shown = candidates.filter((at) => wallTime(at, zone) === wall);
  if (shown.length > 0) return Math.min(...shown);
  let low = before;
  let high = after;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallTime(middle, zone) < wall) low = middle;
    else high = middle;
  }
  return high;
}

/** What the zone's clocks show, as if it were UTC. */
function wallTime(at: number, zone: Zone): number {
  if (zone === null) return at - new Date(at).getTimezoneOffset() * 60_000;
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    const options = { ...numeric, minute: 'numeric', second: 'numeric', hourCycle: 'h23', timeZone } as const;
    formatter = new Intl.DateTimeFormat('en-US', options);
    // Names come from callers; few are in use at a time.
    if (formatters.size >= 8) formatters.clear();
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
