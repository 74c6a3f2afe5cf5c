/**
 * The one composition root: opens the log and the views, reaches for the outside, and wires it all behind the routes.
 * The only importer of integrations. When it is done nothing is going yet; `daemon` starts and stops it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveHarness } from './commands/harness/defaults.ts';
import { type RunRecording, recordingOf } from './commands/run/recording.ts';
import { requestHash } from './commands/run/request.ts';
import type { Config } from './config.ts';
import { isLocalHost } from './host-names.ts';
import { createCodeIndex } from './integrations/code-index/code-index.ts';
import { createEmbedders } from './integrations/embedders/embedders.ts';
import { createEvidenceFiles } from './integrations/evidence/evidence-files.ts';
import { createForge } from './integrations/forge/forge.ts';
import { createGit } from './integrations/git/git.ts';
import { createKeyring } from './integrations/keyring/keyring.ts';
import { createMcp } from './integrations/mcp/mcp.ts';
import { createModels, modelTrouble } from './integrations/models/models.ts';
import { REPLAY_PROVIDER, withReplay } from './integrations/models/replay.ts';
import { createOffice } from './integrations/office/office.ts';
import { createPdf } from './integrations/pdf/pdf.ts';
import { createPlugins } from './integrations/plugins/plugins.ts';
import { createReplicas } from './integrations/rooms/replicas.ts';
import { createSkills } from './integrations/skills.ts';
import { createSpeech } from './integrations/speech/speech.ts';
import { systemClock, systemIds } from './integrations/system.ts';
import { confine } from './integrations/tools/confine.ts';
import { withDelegates } from './integrations/tools/delegates.ts';
import { createTools } from './integrations/tools/tools.ts';
import { createVault, keyFromPassphrase } from './integrations/vault/text-cipher.ts';
import { createSecretVault } from './integrations/vault/vault.ts';
import { createVectorFiles } from './integrations/vectors/files.ts';
import { Rooms } from './live/room/rooms.ts';
import type { Clock } from './ports/clock.ts';
import type { IdGenerator } from './ports/id-generator.ts';
import { harnessOverrides } from './projections/harness.ts';
import { openSealedIndex } from './projections/memory/sealed-index.ts';
import type { Projection } from './projections/projection.ts';
import { localVector } from './projections/recall/vector.ts';
import type { Views } from './projections/views.ts';
import { createBriefingRoutine } from './reactors/briefing/routine.ts';
import { indexBuilding } from './reactors/code-index/build.ts';
import { createIndexProgress } from './reactors/code-index/progress.ts';
import { createMemoryKeeper } from './reactors/memory/memory-store.ts';
import { createMemoryVectors } from './reactors/memory/vectors/vectors.ts';
import { agentRun } from './reactors/run/agent-run.ts';
import { forgeReview } from './reactors/webhook/review.ts';
import { foldingOf, openProjector } from './read-models.ts';
import type { Resource } from './resource.ts';
import { type DaemonParts, resources } from './resources.ts';
import type { EventLog } from './storage/event-log.ts';
import { openStorage } from './storage/open.ts';
import { storageConfigOf } from './storage/ops/config.ts';
import { createStorageOps, type OpsOptions } from './storage/ops/ops.ts';
import { createCommittedEvents } from './streams/committed-events.ts';
import { createDispatcher } from './streams/dispatch.ts';
import { createReactorRunner, type ReactorRunnerDependencies } from './streams/reactor-runner.ts';
import { createSubscriptions } from './streams/subscriptions.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** A line on stderr. */
  readonly announce: (line: string) => void;
  /** Clock, ids and chance; the machine's own unless a test brings others. */
  /** What is mounted beside the daemon's own resources. */
  readonly extensions?: readonly Resource<DaemonParts>[];
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
}

export type Parts = Awaited<ReturnType<typeof compose>>;
type Outside = ReturnType<typeof reachOutside>;
/** What a finished run recorded, by its id. */
type Recording = (id: string) => RunRecording | undefined;

const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

export async function compose({
  config,
  env,
  announce,
  extensions = [],
  clock = systemClock,
  ids = systemIds,
}: DaemonOptions) {
  const { storage, ops } = await openLog({ config, announce, unavailable: () => folding.unavailable() });
  const { log } = ops;
  const allResources: readonly Resource<DaemonParts>[] = [...resources, ...extensions];
  const projections = allResources.flatMap((each) => each.projections);
  const streams = openStreams(log, { config, announce, clock, ids, projections });
  const { views, committed, dispatcher, projector } = streams;
  const folding = foldingOf(projector, views);
  const recording: Recording = (id) => recordingOf(log.readStream(`run-${id}`) as never);
  const outside = reachOutside({ config, env, clock, ids, recording });
  for (const trouble of await troubles({ config, env }, outside.models.configured)) announce(trouble);
  const { embedders, secrets } = outside;
  const memoryKeeper = createMemoryKeeper({
    views,
    log,
    folded$: committed.folded$,
    secrets,
    passphrase: env.DAYBOOK_MEMORY_PASSPHRASE,
    openIndex: openSealedIndex,
    announce,
  });
  const memoryVectors = createMemoryVectors({
    embedders,
    views,
    folded$: committed.folded$,
    memory: memoryKeeper,
    announce,
    clock,
    viewsUnavailable: folding.unavailable,
    files: createVectorFiles(config.ephemeral ? null : join(config.home, 'vectors')),
  });
  const machine = { dispatcher, appended$: committed.appended$, report: announce };
  const reactors = createReactors({ config, clock, ids, views, recording, outside, machine });
  const served = { port: config.port };
  const closing = new AbortController();
  const services = {
    ...outside,
    ...streams,
    config,
    version: VERSION,
    clock,
    ids,
    random: Math.random,
    log,
    memory: memoryKeeper,
    memoryVectors,
    rooms: new Rooms({ log, dispatcher, replicas: createReplicas(), announce }),
    indexProgress: reactors.indexProgress,
    token: ids.hex(16),
    startedAt: clock.now(),
    port: () => served.port,
    viewsUnavailable: folding.unavailable,
    rebuildViews: folding.rebuild,
    storage: () => ({ backend: storage.backend, failure: log.failure?.message ?? null }),
    storageControl: ops.control,
    announce,
    closing: closing.signal,
  };
  const routine = createBriefingRoutine(services);
  return {
    services,
    allResources,
    served,
    closing,
    storage,
    ops,
    views,
    foldViews: folding.catchUp,
    routine,
    ...reactors,
  };
}

