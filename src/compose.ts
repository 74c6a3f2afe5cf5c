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
import { decodeEvents } from './events/decode.ts';
import type { EventTable } from './events/define.ts';
import { runEvents } from './events/run/events.ts';
import { isLocalHost } from './host-names.ts';
import { createCodeIndex } from './integrations/code-index/code-index.ts';
import { createEmbedders } from './integrations/embedders/embedders.ts';
import { createEvidenceFiles } from './integrations/evidence/evidence-files.ts';
import { createForge } from './integrations/forge/forge.ts';
import { createGit } from './integrations/git/git.ts';
import { wingOf } from './integrations/git/wing.ts';
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
import { createTextCipher, keyFromPassphrase, textCiphers } from './integrations/vault/text-cipher.ts';
import { createSecretVault } from './integrations/vault/vault.ts';
import { createVectorFiles } from './integrations/vectors/files.ts';
import { createReadWriteLock } from './lib/read-write-lock.ts';
import { Rooms } from './live/room/rooms.ts';
import type { Clock } from './ports/clock.ts';
import type { IdGenerator } from './ports/id-generator.ts';
import { harnessOverrides } from './projections/harness.ts';
import { openSealedIndex } from './projections/memory/sealed-index.ts';
import type { Projection } from './projections/projection.ts';
import { localVector } from './projections/recall/vector.ts';
import type { Views } from './projections/views.ts';
import { PastViews } from './queries/as-of/past-views.ts';
import { questionSteps } from './queries/memory/search.ts';
import { createBriefingRoutine } from './reactors/briefing/routine.ts';
import { indexBuilding } from './reactors/code-index/build.ts';
import { createIndexProgress } from './reactors/code-index/progress.ts';
import { Connectors } from './reactors/connector/connectors.ts';
import { DrawerIntake } from './reactors/memory/drawer-intake.ts';
import { EncryptionProcess } from './reactors/memory/encryption.ts';
import { EncryptionState } from './reactors/memory/encryption-state.ts';
import { MemoryVectors } from './reactors/memory/vectors/vectors.ts';
import { agentRun } from './reactors/run/agent-run.ts';
import { forgeReview } from './reactors/webhook/review.ts';
import { foldingOf, openProjector } from './read-models.ts';
import { eventsOf, type Resource } from './resource.ts';
import { type DaemonParts, resources } from './resources.ts';
import type { EventLog } from './storage/event-log.ts';
import { openStorage } from './storage/open.ts';
import { storageConfigOf } from './storage/ops/config.ts';
import type { StorageControl } from './storage/ops/control.ts';
import { createStorageOps, type OpsOptions } from './storage/ops/ops.ts';
import { createCommandHandler } from './streams/command-handler.ts';
import { createCommittedEvents } from './streams/committed-events.ts';
import type { ProjectorParts } from './streams/projector.ts';
import { ReactorRunner, type ReactorRunnerDependencies } from './streams/reactor-runner.ts';
import { createSubscriptions } from './streams/subscriptions.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** A line on stderr. */
  readonly announce: (line: string) => void;
  /** What is mounted beside the daemon's own resources. */
  readonly extensions?: readonly Resource<DaemonParts>[];
  /** The system's, unless a test brings others. */
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
  const events = eventsOf(allResources);
  const makeRoom = () => storage.reserve?.draw() ?? false;
  const streams = openStreams(log, { makeRoom, config, announce, clock, ids, projections, events });
  const { views, committed, commandHandler, projector } = streams;
  const folding = foldingOf(projector, views);
  const recording: Recording = (id) => recordingOf(decodeEvents(runEvents, log.readStream(`run-${id}`)));
  const outside = reachOutside({ config, env, clock, ids, recording });
  for (const trouble of await troubles({ config, env }, outside.models.configured)) announce(trouble);
  const machine = { commandHandler, appended$: committed.appended$, report: announce };
  const reactors = createReactors({ config, clock, ids, views, recording, outside, machine });
  const processState = createProcessState({ config, clock, ids });
  const services = {
    ...outside,
    ...streams,
    ...processState.services,
    config,
    clock,
    ids,
    random: Math.random,
    log,
    past: new PastViews({ log, events }),
    connectors: new Connectors({ views, commandHandler, vault: outside.vault }),
    ...createMemory({ config, env, announce, clock, ids }, { ...streams, log, outside, folding, control: ops.control }),
    rooms: new Rooms({ log, commandHandler, replicas: createReplicas(), announce }),
    indexProgress: reactors.indexProgress,
    viewsUnavailable: folding.unavailable,
    rebuildViews: folding.rebuild,
    storage: () => ({ backend: storage.backend, failure: log.failure?.message ?? null }),
    storageControl: ops.control,
    announce,
  };
  const { served, closing } = processState;
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

