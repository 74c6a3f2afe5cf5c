/** Creates the reactors: agent runs, reviews of forge deliveries, builds of code indexes. */
import { resolveHarness } from '../commands/harness/defaults.ts';
import { REPLAY_PROVIDER } from '../integrations/models/replay.ts';
import { buildingIndexIds } from '../projections/code-index.ts';
import { harnessOverrides } from '../projections/harness.ts';
import { activeRuns } from '../projections/run/job-rows.ts';
import type { Views } from '../projections/views.ts';
import { pendingDeliveryIds } from '../projections/webhook.ts';
import { indexBuilding } from '../reactors/code-index/build.ts';
import { createIndexProgress } from '../reactors/code-index/progress.ts';
import type { Nodes } from '../reactors/nodes/nodes.ts';
import { agentRun } from '../reactors/run/agent-run.ts';
import { forgeReview } from '../reactors/webhook/review.ts';
import { ReactorRunner, type ReactorRunnerDependencies } from '../streams/reactor-runner.ts';
import type { Integrations, Recording } from './integrations.ts';
import type { System } from './system.ts';

interface Parts extends System {
  readonly views: Views;
  readonly recording: Recording;
  readonly integrations: Integrations;
  readonly nodes: Pick<Nodes, 'takes' | 'named'>;
  readonly runner: ReactorRunnerDependencies;
}

export function createReactors({ config, clock, timers, ids, views, recording, integrations, nodes, runner }: Parts) {
  const { models, tools, forge, codeIndex, embedders } = integrations;
  const modelCalls = {
    models,
    clock,
    timers,
    random: Math.random,
    settings: (provider: string, model: string) =>
      (provider === REPLAY_PROVIDER ? recording(model)?.settings : undefined) ??
      resolveHarness({ provider, model, overrides: harnessOverrides(views) }).effective,
    stallMs: config.model_stall_seconds * 1000,
  };
  const indexProgress = createIndexProgress();
  const runs = agentRun({ ...modelCalls, ids, tools, runsMax: config.runs_max, nodes });
  const reviews = forgeReview({ ...modelCalls, forge });
  const builds = indexBuilding({ codeIndex, embedders, clock, progress: indexProgress });
  return {
    indexProgress,
    /** `unfinished`: ids of the streams to recover at a start. */
    reactors: [
      { runner: new ReactorRunner(runs, runner), unfinished: () => activeRuns(views).map(({ id }) => id) },
      { runner: new ReactorRunner(reviews, runner), unfinished: () => pendingDeliveryIds(views) },
      { runner: new ReactorRunner(builds, runner), unfinished: () => buildingIndexIds(views) },
    ],
  };
}
