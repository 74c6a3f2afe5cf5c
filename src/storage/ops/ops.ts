/**
 * The operations of one open store, put together: metrics, probes, daily backup, and what others may ask for.
 *
 * - Nothing here can end the service: a taken port and a failed backup are lines on stderr, metrics and checks.
 */
import { join } from 'node:path';
import type { StoredEventLog } from '../log/event-log.ts';
import type { Storage } from '../open.ts';
import { type Backups, openBackups } from './backups.ts';
import type { StorageConfig } from './config.ts';
import { createControl, type StorageControl } from './control.ts';
import { serviceFamilies } from './families.ts';
import { createMetrics } from './metrics.ts';
import { observeLog } from './observed-log.ts';
import { engineCheck, readyChecks } from './readiness.ts';
import { type Clock, startDaily, systemClock } from './schedule.ts';
import { type OpsServer, startOpsServer } from './server.ts';

export interface OpsOptions {
  readonly storage: Storage;
  /** Where the data lies, and the folder around it; null for an ephemeral store. */
  readonly place: { readonly directory: string; readonly home: string } | null;
  readonly config: StorageConfig;
  /** Null or 0: no server. */
  readonly port: number | null;
  readonly version: string;
  readonly admitsHost: (host: string | undefined) => boolean;
  /** Why the read models cannot be served, null when they can. */
  readonly views: () => string | null;
  /** A line on stderr. */
  readonly report: (line: string) => void;
  readonly clock?: Clock;
}

export interface StorageOps {
  /** The log to use from now on: its latencies are taken down. */
  readonly log: StoredEventLog;
  readonly control: StorageControl;
  /** Begins to serve and to keep the schedule. */
  start(): Promise<void>;
  /** Port of the server once started, null when there is none. */
  port(): number | null;
  /** Waits for a backup under way, so that the store can be closed. */
  stop(): Promise<void>;
}

export function createStorageOps(options: OpsOptions): StorageOps {
  const { storage, place, config, report, clock = systemClock } = options;
  const startedAt = clock.now();
  const metrics = createMetrics(storage.engine);
  const log = observeLog(storage.log, metrics);
  const now = (): number => clock.now();
  const backups = place === null ? null : openBackups(backupPlace({ ...options, place }, now));
  const isScheduled = backups !== null && config.backup.enabled;
  let server: OpsServer | null = null;
  let daily: { stop(): Promise<void> } | null = null;

  async function serve(port: number): Promise<void> {
    const parts = {
      engine: storage.engine,
      directory: place?.directory ?? null,
      diskReserveBytes: config.diskReserveBytes,
      views: options.views,
      backups: isScheduled ? backups.state : null,
      backupAgeHoursMax: config.backup.maxAgeHours,
      startedAt,
      now,
    };
    const ready = () => readyChecks(parts);
    server = await startOpsServer({
      port,
      report,
      ready,
      admitsHost: options.admitsHost,
      health: () => [engineCheck(storage.engine)],
      about: () => ({ backend: storage.backend, position: storage.log.head().position, version: options.version }),
      families: () => [
        ...metrics.families(),
        ...serviceFamilies({ log: storage.log, backups, directory: parts.directory, version: options.version, ready }),
      ],
    });
  }

  return {
    log,
    control: createControl({ storage, backups }),
    port: () => server?.port ?? null,
    async start() {
      if (options.port !== null && options.port !== 0) {
        await serve(options.port).catch((error: Error) => {
          report(
            `The storage operations interface is not served: ${error.message}. Choose another --storage-ops-port.`,
          );
        });
      }
      if (isScheduled) daily = startDaily(dailyBackup({ storage, backups, config, report }), clock);
    },
    async stop() {
      await server?.close();
      await daily?.stop();
    },
  };
}

function backupPlace(options: OpsOptions & { readonly place: { readonly home: string } }, now: () => number) {
  const { storage, place, config } = options;
  const directory = config.backup.directory ?? join(place.home, 'backups');
  return { storage, directory, retention: config.backup.retention, now };
}

interface DailyParts extends Pick<OpsOptions, 'storage' | 'config' | 'report'> {
  readonly backups: Backups;
}

/** An empty log needs no backup; a log needs its first once a backup was due after its first event. */
function dailyBackup({ storage, backups, config, report }: DailyParts) {
  return {
    at: config.backup.at,
    doneAt: () => backups.state().last?.madeAt ?? firstEventAt(storage),
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
