/**
 * When a briefing is due: a time of day in a time zone, on some days of the week. Pure except for the time zone
 * database of the runtime.
 *
 * - A time in the gap of a clock change means the first moment after the gap. Of a time that occurs twice, the first
 *   counts. A day that the zone skipped has no time.
 */
import { type BriefingSettings, WEEKDAYS } from '../../events/briefing/events.ts';

export type Schedule = Pick<BriefingSettings, 'time' | 'days' | 'timezone'>;

/** A recorded time that is further in the future than this came from a wrong clock and is ignored. */
const FUTURE_MS_MAX = 86_400_000;

const DAY_MS = 86_400_000;
/** A day of the week occurs within so many days, also when the zone skips it once. */
const DAYS_AWAY_MAX = 15;
/** Local days begin less than a day before and after those of UTC, and a gap moves a time by less than a day. */
const DAYS_BACK = 2;

/** The earliest scheduled time after `now`. All times are Unix milliseconds. */
export function nextTime(now: number, schedule: Schedule): number {
  for (const time of timesFrom(now, schedule, 1)) if (time > now) return time;
  return Number.POSITIVE_INFINITY;
}

/** What counts as done: times until the last change of the schedule, and until those that were taken. */
interface Covered {
  readonly since: number;
  readonly taken: readonly number[];
}

/** The earliest scheduled time after `now` that will get a briefing. */
export function nextDueTime(now: number, schedule: Schedule, { since, taken }: Covered): number {
  const covered = [since, ...taken].filter((until) => isCovered(now, until, now));
  return nextTime(Math.max(now, ...covered), schedule);
}

/** The latest scheduled time that is not after `now`. */
export function lastTime(now: number, schedule: Schedule): number {
  for (const time of timesFrom(now, schedule, -1)) if (time <= now) return time;
  return Number.NEGATIVE_INFINITY;
}

/**
 * The scheduled time whose briefing is due, or null: the latest since the schedule was set, unless it is taken.
 * One briefing makes up for several missed times.
 */
export function dueTime(now: number, schedule: Schedule, { since, taken }: Covered): number | null {
  const last = lastTime(now, schedule);
  return isCovered(last, since, now) || isTaken(last, { taken, now }) ? null : last;
}

/** Whether a briefing exists for that time. A clock that is set back does not repeat a briefing. */
export function isTaken(
  time: number,
  { taken, now }: { readonly taken: readonly number[]; readonly now: number },
): boolean {
  return taken.some((until) => isCovered(time, until, now));
}

function isCovered(time: number, until: number, now: number): boolean {
  return time <= until && until <= now + FUTURE_MS_MAX;
}

/**
 * The zone in which texts show times: that of the schedule, else the machine's. The runtime has no name for some zones
 * of machines (`TZ=:/etc/localtime`, `TZ=UTC+3`): then it is the offset that the machine has at `now`.
 */
export function zoneOf({ timezone }: Pick<Schedule, 'timezone'>, now: number): string {
  const name: string | undefined = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name !== undefined && isTimezone(name) ? name : offsetName(offsets(null)(now));
}

/** An offset as the runtime takes it for a zone, such as `+05:30`. */
function offsetName(ms: number): string {
  if (ms === 0) return 'UTC';
  const minutes = Math.abs(ms) / 60_000;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${ms < 0 ? '-' : '+'}${digits.join(':')}`;
}

/** Whether this is an IANA name; an offset such as +02:00 is not. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** The scheduled times in ascending (1) or descending (-1) order. The first are on the other side of the moment. */
function* timesFrom(now: number, { time, days, timezone }: Schedule, step: 1 | -1): Generator<number, undefined> {
  const offset = offsets(timezone);
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  const today = Math.floor(now / DAY_MS);
  for (let away = -DAYS_BACK; away <= DAYS_AWAY_MAX; away += 1) {
    const day = today + away * step;
    // `at` of WEEKDAYS, which begin with Monday: -1 is Sunday.
    if (!days.includes(WEEKDAYS.at(new Date(day * DAY_MS).getUTCDay() - 1)!)) continue;
    const moment = momentOf(day * DAY_MS + hours * 3_600_000 + minutes * 60_000, offset);
    if (moment !== null) yield moment;
  }
}

type Offset = (moment: number) => number;

/** The moment of a local time, which is given as if it were UTC; null on a day that the zone skipped. */
function momentOf(local: number, offset: Offset): number | null {
  const [before, after] = [offset(local - DAY_MS), offset(local + DAY_MS)];
  const moment = [local - before, local - after].find((each) => each + offset(each) === local);
  if (moment !== undefined) return moment;
  let [low, gapEnd] = [local - after, local - before];
  while (gapEnd - low > 1) {
    const middle = Math.floor((low + gapEnd) / 2);
    if (offset(middle) === before) low = middle;
    else gapEnd = middle;
  }
  const day = Math.floor(local / DAY_MS);
  const isSkipped = Math.floor((low + before) / DAY_MS) < day && Math.floor((gapEnd + after) / DAY_MS) > day;
  return isSkipped ? null : gapEnd;
}

/**
 * The difference of a zone's local time to UTC in milliseconds; null is the zone of the machine, of which `Date` knows
 * the offset without the memory that a formatter takes.
 */
function offsets(timezone: string | null): Offset {
  if (timezone === null) return (moment) => -new Date(moment).getTimezoneOffset() * 60_000;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  return (moment) => {
    const [, sign, hours = 0, minutes = 0] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(moment))!;
    return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600_000 + Number(minutes) * 60_000);
  };
}
