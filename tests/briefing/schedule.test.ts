/** When a briefing is due, in time zones with unusual clock changes. */
import { isMainThread } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  dueTime,
  isTimezone,
  lastTime,
  nextTime,
  type Schedule,
  zoneOf,
} from '../../src/commands/briefing/schedule.ts';
import { WEEKDAYS } from '../../src/events/briefing/events.ts';

const at = (text: string): number => new Date(text).getTime();
const shown = (ms: number): string => new Date(ms).toISOString();
const daily = (time: string, timezone: string): Schedule => ({ time, timezone, days: [...WEEKDAYS] });

describe('the next time', () => {
  it.each([
    // An ordinary day, before and after the time of day; at the time itself it is the next day's.
    ['Europe/Berlin', '07:00', '2026-11-22T05:59:59Z', '2026-11-22T06:00:00.000Z'],
    ['Europe/Berlin', '07:00', '2026-11-22T06:00:00Z', '2026-11-23T06:00:00.000Z'],
    // Clocks go forward at 02:00: half past two is the first moment there is after it.
    ['Europe/Berlin', '02:30', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['America/New_York', '02:30', '2026-03-07T12:00:00Z', '2026-03-08T07:00:00.000Z'],
    // Clocks go back: of the two half past twos the first.
    ['Europe/Berlin', '02:30', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '01:30', '2026-10-31T12:00:00Z', '2026-11-01T05:30:00.000Z'],
    // After the first of them, the next is tomorrow's.
    ['Europe/Berlin', '02:30', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    // The morning after each change is at the new offset.
    ['Europe/Berlin', '07:00', '2026-03-28T12:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['Europe/Berlin', '07:00', '2026-10-24T12:00:00Z', '2026-10-25T06:00:00.000Z'],
    // Clocks that move by half an hour, at another half of the year.
    ['Australia/Lord_Howe', '02:15', '2026-10-03T00:00:00Z', '2026-10-03T15:30:00.000Z'],
    ['Australia/Lord_Howe', '01:45', '2026-04-04T00:00:00Z', '2026-04-04T14:45:00.000Z'],
    // A gap at midnight.
    ['Africa/Cairo', '00:30', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    // A gap until midnight: the first moment after it is on the next day, which also has a time of its own.
    ['America/Nuuk', '23:30', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['America/Nuuk', '23:30', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00.000Z'],
    // Odd offsets, and the far ends of the day.
    ['Asia/Kathmandu', '07:00', '2026-06-01T00:00:00Z', '2026-06-01T01:15:00.000Z'],
    ['Pacific/Kiritimati', '00:00', '2026-06-01T00:00:00Z', '2026-06-01T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '23:59', '2026-06-01T00:00:00Z', '2026-06-01T10:59:00.000Z'],
    // A day that Samoa never had.
    ['Pacific/Apia', '07:00', '2011-12-29T18:00:00Z', '2011-12-30T17:00:00.000Z'],
  ])('in %s at %s after %s is %s', (zone, time, now, next) => {
    expect(shown(nextTime(at(now), daily(time, zone)))).toBe(next);
    expect(shown(lastTime(at(next), daily(time, zone)))).toBe(next);
    expect(lastTime(at(next) - 1, daily(time, zone))).toBeLessThan(at(next));
  });
  it('is on a day that was chosen', () => {
    const mondays: Schedule = { time: '07:00', timezone: 'Europe/Berlin', days: ['mon'] };
    expect(shown(nextTime(at('2026-11-23T06:00:00Z'), mondays))).toBe('2026-11-30T06:00:00.000Z');
    expect(shown(lastTime(at('2026-11-23T05:59:59Z'), mondays))).toBe('2026-11-16T06:00:00.000Z');
    const fridays: Schedule = { time: '07:00', timezone: 'Pacific/Apia', days: ['fri'] };
    expect(shown(nextTime(at('2011-12-25T00:00:00Z'), fridays))).toBe('2012-01-05T17:00:00.000Z');
    expect(shown(lastTime(at('2012-01-05T16:59:59Z'), fridays))).toBe('2011-12-23T17:00:00.000Z');
  });
  it('is once a day in every zone, 22 to 26 hours apart, whatever the day of the year', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Santiago',
      'Asia/Tehran',
      'UTC',
    ];
    const minute = fc.integer({ min: 0, max: 1439 });
    const moment = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minute, moment, (zone, of, now) => {
        const time = `${String(Math.floor(of / 60)).padStart(2, '0')}:${String(of % 60).padStart(2, '0')}`;
        const schedule = daily(time, zone);
        const next = nextTime(now, schedule);
        const hours = (next - lastTime(now, schedule)) / 3_600_000;
        expect(next).toBeGreaterThan(now);
        expect(lastTime(next, schedule)).toBe(next);
        expect(hours).toBeGreaterThanOrEqual(22);
        expect(hours).toBeLessThanOrEqual(26);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what is due', () => {
  const schedule = daily('07:00', 'UTC');
  const seven = at('2026-11-22T07:00:00Z');

  it('is nothing before the schedule was set, and the newest time after that', () => {
    expect(dueTime(seven + 1, schedule, { since: seven, taken: [] })).toBeNull();
    expect(dueTime(seven - 1, schedule, { since: seven - 60_000, taken: [] })).toBeNull();
    expect(dueTime(seven, schedule, { since: seven - 60_000, taken: [] })).toBe(seven);
  });
  it('is one briefing, however many were slept through', () => {
    const days = 5 * 86_400_000;
    expect(dueTime(seven + 7_200_000, schedule, { since: 1, taken: [seven - days] })).toBe(seven);
    expect(dueTime(seven + 7_200_000, schedule, { since: 1, taken: [seven] })).toBeNull();
  });
});

it('a time zone is a name that has rules', () => {
  expect(['Europe/Berlin', 'UTC', 'America/Argentina/Ushuaia'].map(isTimezone)).toEqual([true, true, true]);
  expect(['+02:00', '', 'Mars/Olympus', '../etc/passwd', ' UTC'].map(isTimezone)).toEqual(Array(5).fill(false));
});

// A thread, in which Stryker runs tests, cannot change the time zone.
describe.skipIf(!isMainThread)('the zone of the machine', () => {
  const before = process.env.TZ;
  afterEach(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])('is as good as its name: %s', (zone) => {
    process.env.TZ = zone;
    const moment = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') });
    expect(new Date(at('2026-07-01T00:00:00Z')).getTimezoneOffset()).not.toBe(0);
    fc.assert(
      fc.property(moment, fc.constantFrom('00:00', '01:30', '02:15', '02:30', '07:00'), (now, time) => {
        const named = daily(time, zone);
        expect(nextTime(now, { ...named, timezone: null })).toBe(nextTime(now, named));
        expect(lastTime(now, { ...named, timezone: null })).toBe(lastTime(now, named));
      }),
      { numRuns: 100 },
    );
  });
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['', 'UTC'],
    [':/etc/no-such-zone', 'UTC'],
    ['UTC+3', '-03:00'],
    ['JST-9', '+09:00'],
  ])('has a zone for texts, with or without a name: %j is %s', (zone, shownAs) => {
    process.env.TZ = zone;
    const now = at('2026-01-01T12:00:00Z');
    const name = zoneOf({ timezone: null }, now);
    expect(name).toBe(shownAs);
    const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: name }).format(now);
    expect(Number(hour)).toBe(new Date(now).getHours());
    expect(zoneOf({ timezone: 'Asia/Tokyo' }, now)).toBe('Asia/Tokyo');
  });
});
