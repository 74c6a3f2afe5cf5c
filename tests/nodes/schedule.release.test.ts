/** The scheduled briefing of two daemons in this process, with a clock that the test moves. */
import { expect, it } from 'vitest';
import { WEEKDAYS } from '../../src/events/briefing/events.ts';
import { systemClock } from '../../src/integrations/system.ts';
import { START_PAUSE_MS } from '../../src/reactors/briefing/routine.ts';
import { daemonHere, type TestDaemon } from '../support/daemon.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;

withPostgres('the scheduled briefing', (cluster) => {
  async function daemon(log: string, clock = systemClock): Promise<TestDaemon> {
    const made = await daemonHere({ clock, flags: { log } });
    return made;
  }

  it('is made once, although both daemons ask for it', async () => {
    const log = await cluster().newLog();
    // Noon: far from the time of the briefing, so that it does not come while the test runs.
    const ahead = DAY_MS / 2 - (systemClock.now() % DAY_MS);
    const first = await daemon(log, { now: () => systemClock.now() + ahead });
    const body = JSON.stringify({ enabled: true, time: '00:00', timezone: 'UTC', days: WEEKDAYS });
    expect((await first.request('/briefing/settings', { method: 'PUT', body })).status).toBe(200);
    await first.stop();
    const tomorrow = { now: () => systemClock.now() + ahead + DAY_MS };
    const both = await Promise.all([daemon(log, tomorrow), daemon(log, tomorrow)]);
    const startedAt = performance.now();
    const ofBriefings = () => [...both[0]!.log.readAll()].filter(({ stream }) => stream.startsWith('briefing-'));
    const count = (type: string): number => ofBriefings().filter((event) => event.type === type).length;
    await until(() => count('BriefingWritten') >= 1, 'a briefing is written');
    // Each timer asks 5 s after its daemon's start.
    await until(() => performance.now() > startedAt + 2 * START_PAUSE_MS, 'both timers have asked');
    expect([count('BriefingRequested'), count('BriefingWritten')]).toEqual([1, 1]);
  });
});
