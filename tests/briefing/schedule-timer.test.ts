/**
 * The timer of scheduled briefings: off while the schedule is off, one request for each time however the clock changes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BRIEFING_DEFAULTS } from '../../src/commands/briefing/settings.ts';
import { briefingTurn } from '../../src/commands/briefing/turn.ts';
import { isRefusal } from '../../src/commands/refusal.ts';
import type { BriefingSettings } from '../../src/events/briefing/events.ts';
import { createScheduleTimer, START_PAUSE_MS } from '../../src/reactors/briefing/routine.ts';
import { TestClock } from '../ops/clock.ts';
import { LATE_MS_MAX, type Unsteadiness, UnsteadyClock, unsteadiness } from '../ops/unsteady-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The timer on a test clock; requests go through the decider of `briefing_turn`, as they do in the daemon. */
function setup(start: string, changes: Partial<BriefingSettings> = {}) {
  const clock = new TestClock(start);
  const made: string[] = [];
  const reports: string[] = [];
  let turn = briefingTurn.initial;
  let requests = 0;
  const state = { settings: { ...BRIEFING_DEFAULTS, enabled: true, timezone: 'UTC', ...changes }, since: clock.time };
  const begin = () =>
    createScheduleTimer({
      now: () => clock.now(),
      after: (milliseconds, callback) => clock.after(milliseconds, callback),
      schedule: () => ({ ...state, taken: turn.taken }),
      report: (message) => void reports.push(message),
      async request(scheduled_for) {
        requests += 1;
        const command = { type: 'TakeTurn', briefing_id: `b${requests}`, scheduled_for } as const;
        const decision = briefingTurn.decide(command, turn, { id: 'an-id', now: clock.time });
        if (isRefusal(decision)) return;
        turn = decision.reduce(
          (folded, event) => briefingTurn.evolve(folded, { ...event, at: clock.time, actor: 'owner' }),
          turn,
        );
        made.push(
          `${new Date(scheduled_for).toISOString().slice(5, 16)} at ${new Date(clock.time).toISOString().slice(5, 16)}`,
        );
      },
    });
  return { clock, made, state, reports, begin };
}

describe('the schedule timer', () => {
  it('has no timer while the schedule is off, and one while it is on', () => {
    const { clock, state, begin } = setup('2026-11-22T05:00:00Z', { enabled: false });
    const timer = begin();
    timer.reschedule();
    expect(clock.waits).toBe(0);
    state.settings = { ...state.settings, enabled: true };
    timer.reschedule();
    timer.reschedule();
    expect(clock.waits).toBe(1);
    state.settings = { ...state.settings, enabled: false };
    timer.reschedule();
    expect(clock.waits).toBe(0);
  });
  it('requests at the time, once a day', async () => {
    const { clock, made, begin } = setup('2026-11-22T06:00:00Z');
    begin().reschedule();
    await clock.pass(26 * HOUR);
    expect(made).toEqual(['11-22T07:00 at 11-22T07:00', '11-23T07:00 at 11-23T07:00']);
  });
  it('makes up once for a weekend asleep, soon after waking', async () => {
    const { clock, made, begin } = setup('2026-11-20T12:00:00Z');
    begin().reschedule();
    clock.jump(69 * HOUR);
    await clock.pass(2 * MINUTE);
    expect(made).toEqual(['11-23T07:00 at 11-23T09:01']);
  });
  it('makes up once for what was missed while the daemon was not running, and not again at the next start', async () => {
    const { clock, made, begin } = setup('2026-11-21T12:00:00Z');
    clock.time += 22 * HOUR;
    const first = begin();
    first.reschedule();
    await clock.pass(START_PAUSE_MS);
    expect(made).toEqual(['11-22T07:00 at 11-22T10:00']);
    first.stop();
    begin().reschedule();
    await clock.pass(3 * HOUR);
    expect(made).toHaveLength(1);
  });
  it('requests nothing that was due before the schedule was set', async () => {
    const { clock, made, begin } = setup('2026-11-22T08:00:00Z');
    begin().reschedule();
    await clock.pass(20 * HOUR);
    expect(made).toEqual([]);
  });
  it('requests nothing twice when the clock is set back', async () => {
    const { clock, made, begin } = setup('2026-11-22T06:58:00Z');
    begin().reschedule();
    await clock.pass(5 * MINUTE);
    clock.jump(-2 * HOUR);
    await clock.pass(3 * HOUR);
    expect(made).toEqual(['11-22T07:00 at 11-22T07:00']);
  });
  it('continues daily after a clock that was years ahead', async () => {
    const { clock, made, begin } = setup('2026-11-22T06:00:00Z');
    begin().reschedule();
    clock.jump(1000 * 24 * HOUR);
    await clock.pass(2 * HOUR);
    clock.jump(-1000 * 24 * HOUR);
    await clock.pass(24 * HOUR);
    const times = made.map((each) => each.slice(0, 11));
    expect(times).toEqual(['08-17T07:00', '08-18T07:00', '11-22T07:00', '11-23T07:00']);
  });
  it('keeps a schedule that was set under a clock that was years ahead', async () => {
    const { clock, made, begin } = setup('2029-08-18T06:00:00Z');
    begin().reschedule();
    clock.jump(-1000 * 24 * HOUR);
    await clock.pass(26 * HOUR);
    expect(made.map((each) => each.slice(0, 11))).toEqual(['11-21T07:00', '11-22T07:00', '11-23T07:00']);
  });
  it('reports a schedule that cannot be read, and tries again', async () => {
    const { clock, made, state, reports, begin } = setup('2026-11-22T06:50:00Z', { timezone: 'Gone/Zone' });
    begin().reschedule();
    await clock.pass(MINUTE);
    expect(reports[0]).toContain('The schedule of the briefing:');
    state.settings = { ...state.settings, timezone: 'UTC' };
    await clock.pass(HOUR);
    expect(made).toEqual(['11-22T07:00 at 11-22T07:00']);
  });
  it('follows daylight saving time of its zone in both directions', async () => {
    const spring = setup('2026-03-29T00:00:00Z', { timezone: 'Europe/Berlin', time: '02:30' });
    spring.begin().reschedule();
    await spring.clock.pass(25 * HOUR);
    expect(spring.made).toEqual(['03-29T01:00 at 03-29T01:00', '03-30T00:30 at 03-30T00:30']);
    const autumn = setup('2026-10-25T00:00:00Z', { timezone: 'Europe/Berlin', time: '02:30' });
    autumn.begin().reschedule();
    await autumn.clock.pass(26 * HOUR);
    expect(autumn.made).toEqual(['10-25T00:30 at 10-25T00:30', '10-26T01:30 at 10-26T01:30']);
  });
});

