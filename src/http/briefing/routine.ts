/** The briefings at work: the reactor that makes them, and the clock that asks for them. */

import { briefing } from '../../commands/briefing/briefing.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import { BRIEFING_LOCK_KEY, BRIEFING_TURN_ID, briefingPolicy, briefingTurn } from '../../commands/briefing/turn.ts';
import { resolveHarness } from '../../commands/harness-defaults.ts';
import { runningBriefingIds } from '../../projections/briefings.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import { briefingReactor } from '../../reactors/briefing.ts';
import { createBriefingClock } from '../../reactors/briefing-clock.ts';
import { Refused } from '../../streams/command-handler.ts';
import { createReactorRunner } from '../../streams/react.ts';
import type { House } from '../house.ts';

export interface BriefingRoutine {
  /** Carries on what an earlier process left, and sets the clock. */
  start(): Promise<void>;
  stop(reason: string, graceMs: number): Promise<void>;
}

export function createBriefingRoutine(house: House): BriefingRoutine {
  const { dispatcher, feed, views, ambient, models, config, announce } = house;
  const runner = createReactorRunner(
    briefingReactor({
      models,
      ambient,
      settings: (provider, model) => resolveHarness({ provider, model, overrides: harnessOverrides(views) }).effective,
      stallMs: config.model_stall_seconds * 1000,
      gather: async (request, signal) => (await import('./gather.ts')).gather(house, request, signal),
    }),
    { dispatcher, feed, report: announce },
  );
  const clock = createBriefingClock({
    now: () => ambient.now(),
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds).unref();
      return () => clearTimeout(timer);
    },
    schedule() {
      const { settings, scheduleSince: since } = dispatcher.load(briefingSettings, BRIEFING_SETTINGS_ID);
      return { settings, since, taken: dispatcher.load(briefingTurn, BRIEFING_TURN_ID).taken };
    },
    request: (scheduledFor) => requestAt(house, scheduledFor),
    report: announce,
  });
  const mine = `${briefingSettings.category}-${BRIEFING_SETTINGS_ID}`;
  feed.committed$.subscribe((events) => {
    if (events.some(({ stream }) => stream === mine)) clock.set();
  });
  return {
    async start() {
      await runner.recover(runningBriefingIds(views), 'the daemon was restarted');
      clock.set();
    },
    stop(reason, graceMs) {
      clock.stop();
      return runner.stop(reason, graceMs);
    },
  };
}

/** Refused while another one is being made: the clock asks again. */
async function requestAt({ dispatcher, ambient, announce }: House, scheduled_for: number): Promise<void> {
  const { settings } = dispatcher.load(briefingSettings, BRIEFING_SETTINGS_ID);
  const command = { type: 'RequestBriefing', scheduled_for, settings } as const;
  const origin = { actor: 'system', correlation: null };
  try {
    const options = { origin, together: briefingPolicy, turn: BRIEFING_LOCK_KEY };
    await dispatcher.dispatch(briefing, ambient.uuid(), command, options);
  } catch (error) {
    if (!(error instanceof Refused)) announce(`The briefing could not be asked for: ${(error as Error).message}`);
  }
}
