/** The briefings at work: the reactor that makes them, and the clock that asks for them. */

import { briefing } from '../../commands/briefing/decide.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import { BRIEFING_TURN, BRIEFING_TURN_ID, briefingTurn, takingTurn } from '../../commands/briefing/turn.ts';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { Refused } from '../../commands/refusal.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CodeIndexPort } from '../../ports/code-index.ts';
import type { EmbeddersPort } from '../../ports/embedder.ts';
import type { GitPort } from '../../ports/git.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { runningBriefingIds } from '../../projections/briefing.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { StorageControl } from '../../storage/ops/control.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import type { Dispatcher } from '../../streams/dispatch.ts';
import { select } from '../../streams/operators.ts';
import { createReactorRunner } from '../../streams/reactor-runner.ts';
import { briefingReactor } from './briefing.ts';
import { createBriefingClock } from './clock.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  random(): number;
  readonly log: EventLog;
  readonly views: Views;
  readonly dispatcher: Dispatcher;
  readonly committed: CommittedEvents;
  readonly models: ModelsPort;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
  readonly git: GitPort;
  viewsUnavailable(): string | null;
  readonly storageControl: StorageControl;
  announce(line: string): void;
}

export interface BriefingRoutine {
  /** Carries on what an earlier process left, and sets the clock. */
  start(): Promise<void>;
  stop(reason: string, graceMs: number): Promise<void>;
}

export function createBriefingRoutine(deps: Dependencies): BriefingRoutine {
  const { dispatcher, committed, views, clock, random, models, config, announce } = deps;
  const runner = createReactorRunner(
    briefingReactor({
      models,
      random,
      settings: (provider, model) => resolveHarness({ provider, model, overrides: harnessOverrides(views) }).effective,
      stallMs: config.model_stall_seconds * 1000,
      gather: async (request, signal) =>
        (await import('../../queries/briefing/gather.ts')).gather(deps, request, signal),
    }),
    { dispatcher, appended$: committed.appended$, report: announce },
  );
  const schedule = createBriefingClock({
    now: () => clock.now(),
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds).unref();
      return () => clearTimeout(timer);
    },
    schedule() {
      const { settings, scheduleSince: since } = dispatcher.load(briefingSettings, BRIEFING_SETTINGS_ID);
      return { settings, since, taken: dispatcher.load(briefingTurn, BRIEFING_TURN_ID).taken };
    },
    request: (scheduledFor) => requestAt(deps, scheduledFor),
    report: announce,
  });
  const settingsStream = `${briefingSettings.category}-${BRIEFING_SETTINGS_ID}`;
  committed.appended$.pipe(select({ stream: settingsStream })).subscribe(() => schedule.set());
  return {
    async start() {
      await runner.recover(runningBriefingIds(views), 'the daemon was restarted');
      schedule.set();
    },
    stop(reason, graceMs) {
      schedule.stop();
      return runner.stop(reason, graceMs);
    },
  };
}

/** Refused while another one is being made: the clock asks again. */
async function requestAt({ dispatcher, ids, announce }: Dependencies, scheduled_for: number): Promise<void> {
  const { settings } = dispatcher.load(briefingSettings, BRIEFING_SETTINGS_ID);
  const command = { type: 'RequestBriefing', scheduled_for, settings } as const;
  const origin = { actor: 'system', correlation: null };
  try {
    const options = { origin, together: takingTurn, turn: BRIEFING_TURN };
    await dispatcher.dispatch(briefing, ids.uuid(), command, options);
  } catch (error) {
    if (!(error instanceof Refused)) announce(`The briefing could not be asked for: ${(error as Error).message}`);
  }
}
