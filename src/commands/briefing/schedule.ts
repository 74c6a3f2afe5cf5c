/**
 * When a briefing is due: a time of day in a time zone, on some days of the week. Pure except for the time zone
 * database of the runtime.
 *
 * - A time in the gap of a clock change means the first moment after the gap. Of a time that occurs twice, the first
 *   counts. A day that the zone skipped has no time.
 */
import { Cron } from 'croner';
import type { BriefingSettings } from '../../events/briefing/events.ts';

export type Schedule = Pick<BriefingSettings, 'time' | 'days' | 'timezone'>;

/** A taken time that is further in the future than this came from a wrong clock and is ignored. */
const FUTURE_MS_MAX = 86_400_000;

/** The earliest scheduled time after `now`. All times are Unix milliseconds. */
export function nextTime(now: number, schedule: Schedule): number {
  return cronOf(schedule).nextRun(new Date(now))?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** The latest scheduled time that is not after `now`. */
export function lastTime(now: number, schedule: Schedule): number {
  // `previousRuns` excludes the second of its reference.
  const times = cronOf(schedule)
    .previousRuns(2, new Date(now + 1_000))
    .map((time) => time.getTime());
  return times.find((time) => time <= now) ?? Number.NEGATIVE_INFINITY;
}

/**
 * The scheduled time whose briefing is due, or null: the latest since the schedule was set, unless it is taken.
 * One briefing makes up for several missed times.
 */
export function dueTime(
  now: number,
  schedule: Schedule,
  { since, taken }: { readonly since: number; readonly taken: number | null },
): number | null {
  const last = lastTime(now, schedule);
  return last <= since || isTaken(last, { taken, now }) ? null : last;
}

/** Whether a briefing exists for that time. A clock that is set back does not repeat a briefing. */
export function isTaken(
  time: number,
  { taken, now }: { readonly taken: number | null; readonly now: number },
): boolean {
  return taken !== null && taken >= time && taken <= now + FUTURE_MS_MAX;
}

export function zoneOf({ timezone }: Pick<Schedule, 'timezone'>): string {
  return timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
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

/** A cache of the last schedule, which is evaluated every minute. */
let last: { readonly key: string; readonly cron: Cron } | undefined;

/** Without a time zone, croner uses `Date` and with it the zone of the machine. */
function cronOf({ time, days, timezone }: Schedule): Cron {
  const [hour, minute] = time.split(':').map(Number);
  const pattern = `0 ${minute} ${hour} * * ${days.join(',')}`;
  const key = `${pattern} ${timezone}`;
  if (last?.key !== key)
    last = { key, cron: new Cron(pattern, { paused: true, ...(timezone !== null && { timezone }) }) };
  return last.cron;
}
