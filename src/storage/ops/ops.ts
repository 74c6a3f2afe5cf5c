/**
 * The operations of an open store: metrics, probes, daily backup, and operations on request.
 *
 * - Failures here do not stop the service: a taken port or a failed backup is reported on stderr, in metrics and
 *   checks.
 */
import { join } from 'node:path';
import type { StoredEventLog } from '../log/event-log.ts';
import type { Storage } from '../open.ts';
import { type Backups, type BackupsOptions, openBackups } from './backups.ts';
import type { StorageConfig } from './config.ts';
import { createControl, finishErasures, type StorageControl } from './control.ts';
import { Erasures } from './erasures.ts';
import { type LoopMonitor, monitorLoop } from './event-loop.ts';
import { serviceFamilies } from './families.ts';
import type { Family } from './meters.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { observeLog } from './observed-log.ts';
import { engineCheck, type ReadinessParts, readyChecks } from './readiness.ts';
import { createSampler, type Sampler } from './sampler.ts';
import { type Clock, type Daily, startDaily, systemClock } from './schedule.ts';
import { type OpsServer, startOpsServer } from './server.ts';

const ANOTHER_PORT = 'Set DAYBOOK_STORAGE_OPS_PORT to another port, or to off.';

export interface OpsOptions {
  readonly storage: Storage;
  /** The data directory and the home that contains it; null for an ephemeral store. */
  readonly place: { readonly directory: string; readonly home: string } | null;
  readonly config: StorageConfig;
  /** Null or 0: no server. */
  readonly port: number | null;
  readonly version: string;
  readonly admitsHost: (host: string | undefined) => boolean;
  /** Why the read models cannot be read; null when they can. */
  readonly views: () => string | null;
  /** Whether this process makes the daily backup; when left out, it does. */
  readonly makesBackups?: () => boolean;
  /** Metric families of the layers above the storage. */
  readonly families?: () => readonly Family[];
  /** Writes a line to stderr. */
  readonly report: (line: string) => void;
  readonly clock?: Clock;
}

export interface StorageOps {
  /** The log with its latencies measured; to be used instead of the original one. */
  readonly log: StoredEventLog;
  readonly control: StorageControl;
  /** Figures of the time since the last call, by name; none before the start. */
  readonly sample: Sampler;
  /** Starts the server and the daily backups. */
  start(): Promise<void>;
  /** Port of the started server, null when there is none. */
  port(): number | null;
  /** Stops the server and aborts a running backup, so that the store can be closed; waits at most 3 s for its end. */
  stop(): Promise<void>;
}

/** The operations of one open store. Before `start`, they only measure latencies. */
export function createStorageOps(options: OpsOptions): StorageOps {
  const { storage, config, report, clock = systemClock } = options;
  const startedAt = clock.now();
  const metrics = createMetrics(storage.engine);
  const erasures = new Erasures({ storage, clock, report });
  const backups = backupsOf(options, {
    now: () => clock.now(),
    prepare: () => finishErasures(erasures),
    erasedThrough: () => erasures.state().doneThrough,
  });
  const scheduled = config.backup.enabled ? backups : null;
  let server: OpsServer | null = null;
  let loop: LoopMonitor | null = null;
  let sampling: { readonly sample: Sampler; readonly loop: LoopMonitor } | null = null;
  let daily: { stop(): void } | null = null;
  return {
    log: observeLog(storage.log, metrics),
    control: createControl({ storage, backups, erasures }),
    sample: () => sampling?.sample() ?? {},
    port: () => server?.port ?? null,
    async start() {
      // Not the monitor of /metrics, because reading a monitor resets it.
      const own = monitorLoop();
      sampling = { loop: own, sample: createSampler({ metrics, loop: own, now: () => clock.now() }) };
      const { port } = options;
      if (port !== null && port !== 0) {
        const readiness = readinessOf(options, { scheduled, startedAt, now: () => clock.now() });
        loop = monitorLoop();
        server = await serve(port, { options, metrics, backups, erasures, readiness, loop }).catch((error: Error) => {
          report(`The storage operations interface is not served: ${error.message}. ${ANOTHER_PORT}`);
          return null;
        });
      }
      erasures.start();
      if (scheduled !== null) daily = startDaily(dailyBackup(options, scheduled), clock);
    },
    async stop() {
      await server?.close();
      loop?.stop();
      sampling?.loop.stop();
      erasures.stop();
      daily?.stop();
      await backups?.stop();
    },
  };
}

function backupsOf(
  { storage, place, config }: OpsOptions,
  parts: Required<Pick<BackupsOptions, 'now' | 'prepare' | 'erasedThrough'>>,
): Backups | null {
  if (place === null) return null;
  const directory = config.backup.directory ?? join(place.home, 'backups');
  return openBackups({ storage, directory, retention: config.backup.retention, ...parts });
}

interface Times {
  readonly scheduled: Backups | null;
  readonly startedAt: number;
  readonly now: () => number;
}

function readinessOf({ storage, config, views }: OpsOptions, times: Times): ReadinessParts {
  const { scheduled, startedAt, now } = times;
  const { place, reserve, database } = storage;
  return {
    engine: storage.engine,
    database: database === undefined ? null : () => database.problem,
    place: place === null ? null : () => place.problem,
    diskFull: place === null ? null : () => reserve?.refusal?.message ?? null,
    views,
    backups: scheduled === null ? null : () => scheduled.state(),
    backupAgeHoursMax: config.backup.maxAgeHours,
    startedAt,
    now,
  };
}

interface ServerParts {
  readonly options: OpsOptions;
  readonly metrics: Metrics;
  readonly backups: Backups | null;
  readonly erasures: Erasures;
  readonly readiness: ReadinessParts;
  readonly loop: LoopMonitor;
}

function serve(
  port: number,
  { options, metrics, backups, erasures, readiness, loop }: ServerParts,
): Promise<OpsServer> {
  const { version, admitsHost, report, storage } = options;
  const { log, directory } = storage;
  const ready = () => readyChecks(readiness);
  return startOpsServer({
    port,
    report,
    ready,
    admitsHost,
    health: () => [engineCheck(storage.engine)],
    about: () => ({ backend: storage.backend, position: log.head().position, version }),
    families: () => [
      ...metrics.families(),
      ...serviceFamilies({ log, backups, erasures, directory, version, ready, loopDelays: () => loop.read() }),
      ...(storage.database?.families() ?? []),
      ...(options.families?.() ?? []),
    ],
  });
}

/**
 * The daily backup. An empty log needs none, and neither does a log that another daemon backs up. The first one is due
 * at the first backup time after the first event.
 */
function dailyBackup({ storage, config, report, makesBackups }: OpsOptions, backups: Backups): Daily {
  return {
    at: config.backup.at,
    doneAt() {
      if (makesBackups?.() === false) return null;
      return backups.state().last?.madeAt ?? firstEventAt(storage);
    },
    work: async () => {
      const { path, position } = await backups.make();
      report(`backup ${path} made and verified, ${position} events`);
    },
    failed: (error: unknown) => report(`The daily backup failed: ${(error as Error).message} It is tried again.`),
  };
}

function firstEventAt({ log }: Storage): number | null {
  const [first] = log.readAll({ limit: 1 });
  return first?.at ?? null;
}