/** What there is one of in a process: its token, its start, its port once it listens, the signal that it closes. */
function createProcessState({ config, clock, ids }: Required<Pick<DaemonOptions, 'config' | 'clock' | 'ids'>>) {
  const served = { port: config.port };
  const closing = new AbortController();
  const services = {
    version: VERSION,
    token: ids.hex(16),
    startedAt: clock.now(),
    port: () => served.port,
    closing: closing.signal,
  };
  return { served, closing, services };
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
    reserveBytes: settings.diskReserveBytes,
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
    events,
    makeRoom,
  }: Required<Omit<DaemonOptions, 'env' | 'extensions'>> & {
    readonly projections: readonly Projection[];
    readonly events: EventTable;
    readonly makeRoom: ProjectorParts['makeRoom'];
  },
) {
  const { views, projector } = openProjector(config, { log, projections, events, makeRoom, report: announce });
  const committed = createCommittedEvents(log, projector);
  const commandHandler = createCommandHandler({ log, clock, ids, readModels: projector });
  return {
    views,
    projector,
    commandHandler,
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
      cipher: createTextCipher,
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

interface MemoryParts extends ReturnType<typeof openStreams> {
  readonly log: EventLog;
  readonly outside: Outside;
  readonly folding: ReturnType<typeof foldingOf>;
  readonly control: StorageControl;
}

/** Memory: its encryption, its vectors, and the intake of drawers. */
function createMemory(
  { config, env, announce, clock, ids }: Required<Omit<DaemonOptions, 'extensions'>>,
  { log, outside, folding, control, ...streams }: MemoryParts,
) {
  const { views, committed } = streams;
  const { folded$ } = committed;
  const wing = once(() => wingOf(config.workspace));
  const encryption = new EncryptionState({ views, folded$, openIndex: openSealedIndex });
  const memoryLock = createReadWriteLock();
  const memoryVectors = new MemoryVectors({
    ...{ views, folded$, encryption, announce, clock },
    embedders: outside.embedders,
    viewsUnavailable: folding.unavailable,
    files: createVectorFiles(config.ephemeral ? null : join(config.home, 'vectors')),
  });
  const parts = { ...streams, log, clock, ids, encryption, wing };
  const encryptionProcess = new EncryptionProcess({
    ...parts,
    announce,
    lock: memoryLock,
    ciphers: textCiphers,
    secrets: outside.secrets,
    passphrase: env.DAYBOOK_MEMORY_PASSPHRASE,
    isRequired: config.memory_encryption,
    rekeyVectors: () => memoryVectors.rekey(),
    rebuildViews: folding.rebuild,
    storageControl: control,
    warmUpSteps: questionSteps(parts),
  });
  const drawerIntake = new DrawerIntake({ ...parts, lock: memoryLock });
  return { wing, encryption, memoryLock, memoryVectors, encryptionProcess, drawerIntake };
}

/** The value of the first call, for every call. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
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
    runs: new ReactorRunner(agentRun({ ...asking, ids, tools, runsMax: config.runs_max }), machine),
    reviews: new ReactorRunner(forgeReview({ ...asking, forge }), machine),
    builds: new ReactorRunner(indexBuilding({ codeIndex, embedders, clock, progress: indexProgress }), machine),
  };
}