/** Settings that are right, each on its own, and with which every run would fail. */
async function troubles(
  { config, env }: Pick<DaemonOptions, 'config' | 'env'>,
  own: Outside['models']['configured'],
): Promise<readonly string[]> {
  const model = own.provider === REPLAY_PROVIDER ? null : modelTrouble(own, env);
  const place = await confine(config, config.workspace, 'write');
  return [
    ...(model === null ? [] : [`No model answers until this is mended: ${model}`]),
    ...(place.ok ? [] : [`No tool works in the workspace until another is set: ${place.reason}`]),
  ];
}

/** The log, and the operations around it: metrics, probes, daily backup. */
async function openLog({
  config,
  announce,
  unavailable,
}: Pick<DaemonOptions, 'config' | 'announce'> & { readonly unavailable: OpsOptions['views'] }) {
  const { home, ephemeral } = config;
  const settings = storageConfigOf(home, config.storage_config);
  const directory = join(home, 'data');
  const backend = config.backend ?? settings.backend;
  const storage = await openStorage({
    directory,
    ...(backend === undefined ? {} : { backend }),
    config: settings.engines,
    ephemeral,
  });
  const ops = createStorageOps({
    storage,
    place: ephemeral ? null : { directory, home },
    config: settings,
    port: config.storage_ops_port === 'off' ? null : config.storage_ops_port,
    version: VERSION,
    admitsHost: isLocalHost,
    views: unavailable,
    report: announce,
  });
  return { storage, ops };
}

/** What runs on the log: the views and their folds, commands, committed events and subscriptions to them. */
function openStreams(
  log: EventLog,
  {
    config,
    announce,
    clock,
    ids,
    projections,
  }: Required<Omit<DaemonOptions, 'env' | 'extensions'>> & { readonly projections: readonly Projection[] },
) {
  const { views, projector } = openProjector(config, { log, projections, report: announce });
  const committed = createCommittedEvents(log, projector);
  const dispatcher = createDispatcher({ log, clock, ids });
  return {
    views,
    projector,
    dispatcher,
    committed,
    subscriptions: createSubscriptions({ log, views, committed, report: announce }),
  };
}

/** One of everything that is not ours, each behind its port. */
function reachOutside({
  config,
  env,
  clock,
  ids,
  recording,
}: Required<Omit<DaemonOptions, 'announce' | 'extensions'>> & { readonly recording: Recording }) {
  const { home, ephemeral } = config;
  const keyring = createKeyring();
  const models = createModels({ env, provider: config.provider, model: config.model });
  const embedders = createEmbedders({
    env,
    provider: config.embedding_provider,
    model: config.embedding_model,
    dimensions: config.embedding_dimensions,
    localVector,
  });
  return {
    models: withReplay(models, { recording, hash: requestHash }),
    embedders,
    ...withDelegates(createTools({ home, env })),
    secrets: keyring,
    vault: createSecretVault({
      home: ephemeral ? null : home,
      keyring,
      passphrase: env.DAYBOOK_VAULT_PASSPHRASE,
      cipher: createVault,
      stretch: keyFromPassphrase,
    }),
    mcp: createMcp({ home, env, version: VERSION, marker: () => `probe-${ids.uuid()}` }),
    forge: createForge({ hosts: config.forge_hosts, home, env }),
    codeIndex: createCodeIndex(config, embedders),
    skills: createSkills(config.workspace),
    plugins: createPlugins(config),
    git: createGit(env),
    evidenceFiles: createEvidenceFiles({ home }),
    office: createOffice({ home, env, now: () => clock.now(), ephemeral }),
    pdf: createPdf({ home }),
    speech: createSpeech({
      home,
      env,
      now: () => clock.now(),
      newId: () => ids.uuid(),
      localModel: config.voice_local_model,
    }),
  };
}

/** What acts on events by itself: agent runs, reviews of forge deliveries, builds of code indexes. */
function createReactors({
  config,
  clock,
  ids,
  views,
  recording,
  outside,
  machine,
}: {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly recording: Recording;
  readonly outside: Outside;
  readonly machine: ReactorRunnerDependencies;
}) {
  const { models, tools, forge, codeIndex, embedders } = outside;
  const asking = {
    models,
    clock,
    random: Math.random,
    settings: (provider: string, model: string) =>
      (provider === REPLAY_PROVIDER ? recording(model)?.settings : undefined) ??
      resolveHarness({ provider, model, overrides: harnessOverrides(views) }).effective,
    stallMs: config.model_stall_seconds * 1000,
  };
  const indexProgress = createIndexProgress();
  return {
    indexProgress,
    runs: createReactorRunner(agentRun({ ...asking, ids, tools, runsMax: config.runs_max }), machine),
    reviews: createReactorRunner(forgeReview({ ...asking, forge }), machine),
    builds: createReactorRunner(indexBuilding({ codeIndex, embedders, clock, progress: indexProgress }), machine),
  };
}
