/** The metric families of log, backups, readiness, machine, process and build. */
import type { EventLog } from '../event-log.ts';
import { diskUse, memoryUse, residentBytes } from '../machine.ts';
import type { Backups } from './backups.ts';
import type { Erasures } from './erasures.ts';
import type { LoopDelays } from './event-loop.ts';
import type { Family } from './meters.ts';
import { counter, gauge } from './metrics.ts';
import type { Check } from './readiness.ts';

export interface ServiceParts {
  readonly log: EventLog;
  /** Null when no backups are kept. */
  readonly backups: Backups | null;
  readonly erasures: Pick<Erasures, 'state'>;
  readonly directory: string | null;
  readonly version: string;
  readonly ready: () => readonly Check[];
  /** Of the event loop since the last call. */
  readonly loopDelays: () => LoopDelays;
}

/** The current values of all these families. */
export function serviceFamilies(parts: ServiceParts): Family[] {
  const { log, backups, erasures, directory, version, ready, loopDelays } = parts;
  const checks = ready();
  const isReady = checks.every(({ problem }) => problem === null);
  const versions = { version, node: process.versions.node };
  return [
    gauge('log_position', 'Position of the newest event.', log.head().position),
    gauge('ready', '1 while /ready answers 200, else 0.', isReady ? 1 : 0),
    gauge(
      'check_passed',
      'Each check of /ready: 1 well, 0 not.',
      checks.map(({ name, problem }) => ({ labels: { check: name }, value: problem === null ? 1 : 0 })),
    ),
    ...erasureFamilies(erasures),
    ...(backups === null ? [] : backupFamilies(backups)),
    ...machineFamilies(directory),
    ...loopFamilies(loopDelays()),
    ...processFamilies(),
    gauge('build_info', 'Always 1; the labels say what runs.', 1, versions),
  ];
}

function erasureFamilies(erasures: ServiceParts['erasures']): Family[] {
  const { state, doneAt } = erasures.state();
  const pending = '1 while bytes of erased payloads may be in the files of the store, else 0.';
  const done = 'When erased payloads were last taken off the disk, Unix time.';
  return [
    gauge('erasure_pending', pending, state === 'done' ? 0 : 1),
    gauge('erasure_done_timestamp_seconds', done, seconds(doneAt)),
  ];
}

function backupFamilies(backups: Backups): Family[] {
  const { last, kept, failures, failure, durationSeconds } = backups.state();
  const made = 'When the newest kept backup was made, Unix time.';
  const verified = 'When a backup was last proven by restoring it.';
  return [
    gauge('backup_last_timestamp_seconds', made, seconds(last?.madeAt)),
    gauge('backup_verified_timestamp_seconds', verified, seconds(last?.verifiedAt)),
    gauge('backup_last_size_bytes', 'Bytes of the newest kept backup.', last?.bytes ?? null),
    gauge('backup_last_duration_seconds', 'Time the latest backup and its proof took.', durationSeconds),
    gauge('backups', 'Verified backups kept.', kept),
    counter('backup_failures_total', 'Backups that could not be made or verified.', failures),
    gauge('backup_failing', '1 while the latest attempt failed, else 0.', failure === null ? 0 : 1),
  ];
}

/** Unix time in the base unit of metrics; null while it is unknown. */
export function seconds(milliseconds: number | null | undefined): number | null {
  return milliseconds == null ? null : milliseconds / 1000;
}

function machineFamilies(directory: string | null): Family[] {
  const memory = 'Memory in use, of the control group’s limit or the machine’s memory.';
  const disk = directory === null ? null : diskUse(directory);
  return [
    gauge('memory_used_ratio', memory, memoryUse().usedRatio),
    ...(disk === null
      ? []
      : [
          gauge('disk_used_ratio', 'Use of the file system of the data.', disk.usedRatio),
          gauge('disk_free_bytes', 'Bytes free for this service there.', disk.freeBytes),
        ]),
  ];
}

function loopFamilies({ p99Seconds, maxSeconds }: LoopDelays): Family[] {
  const since = 'of the event loop since the last scrape.';
  return [
    gauge('event_loop_delay_p99_seconds', `99th percentile of the delay ${since}`, p99Seconds),
    gauge('event_loop_delay_max_seconds', `Longest delay ${since}`, maxSeconds),
  ];
}

/** Process metrics under the conventional Prometheus names. */
function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const started = Date.now() / 1000 - process.uptime();
  const one = (kind: 'gauge' | 'counter', name: string, help: string, value: number | null): Family => ({
    kind,
    name: `process_${name}`,
    help,
    samples: value === null ? [] : [{ labels: {}, value }],
  });
  return [
    one('gauge', 'resident_memory_bytes', 'Resident memory of the process.', residentBytes()),
    one('counter', 'cpu_seconds_total', 'Processor time of the process.', (user + system) / 1_000_000),
    one('gauge', 'start_time_seconds', 'When the process started, Unix time.', started),
  ];
}
