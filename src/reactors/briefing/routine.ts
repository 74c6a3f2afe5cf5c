/** Runs the briefings: the reactor that makes them, and the timer that requests the scheduled ones. */
import { briefing } from '../../commands/briefing/decide.ts';
import { dueTime, nextTime } from '../../commands/briefing/schedule.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import { BRIEFING_LOCK_KEY, BRIEFING_TURN_ID, briefingPolicy, briefingTurn } from '../../commands/briefing/turn.ts';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { Refused } from '../../commands/refusal.ts';
import type { BriefingSettings } from '../../events/briefing/events.ts';
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

interface ScheduleTimerParts {
  readonly now: () => number;
  readonly after: Timers['after'];
  readonly schedule: () => {
    readonly settings: BriefingSettings;
    /** The time of the last change of the schedule, Unix milliseconds. */
    readonly since: number;
    /** The scheduled times of the newest scheduled briefings, Unix milliseconds. */
    readonly taken: readonly number[];
  };
  readonly request: (scheduledFor: number) => Promise<void>;
  /** Called when the schedule cannot be read or the request fails; the timer retries after a minute. */
  readonly report: (message: string) => void;
}

interface ScheduleTimer {
  /** Reads the settings and arms the timer for them: at the start and after each change. */
  reschedule(): void;
  stop(): void;
}

/** A missed briefing is requested this long after the daemon starts. */
export const START_PAUSE_MS = 5_000;
const WAIT_MS_MIN = 1;
const WAIT_MS_MAX = 60_000;

/**
 * The timer that requests scheduled briefings.
 *
 * - There is one timer, and only while the schedule is on. It waits a minute at most, so that it notices a changed
 *   clock and a machine that slept. One briefing makes up for all missed times.
 * - The timer may request too often: `briefing_turn` allows one briefing for each time.
 */
export function createScheduleTimer({ now, after, schedule, request, report }: ScheduleTimerParts): ScheduleTimer {
  let cancel: (() => void) | null = null;
  let isStopped = false;

  function arm(ms: number): void {
    cancel?.();
    cancel = isStopped ? null : after(ms, () => void tick().catch(failed));
  }

  function failed(error: unknown): void {
    report(`The schedule of the briefing: ${(error as Error).message}`);
    arm(WAIT_MS_MAX);
  }

  async function tick(): Promise<void> {
    const moment = readSchedule();
    if (moment === null || isStopped) return;
    if (moment.due === null) return arm(moment.wait);
    await request(moment.due);
    const later = readSchedule();
    if (later === null) return;
    // If the same time is still due, its request was refused. If another time is due, it came up during the request.
    arm(later.due === null || later.due === moment.due ? later.wait : WAIT_MS_MIN);
  }

  /** Reads the clock once, because a scheduled time may pass between two readings. Null while the schedule is off. */
  function readSchedule(): { readonly due: number | null; readonly wait: number } | null {
    const { settings, since, taken } = schedule();
    if (!settings.enabled) return null;
    const moment = now();
    const wait = Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, nextTime(moment, settings) - moment));
    return { due: dueTime(moment, settings, { since, taken }), wait };
  }

  return {
    reschedule() {
      cancel?.();
      cancel = null;
      try {
        const moment = readSchedule();
        if (moment !== null) arm(moment.due === null ? moment.wait : START_PAUSE_MS);
      } catch (error) {
        failed(error);
      }
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
