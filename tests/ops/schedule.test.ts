/** The daily schedule with a clock of the test: 02:00, missed backups, clock changes, days of 23 and 25 hours. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Daily,
  isDue,
  lastTime,
  nextTime,
  RETRY_PAUSE_MS,
  START_PAUSE_MS,
  startDaily,
} from '../../src/storage/ops/schedule.ts';
import { TestClock } from './clock.ts';
import { LATE_MS_MAX, UnsteadyClock, unsteadiness } from './unsteady-clock.ts';

const AT = { hour: 2, minute: 0 };
const HOUR = 3_600_000;
const MINUTE = 60_000;

let zone: string | undefined;
beforeEach(() => {
  zone = process.env.TZ;
  process.env.TZ = 'Europe/Berlin';
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const local = (text: string): number => new Date(text).getTime();

describe('times of day', () => {
  it('the zone of these tests is in force', () => {
    expect(new Date('2026-07-01T00:00:00Z').getHours()).toBe(2);
  });

  it.each([
    ['2026-11-21T01:59:59', '2026-11-20T02:00:00', '2026-11-21T02:00:00'],
    ['2026-11-21T02:00:00', '2026-11-21T02:00:00', '2026-11-22T02:00:00'],
    ['2026-11-21T23:00:00', '2026-11-21T02:00:00', '2026-11-22T02:00:00'],
    ['2026-12-31T12:00:00', '2026-12-31T02:00:00', '2027-01-01T02:00:00'],
  ])('at %s the last was %s and the next is %s', (now, last, next) => {
    expect(lastTime(local(now), AT)).toBe(local(last));
    expect(nextTime(local(now), AT)).toBe(local(next));
  });

  it('a day without 02:00 has it at the next moment there is (29 March 2026, 02:00 is 03:00)', () => {
    const missing = Date.parse('2026-03-29T01:00:00Z');
    expect(nextTime(missing - HOUR, AT)).toBe(missing);
    expect(lastTime(missing, AT)).toBe(missing);
    expect(nextTime(missing, AT)).toBe(Date.parse('2026-03-30T00:00:00Z'));
  });

  it('a day with 02:00 twice has it once, the first time (25 October 2026)', () => {
    const first = Date.parse('2026-10-25T00:00:00Z');
    expect(nextTime(first - HOUR, AT)).toBe(first);
    expect(lastTime(first + HOUR, AT)).toBe(first);
    expect(nextTime(first + HOUR, AT)).toBe(Date.parse('2026-10-26T01:00:00Z'));
  });
});

describe('due', () => {
  const due = (now: string, done: string | null) =>
    isDue(local(now), { at: AT, doneAt: () => (done === null ? null : local(done)) });

  it.each([
    ['2026-11-21T01:59', '2026-11-20T02:00', false],
    ['2026-11-21T02:00', '2026-11-20T02:00', true],
    ['2026-11-21T02:00', '2026-11-21T02:00', false],
    ['2026-11-25T14:00', '2026-11-20T02:00', true],
    ['2026-11-21T01:00', '2026-11-21T02:00', false],
  ])('at %s with the last of %s: %s', (now, done, answer) => {
    expect(due(now, done)).toBe(answer);
  });

  it('nothing to do is never due', () => expect(due('2026-11-21T12:00', null)).toBe(false));

  it('work from far in the future was done under a wrong clock and does not count', () => {
    expect(due('2026-11-21T12:00', '2031-01-01T02:00')).toBe(true);
  });
});

function scheduled(clock: TestClock, done: string | null, work?: () => Promise<void>) {
  const made: number[] = [];
  const failures: string[] = [];
  let doneAt = done === null ? null : local(done);
  const daily: Daily = {
    at: AT,
    doneAt: () => doneAt,
    work: async () => {
      await work?.();
      doneAt = clock.now();
      made.push(doneAt);
    },
    failed: (error) => failures.push((error as Error).message),
  };
  return { made, failures, schedule: startDaily(daily, clock) };
}

describe('the schedule', () => {
  it('works at 02:00 each day, to the minute', async () => {
    const clock = new TestClock('2026-11-20T12:00');
    const { made } = scheduled(clock, '2026-11-20T02:00');
    await clock.pass(72 * HOUR);
    const days = ['2026-11-21T02:00', '2026-11-22T02:00', '2026-11-23T02:00'].map(local);
    expect(made).toEqual(days);
  });

  it('makes up for what was missed soon after the start, once', async () => {
    const clock = new TestClock('2026-11-21T09:00');
    const { made } = scheduled(clock, '2026-11-10T02:00');
    await clock.pass(START_PAUSE_MS - 1);
    expect(made).toEqual([]);
    await clock.pass(10 * HOUR);
    expect(made).toEqual([local('2026-11-21T09:01')]);
  });

  it('does its work once on the day of 23 hours and once on the day of 25', async () => {
    for (const [start, done] of [
      ['2026-03-28T12:00', '2026-03-28T02:00'],
      ['2026-10-24T12:00', '2026-10-24T02:00'],
    ] as const) {
      const clock = new TestClock(start);
      const { made, schedule } = scheduled(clock, done);
      await clock.pass(30 * HOUR);
      expect(made).toHaveLength(1);
      schedule.stop();
    }
  });

  it('notices within a minute that the clock jumped over 02:00', async () => {
    const clock = new TestClock('2026-11-20T22:00');
    const { made } = scheduled(clock, '2026-11-20T02:00');
    await clock.pass(10 * MINUTE);
    clock.jump(6 * HOUR);
    await clock.pass(MINUTE);
    expect(made).toHaveLength(1);
  });

  it('does not repeat its work when the clock is set back over 02:00', async () => {
    const clock = new TestClock('2026-11-21T01:50');
    const { made } = scheduled(clock, '2026-11-20T02:00');
    await clock.pass(20 * MINUTE);
    clock.jump(-HOUR);
    await clock.pass(2 * HOUR);
    expect(made).toEqual([local('2026-11-21T02:00')]);
  });

  it('tells a failure and tries again after a pause', async () => {
    const clock = new TestClock('2026-11-21T01:58');
    let isBroken = true;
    const { made, failures } = scheduled(clock, '2026-11-20T02:00', async () => {
      if (isBroken) throw new Error('no space');
    });
    await clock.pass(10 * MINUTE);
    expect(failures).toEqual(['no space']);
    isBroken = false;
    await clock.pass(RETRY_PAUSE_MS);
    expect(made).toHaveLength(1);
    expect(failures).toHaveLength(1);
  });

  it('never begins a second piece of work while one is under way', async () => {
    const clock = new TestClock('2026-11-21T01:58');
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const { schedule } = scheduled(clock, '2026-11-20T02:00', () => {
      begun += 1;
      return gate.promise;
    });
    await clock.pass(48 * HOUR);
    expect(begun).toBe(1);
    gate.resolve();
    schedule.stop();
  });

  it('that stops while it waits does nothing any more', async () => {
    const clock = new TestClock('2026-11-21T01:58');
    const { made, schedule } = scheduled(clock, '2026-11-20T02:00');
    schedule.stop();
    expect(clock.waits).toBe(0);
    await clock.pass(48 * HOUR);
    expect(made).toEqual([]);
  });

  it('that stops during its work leaves no timer behind and tells no failure', async () => {
    const clock = new TestClock('2026-11-21T01:58');
    const gate = Promise.withResolvers<void>();
    const { failures, schedule } = scheduled(clock, '2026-11-20T02:00', () => gate.promise);
    await clock.pass(5 * MINUTE);
    schedule.stop();
    gate.reject(new Error('given up'));
    await clock.pass(48 * HOUR);
    expect([failures, clock.waits]).toEqual([[], 0]);
  });
});

it('work is done at its time, whether timers fire early or late and however long a reading takes', async () => {
  const two = local('2026-11-21T02:00:00');
  await fc.assert(
    fc.asyncProperty(unsteadiness(0), async (behaviour) => {
      const clock = new UnsteadyClock(two - 2 * MINUTE - 17_000, behaviour);
      const done: number[] = [];
      const doneAt = (): number => done.at(-1) ?? two - 24 * HOUR;
      const work = async (): Promise<void> => void done.push(clock.now());
      const schedule = startDaily({ at: AT, doneAt, work, failed: () => undefined }, clock);
      await clock.pass(7 * MINUTE);
      schedule.stop();
      expect(done).toHaveLength(1);
      expect(done[0]).toBeGreaterThanOrEqual(two);
      expect(done[0]).toBeLessThan(two + LATE_MS_MAX + 20);
    }),
    { numRuns: 100 },
  );
});
