/** Runs the briefings: the reactor that makes them, and the timer that requests the scheduled ones. */
import { briefing } from '../../commands/briefing/decide.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import { BRIEFING_LOCK_KEY, BRIEFING_TURN_ID, briefingPolicy, briefingTurn } from '../../commands/briefing/turn.ts';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { Refused } from '../../commands/refusal.ts';
import type { Timers } from '../../lib/timers.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Leases } from '../../ports/leases.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { runningBriefingIds } from '../../projections/briefing.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import type { GatherDependencies } from '../../queries/briefing/gather.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import { ReactorRunner } from '../../streams/reactor-runner.ts';
import { briefingReactor } from './briefing.ts';
import { createScheduleTimer } from './schedule-timer.ts';

interface Dependencies extends GatherDependencies {
  readonly config: GatherDependencies['config'] & { readonly model_stall_seconds: number };
  readonly ids: IdGenerator;
  readonly timers: Timers;
  random(): number;
  readonly commandHandler: CommandHandler;
  readonly leases: Leases;
  readonly committed: CommittedEvents;
  readonly models: ModelsPort;
  announce(line: string): void;
}

export interface BriefingRoutine {
  /** Continues the unfinished briefing of an earlier process, and arms the timer. */
  start(): Promise<void>;
  stop(reason: string, graceMs: number): Promise<void>;
}

export function createBriefingRoutine(deps: Dependencies): BriefingRoutine {
  const { commandHandler, committed, views, clock, timers, random, models, config, announce } = deps;
  const runner = new ReactorRunner(
    briefingReactor({
      models,
      timers,
      random,
      settings: (provider, model) => resolveHarness({ provider, model, overrides: harnessOverrides(views) }).effective,
      stallMs: config.model_stall_seconds * 1000,
      gather: async (request, signal) =>
        (await import('../../queries/briefing/gather.ts')).gather(deps, request, signal),
    }),
    { commandHandler, leases: deps.leases, appended$: committed.appended$, report: announce },
  );
  const timer = createScheduleTimer({
    now: () => clock.now(),
    after: (milliseconds, callback) => timers.after(milliseconds, callback),
    schedule() {
      const { settings, scheduleSince: since } = commandHandler.load(briefingSettings, BRIEFING_SETTINGS_ID);
      return { settings, since, taken: commandHandler.load(briefingTurn, BRIEFING_TURN_ID).taken };
    },
    request: (scheduledFor) => requestScheduled(deps, scheduledFor),
    report: announce,
  });
  const settingsStream = `${briefingSettings.category}-${BRIEFING_SETTINGS_ID}`;
  committed.appended$.pipe(select({ stream: settingsStream })).subscribe(() => timer.reschedule());
  return {
    async start() {
      await runner.recover(runningBriefingIds(views), 'the daemon was restarted');
      timer.reschedule();
    },
    stop(reason, graceMs) {
      timer.stop();
      return runner.stop(reason, graceMs);
    },
  };
}

/** A refusal is expected while another briefing is running: the timer requests again. */
async function requestScheduled({ commandHandler, ids, announce }: Dependencies, scheduled_for: number): Promise<void> {
  const { settings } = commandHandler.load(briefingSettings, BRIEFING_SETTINGS_ID);
  const command = { type: 'RequestBriefing', scheduled_for, settings } as const;
  const origin = { actor: 'system', correlation: null };
  try {
    const options = { origin, policy: briefingPolicy, lockKey: BRIEFING_LOCK_KEY };
    await commandHandler.dispatch(briefing, ids.uuid(), command, options);
  } catch (error) {
    if (!(error instanceof Refused)) announce(`The briefing could not be asked for: ${(error as Error).message}`);
  }
}
