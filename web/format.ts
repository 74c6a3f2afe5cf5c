/**
 * Dates, numbers and durations in the browser's locale. Formatters are slow to create, so each is created once, on
 * demand.
 */
import { signal } from '@preact/signals';

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const number = once(() => new Intl.NumberFormat());
const compact = once(() => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }));
const percentage = once(() => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 }));
const clockTime = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }));
const shortTime = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));
const day = once(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }));
const dayAndYear = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const dayYearAndTime = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));
const full = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }));
const relative = once(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' }));
const list = once(() => new Intl.ListFormat(undefined, { type: 'conjunction' }));

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONG_UNITS = [
  ['year', 365.25],
  ['month', 30.4375],
] as const;
/** Fewer of a long unit are told in the next shorter one. */
const LONG_MIN = 2;

/**
 * The current time, updated every second while the page is visible. Read it in components that show an age or a running
 * duration.
 */
export const now = signal(Date.now());

/** Called once by the page. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, SECOND);
}

export const count = (value: number): string => number().format(value);
export const short = (value: number): string => compact().format(value);
export const clock = (at: number): string => clockTime().format(at);
export const exactly = (at: number): string => full().format(at);
export const date = (at: number): string => dayAndYear().format(at);
export const listed = (items: readonly string[]): string => list().format(items);

/** A share in whole percent, rounded, but 0 % and 100 % only for exact values. */
export function percent(share: number): string {
  return percentage().format(share > 0 && share < 1 ? Math.min(Math.max(share, 0.01), 0.99) : share);
}

/** The time; also the day if it is not today, and the year if it is not this one. */
export function when(at: number, present = now.value): string {
  const then = new Date(at);
  const today = new Date(present);
  if (then.toDateString() === today.toDateString()) return shortTime().format(at);
  if (then.getFullYear() === today.getFullYear()) return `${day().format(at)}, ${shortTime().format(at)}`;
  return dayYearAndTime().format(at);
}

/** `5 min. ago`, `in 3 hr.`, `yesterday`, `3 mo. ago`, `2 yr. ago`. */
export function ago(at: number, present = now.value): string {
  const distance = at - present;
  const size = Math.abs(distance);
  if (size < MINUTE) return relative().format(Math.trunc(distance / SECOND), 'second');
  if (size < HOUR) return relative().format(Math.trunc(distance / MINUTE), 'minute');
  if (size < DAY) return relative().format(Math.trunc(distance / HOUR), 'hour');
  const days = daysBetween(present, at);
  for (const [unit, length] of LONG_UNITS) {
    if (Math.abs(days) >= LONG_MIN * length) return relative().format(Math.trunc(days / length), unit);
  }
  return relative().format(days, 'day');
}

/** Days of the calendar: the evening before last was not yesterday. */
function daysBetween(from: number, to: number): number {
  const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
  // Of 23 to 25 hours each.
  return Math.round((midnight(to) - midnight(from)) / DAY);
}

type Unit = 'millisecond' | 'second' | 'minute' | 'hour' | 'day';

const unitFormats = new Map<string, Intl.NumberFormat>();

function unit(value: number, name: Unit, digits = 0): string {
  const key = `${name} ${digits}`;
  let format = unitFormats.get(key);
  if (format === undefined) {
    const style = { style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits: digits } as const;
    format = new Intl.NumberFormat(undefined, style);
    unitFormats.set(key, format);
  }
  return format.format(value);
}

const durations = new Map<number, string>();

/** `41ms`, `3.2s`, `4m 10s`, `2h 5m`, `3d 4h`. */
export function duration(ms: number): string {
  const rounded = ms < MINUTE - SECOND / 2 ? Math.max(0, Math.round(ms)) : Math.round(ms / SECOND) * SECOND;
  let text = durations.get(rounded);
  if (text === undefined) {
    text = durationText(rounded);
    if (durations.size > 2_000) durations.clear();
    durations.set(rounded, text);
  }
  return text;
}

function durationText(ms: number): string {
  if (ms < SECOND) return unit(ms, 'millisecond');
  if (ms < MINUTE) return unit(ms / SECOND, 'second', ms < 10 * SECOND ? 1 : 0);
  const pair = (value: number, big: Unit, rest: number, small: Unit): string =>
    rest === 0 ? unit(value, big) : `${unit(value, big)} ${unit(rest, small)}`;
  const seconds = ms / SECOND;
  if (ms < HOUR) return pair(Math.floor(seconds / 60), 'minute', seconds % 60, 'second');
  const minutes = Math.floor(seconds / 60);
  if (ms < DAY) return pair(Math.floor(minutes / 60), 'hour', minutes % 60, 'minute');
  return pair(Math.floor(minutes / 1_440), 'day', Math.floor((minutes % 1_440) / 60), 'hour');
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log(value) / Math.log(1_000)));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: BYTE_UNITS[step]!,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(value / 1_000 ** step);
}

const languages = once(() => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }));

/** A language by its name and code; a code without a name as it is. */
export function language(code: string): string {
  try {
    const name = languages().of(code);
    return name === undefined ? code : `${name} (${code})`;
  } catch {
    return code;
  }
}
