/**
 * The composition root: opens the log and the views, creates all parts and connects them. `compose/` has the larger
 * groups of parts. `daemon.ts` starts and stops the parts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingOf } from './commands/run/recording.ts';
import { FoldingThread } from './compose/fold-ahead.ts';
import { createIntegrations, type Integrations, type Recording, troubles } from './compose/integrations.ts';
import { openLogStorage } from './compose/log-storage.ts';
import { createMemory } from './compose/memory.ts';
import { clusterFamilies, createCluster } from './compose/nodes.ts';
import { createReactors } from './compose/reactors.ts';
import { createTlog, tlogFamilies } from './compose/tlog.ts';
import { CheckpointThread } from './compose/views-checkpoints.ts';
import type { Config } from './config.ts';
import { decodeEvents } from './events/decode.ts';
import type { EventTable } from './events/define.ts';
import { runEvents } from './events/run/events.ts';
import { isLocalHost } from './host-names.ts';
import { createReplicas } from './integrations/rooms/replicas.ts';
import { systemClock, systemHost, systemIds } from './integrations/system.ts';
import { systemTimers, type Timers } from './lib/timers.ts';
import { McpSessions } from './live/mcp/sessions.ts';
import { Rooms } from './live/room/rooms.ts';
import type { Clock } from './ports/clock.ts';
import type { IdGenerator } from './ports/id-generator.ts';
import type { ModelsPort } from './ports/models.ts';
import type { Projection } from './projections/projection.ts';
import { activeRuns } from './projections/run/job-rows.ts';
import { PastViews } from './queries/as-of/past-views.ts';
import { createBriefingRoutine } from './reactors/briefing/routine.ts';
import { Connectors } from './reactors/connector/connectors.ts';
import { MetricsHistory } from './reactors/metrics/history.ts';
import { foldingOf, openProjector } from './read-models.ts';
import { categoriesOf, eventsOf, type Resource } from './resource.ts';
import { type DaemonParts, resources } from './resources.ts';
import type { Disk } from './storage/disk.ts';
import type { EventLog } from './storage/event-log.ts';
import type { LogDatabase } from './storage/open.ts';
import { storageConfigOf } from './storage/ops/config.ts';
import { createStorageOps, type OpsOptions } from './storage/ops/ops.ts';
import { createCommandHandler } from './streams/command-handler.ts';
import { createCommittedEvents } from './streams/committed-events.ts';
import { createPositions } from './streams/positions.ts';
import type { ProjectorParts } from './streams/projector.ts';
import { createSubscriptions } from './streams/subscriptions.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a line to stderr. */
  readonly announce: (line: string) => void;
  /** Resources beside the daemon's own. */
  readonly extensions?: readonly Resource<DaemonParts>[];
  /** Default: the clock of the system. The same holds for timers and ids. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly ids?: IdGenerator;
  /** Replaces the configured model providers. */
  readonly models?: ModelsPort | undefined;
  /** Called while the copy of a log in a database catches up, with the event counts of the copy and of the database. */
  readonly copying?: (done: number, total: number) => void;
  /** File system of the engines `cow` and `lsm`; default: that of the machine. */
  readonly disk?: Disk | undefined;
}

/** @internal */
export type Parts = Awaited<ReturnType<typeof compose>>;

/** @internal */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/**
 * Creates the parts of a daemon. `ownToken` replaces a random token. When it rejects, it has closed what it opened.
 *
 * @internal
 */
