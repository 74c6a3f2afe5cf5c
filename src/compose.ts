/**
 * The composition root: opens the log and the views, creates all parts and connects them. `compose/` has the larger
 * groups of parts. `daemon.ts` starts and stops the parts.
 */
import { join } from 'node:path';
import { recordingOf } from './commands/run/recording.ts';
import { FoldingThread } from './compose/fold-thread.ts';
import { createIntegrations, type Integrations, type Recording, troubles } from './compose/integrations.ts';
import { openLog } from './compose/log.ts';
import { createMemory } from './compose/memory.ts';
import { clusterFamilies, createCluster } from './compose/nodes.ts';
import { createReactors } from './compose/reactors.ts';
import { openStreams, type Streams } from './compose/streams.ts';
import type { System } from './compose/system.ts';
import { createTlog, tlogFamilies } from './compose/tlog.ts';
import { decodeEvents } from './events/decode.ts';
import { runEvents } from './events/run/events.ts';
import { createReplicas } from './integrations/rooms/replicas.ts';
import { systemClock, systemHost, systemIds } from './integrations/system.ts';
import { systemTimers } from './lib/timers.ts';
import { McpSessions } from './live/mcp/sessions.ts';
import { Rooms } from './live/room/rooms.ts';
import type { ModelsPort } from './ports/models.ts';
import { activeRuns } from './projections/run/job-rows.ts';
import { PastViews } from './queries/as-of/past-views.ts';
import { createBriefingRoutine } from './reactors/briefing/routine.ts';
import { Connectors } from './reactors/connector/connectors.ts';
import { MetricsHistory } from './reactors/metrics/history.ts';
import { foldingOf } from './read-models.ts';
import { eventsOf, type Resource } from './resource.ts';
import { type DaemonParts, resources } from './resources.ts';
import type { Disk } from './storage/disk.ts';
import type { EventLog } from './storage/event-log.ts';
import { VERSION } from './version.ts';

/** `clock`, `timers` and `ids` are those of the system when left out. */
export interface DaemonOptions
  extends Pick<System, 'config' | 'env' | 'announce'>,
    Partial<Pick<System, 'clock' | 'timers' | 'ids'>> {
  /** Resources beside the daemon's own. */
  readonly extensions?: readonly Resource<DaemonParts>[];
  /** Replaces the configured model providers. */
  readonly models?: ModelsPort | undefined;
  /** Called while the copy of a log in a database catches up, with the event counts of the copy and of the database. */
  readonly copying?: (done: number, total: number) => void;
  /** File system of the engines `cow` and `lsm`; default: that of the machine. */
  readonly disk?: Disk | undefined;
}

/** @internal */
export type Parts = Awaited<ReturnType<typeof compose>>;

/**
 * Creates the parts of a daemon. `ownToken` replaces a random token. When it rejects, it has closed what it opened;
 * otherwise `daemon.ts` closes the parts.
 *
 * @internal
 */
export async function compose(options: DaemonOptions & { readonly ownToken: string | null }) {
  await using opened = new AsyncDisposableStack();
  const system = systemOf(options);
  const { config, env, announce } = system;
  const { ownToken, extensions = [], models, disk, copying = () => {} } = options;
  const allResources = [...resources, ...extensions];
  const viewsPath = config.ephemeral ? null : join(config.home, 'views.db');
  const ahead = extensions.length === 0 ? foldingThread(viewsPath, announce) : undefined;
  const opening = { ahead, disk, copying, opened };
  const { storage, ops } = await openLog(system, opening, {
    makesBackups: () => cluster.backups.isOn(),
    views: () => folding.unavailable(),
    families: () => [...tlogFamilies(tlog), ...clusterFamilies(cluster)],
  });
  const { log } = ops;
  const streams = openStreams(system, { log, storage, resources: allResources, viewsPath, ahead, opened });
  const { views, committed, projector } = streams;
  const folding = foldingOf(projector, views);
  const recording: Recording = (id) => recordingOf(decodeEvents(runEvents, log.readStream(`run-${id}`)));
  const integrations = createIntegrations({ ...system, recording, models });
  for (const trouble of await troubles({ config, env, models }, integrations.models.configured)) announce(trouble);
  const { cluster, ...work } = await openWork(system, { ...streams, log, recording, integrations });
  const shared = { ...system, ...streams, log, cluster, integrations };
  const memory = createMemory({ ...shared, folding, storageControl: ops.control });
  const tlog = createTlog({ ...shared, encryption: memory.encryption });
  const { served, closing, services: ofProcess } = createProcessState(system, ownToken);
  const services = {
    ...integrations,
    ...streams,
    ...ofProcess,
    ...system,
    log,
    leases: cluster.leases,
    nodes: cluster.nodes,
    past: new PastViews({ log, events: eventsOf(allResources) }),
    connectors: new Connectors({ ...streams, ...committed, vault: integrations.vault }),
    ...memory,
    ...tlog,
    mcpSessions: new McpSessions(system),
    rooms: new Rooms({ ...shared, replicas: createReplicas(), ...committed, isShared: cluster.leases.isShared }),
    indexProgress: work.indexProgress,
    viewsUnavailable: folding.unavailable,
    viewsOutdated: folding.outdated,
    rebuildViews: folding.rebuild,
    storage: () => ({ backend: storage.backend, failure: log.failure?.message ?? null }),
    storageControl: ops.control,
    metricsHistory: new MetricsHistory({ ...system, ...committed, sample: ops.sample }),
  };
  const routine = createBriefingRoutine(services);
  const started = { storage, ops, cluster, views, foldViews: folding.catchUp, routine, reactors: work.reactors };
  opened.move();
  return { services, allResources, served, closing, ...started };
}

/** With the parts of the machine where the options name no others. */
function systemOf(options: DaemonOptions): System {
  const { config, env, announce, clock = systemClock, timers = systemTimers, ids = systemIds } = options;
  return { config, env, announce, clock, timers, ids, version: VERSION };
}

/** Undefined for views in memory. The thread can load only the daemon's own resources. */
function foldingThread(viewsPath: string | null, report: (line: string) => void): FoldingThread | undefined {
  if (viewsPath === null) return undefined;
  const projections = resources.flatMap((each) => each.projections);
  return new FoldingThread(viewsPath, projections, { report });
}

/** State of the process: token, start time, port once it listens, and the signal that aborts when it closes. */
function createProcessState({ config, clock, ids }: System, ownToken: string | null) {
  const served = { port: config.port };
  const closing = new AbortController();
  const services = {
    token: ownToken ?? ids.hex(16),
    startedAt: clock.now(),
    host: systemHost,
    random: Math.random,
    port: () => served.port,
    closing: closing.signal,
  };
  return { served, closing, services };
}

interface Work extends Streams {
  readonly log: EventLog;
  readonly recording: Recording;
  readonly integrations: Integrations;
}

/** Creates the reactors, and the cluster that assigns streams to daemons. */
async function openWork(system: System, { views, committed, commandHandler, projector, log, ...work }: Work) {
  const cluster = await createCluster({
    ...system,
    log,
    position: () => projector.position,
    activeRuns: () => activeRuns(views),
  });
  const { leases, nodes } = cluster;
  const runner = { commandHandler, leases, appended$: committed.appended$, report: system.announce };
  return { cluster, ...createReactors({ ...system, ...work, views, nodes, runner }) };
}