describe('a clock that is not exact', () => {
  const SEVEN = Date.parse('2026-11-22T07:00:00Z');
  const settings = { ...BRIEFING_DEFAULTS, enabled: true, timezone: 'UTC' };

  /** The scheduled times that were requested, each with the time of its request, in the minutes around seven. */
  async function requestsOf(behaviour: Unsteadiness) {
    const start = SEVEN - 2 * MINUTE - 17_000;
    const clock = new UnsteadyClock(start, behaviour);
    const made: { readonly time: number; readonly at: number }[] = [];
    const reports: string[] = [];
    const timer = createScheduleTimer({
      now: () => clock.now(),
      after: (milliseconds, callback) => clock.after(milliseconds, callback),
      schedule: () => ({ settings, since: start - 12 * HOUR, taken: [made.at(-1)?.time ?? SEVEN - 24 * HOUR] }),
      request: async (time) => void made.push({ time, at: clock.now() }),
      report: (message) => void reports.push(message),
    });
    timer.reschedule();
    await clock.pass(7 * MINUTE);
    const end = clock.now();
    timer.stop();
    expect(reports).toEqual([]);
    return { made, end };
  }

  it('requests at the time, whether timers fire early or late and however long a reading takes', async () => {
    await fc.assert(
      fc.asyncProperty(unsteadiness(0), async (behaviour) => {
        const { made } = await requestsOf(behaviour);
        expect(made.map(({ time }) => time)).toEqual([SEVEN]);
        expect(made[0]!.at).toBeGreaterThanOrEqual(SEVEN);
        // A late timer and the few readings around it.
        expect(made[0]!.at).toBeLessThan(SEVEN + LATE_MS_MAX + 20);
      }),
      { numRuns: 150 },
    );
  });

  it('requests once and never before the time, whatever the clock jumps to; a minute after the time at the latest', async () => {
    await fc.assert(
      fc.asyncProperty(unsteadiness(3 * MINUTE), async (behaviour) => {
        const { made, end } = await requestsOf(behaviour);
        expect(made.length).toBeLessThanOrEqual(1);
        for (const { time, at } of made) expect([time, at >= SEVEN]).toEqual([SEVEN, true]);
        if (end >= SEVEN + MINUTE + LATE_MS_MAX + 20) expect(made).toHaveLength(1);
      }),
      { numRuns: 150 },
    );
  });
});