export async function compose({
  config,
  ownToken,
  env,
  announce,
  extensions = [],
  clock = systemClock,
  timers = systemTimers,
  ids = systemIds,
  models,
  disk,
  copying = () => {},
}: DaemonOptions & { readonly ownToken: string | null }) {
  await using opened = new AsyncDisposableStack();
  const system = { config, clock, timers, ids };
  const families = () => [...tlogFamilies(tlog), ...clusterFamilies(cluster)];
  const late = { makesBackups: () => cluster.backups.isOn(), views: () => folding.unavailable(), families };
  const ahead = foldingThread(config, announce, extensions);
  const { storage, ops, log } = await openLog({ ...system, env, announce, disk, ahead, copying, opened, ...late });
  const { allResources, ...declared } = declaredBy([...resources, ...extensions]);
  const makeRoom = () => storage.reserve?.draw() ?? false;
  const refresh = storage.database?.refresh;
  const streams = openStreams(log, { refresh, makeRoom, config, announce, clock, ids, ahead, opened, ...declared });
  const { views, committed, commandHandler, projector } = streams;
  const folding = foldingOf(projector, views);
  const recording: Recording = (id) => recordingOf(decodeEvents(runEvents, log.readStream(`run-${id}`)));
  const integrations = createIntegrations({ ...system, env, version: VERSION, recording, models });
  for (const trouble of await troubles({ config, env, models }, integrations.models.configured)) announce(trouble);
  const { cluster, reactors } = await openWork({ ...system, ...streams, env, announce, log, recording, integrations });
  const { served, closing, services: ofProcess } = createProcessState({ ...system, ownToken });
  const shared = { ...system, ...streams, announce, log, integrations };
  const memory = createMemory({ ...shared, cluster, env, folding, storageControl: ops.control });
  const tlog = createTlog({ ...shared, cluster, encryption: memory.encryption });
  const services = {
    ...integrations,
    ...streams,
    ...ofProcess,
    ...system,
    random: Math.random,
    ...{ leases: cluster.leases, nodes: cluster.nodes },
    log,
    past: new PastViews({ log, events: declared.events }),
    connectors: new Connectors({ views, commandHandler, vault: integrations.vault }),
    ...memory,
    ...tlog,
    mcpSessions: new McpSessions({ clock, version: VERSION }),
    rooms: new Rooms({ ...shared, replicas: createReplicas(), ...committed, isShared: cluster.leases.isShared }),
    indexProgress: reactors.indexProgress,
    ...{ viewsUnavailable: folding.unavailable, viewsOutdated: folding.outdated },
    rebuildViews: folding.rebuild,
    storage: () => ({ backend: storage.backend, failure: log.failure?.message ?? null }),
    storageControl: ops.control,
    metricsHistory: new MetricsHistory({ clock, timers, appended$: committed.appended$, sample: ops.sample }),
    announce,
  };
  const routine = createBriefingRoutine(services);
  const started = { storage, ops, cluster, views, foldViews: folding.catchUp, routine, ...reactors };
  opened.move();
  return { services, allResources, served, closing, ...started };
}

/** Undefined for views in memory, and with extensions: the thread can load only the daemon's own resources. */
function foldingThread(
  { ephemeral, home }: Config,
  report: (line: string) => void,
  extensions: DaemonOptions['extensions'] = [],
) {
  if (ephemeral || extensions.length > 0) return undefined;
  return new FoldingThread(viewsPath(home), declaredBy(resources).projections, { report });
}

function viewsPath(home: string): string {
  return join(home, 'views.db');
}

/** The projections, events and stream categories that the resources declare. */
function declaredBy(allResources: readonly Resource<DaemonParts>[]) {
  return {
    allResources,
    projections: allResources.flatMap((each) => each.projections),
    events: eventsOf(allResources),
    categories: categoriesOf(allResources),
  };
}

/** State of the process: token, start time, port once it listens, and the signal that aborts when it closes. */
function createProcessState({
  config,
  clock,
  ids,
  ownToken,
}: Required<Pick<DaemonOptions, 'config' | 'clock' | 'ids'>> & { readonly ownToken: string | null }) {
  const served = { port: config.port };
  const closing = new AbortController();
  const services = {
    version: VERSION,
    token: ownToken ?? ids.hex(16),
    startedAt: clock.now(),
    host: systemHost,
    port: () => served.port,
    closing: closing.signal,
  };
  return { served, closing, services };
}

/** Opens the log and its operations: metrics, probes, daily backup. */
async function openLog({
  config,
  env,
  announce,
  clock,
  timers,
  disk,
  ahead,
  copying,
  opened,
  ...late
}: Pick<DaemonOptions, 'config' | 'env' | 'announce' | 'disk'> & {
  readonly ahead: FoldingThread | undefined;
  readonly opened: AsyncDisposableStack;
} & Required<Pick<DaemonOptions, 'clock' | 'timers' | 'copying'>> &
  Required<Pick<OpsOptions, 'views' | 'families' | 'makesBackups'>>) {
  const { home } = config;
  const settings = storageConfigOf(home, config.storage_config);
  const backend = config.backend ?? settings.backend;
  opened.defer(() => ahead?.stop());
  const storage = await openLogStorage(config, {
    env,
    report: announce,
    copying: (log, total) => {
      ahead?.copying(log, total);
      copying(log.head().position, total);
    },
    ...(backend === undefined ? {} : { backend }),
    config: settings.engines,
    reserveBytes: settings.diskReserveBytes,
    disk,
    clock: () => clock.now(),
  });
  opened.defer(() => storage.close());
  ahead?.read(storage.log);
  const ops = createStorageOps({
    storage,
    place: storage.directory === null ? null : { directory: storage.directory, home },
    config: settings,
    port: config.storage_ops_port === 'off' ? null : config.storage_ops_port,
    version: VERSION,
    admitsHost: isLocalHost,
    ...late,
    report: announce,
    clock: { now: () => clock.now(), after: (milliseconds, callback) => timers.after(milliseconds, callback) },
  });
  return { storage, ops, log: ops.log };
}

/** Creates the reactors, and the cluster that assigns streams to daemons. */
async function openWork({
  views,
  committed,
  commandHandler,
  projector,
  recording,
  integrations,
  env,
  log,
  ...system
}: ReturnType<typeof openStreams> &
  Required<Pick<DaemonOptions, 'config' | 'env' | 'announce' | 'clock' | 'timers' | 'ids'>> & {
    readonly log: EventLog;
    readonly recording: Recording;
    readonly integrations: Integrations;
  }) {
  const cluster = await createCluster({
    ...{ ...system, env, log, version: VERSION },
    position: () => projector.position(),
    activeRuns: () => activeRuns(views),
  });
  const { leases, nodes } = cluster;
  const machine = { commandHandler, leases, appended$: committed.appended$, report: system.announce };
  return { cluster, reactors: createReactors({ ...system, views, recording, integrations, nodes, machine }) };
}

/** Creates the runtime on the log: views and projector, command handler, committed events, subscriptions. */
function openStreams(
  log: EventLog,
  {
    config,
    announce,
    clock,
    ids,
    projections,
    events,
    categories,
    makeRoom,
    ahead,
    refresh,
    opened,
  }: Required<Pick<DaemonOptions, 'config' | 'announce' | 'clock' | 'ids'>> & {
    readonly projections: readonly Projection[];
    readonly events: EventTable;
    readonly categories: NonNullable<ProjectorParts['categories']>;
    readonly makeRoom: ProjectorParts['makeRoom'];
    readonly ahead: ProjectorParts['ahead'];
    readonly refresh: LogDatabase['refresh'] | undefined;
    readonly opened: AsyncDisposableStack;
  },
) {
  const path = config.ephemeral ? null : viewsPath(config.home);
  const { views, projector } = openProjector(path, {
    ...{ log, projections, events, categories, makeRoom, ahead, report: announce },
    checkpoints: new CheckpointThread(announce),
  });
  opened.defer(() => views.close());
  const committed = createCommittedEvents(log, projector);
  const commandHandler = createCommandHandler({
    log,
    clock,
    ids,
    readModels: projector,
    unknownTypes: 'refuse',
    refresh,
  });
  return {
    views,
    projector,
    commandHandler,
    committed,
    positions: createPositions({ log, projector, folded$: committed.folded$ }),
    subscriptions: createSubscriptions({ log, views, committed, report: announce }),
  };
}
