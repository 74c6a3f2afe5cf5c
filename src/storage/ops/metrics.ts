/**
 * The metrics of engine and log, fed by the engine's events and the observed log.
 *
 * - Base units: seconds, bytes, ratios from 0 to 1.
 * - An operation refused because of its arguments counts as `rejected`; one that the storage failed counts as `error`.
 */
import type { EngineStats, KeyValueEngine } from '../engine.ts';
import type { StorageErrorCode } from '../errors.ts';
import { type Family, Histogram, type Labels, type Sample, Tally } from './meters.ts';

export type Operation = 'append' | 'read';

export interface Metrics {
  /** Seconds of appends, of reads, and of syncs, and commits that shared a sync. */
  readonly write: Histogram;
  readonly read: Histogram;
  readonly sync: Histogram;
  readonly group: Histogram;
  /** Figures of the engine; null when it is closed, so that a scrape during shutdown still works. */
  stats(): EngineStats | null;
  /** Counts a failed operation by the kind of its error. */
  failed(operation: Operation, error: unknown): void;
  /** The current values. */
  families(): Family[];
}

export const SECONDS = [
  0.000_01, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10,
];
const LONG_SECONDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];
const COMMITS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096];

/** The `kind` label by error code; other codes that are not in `REJECTED` count as `other`. */
const FAULTS: Readonly<Partial<Record<StorageErrorCode, string>>> = {
  STORAGE_CORRUPT: 'corrupt',
  STORAGE_IO: 'io',
  STORAGE_FULL: 'full',
  STORAGE_MOVED: 'moved',
  STORAGE_READ_ONLY: 'read_only',
  STORAGE_CLOSED: 'closed',
  STORAGE_BUSY: 'busy',
  STORAGE_UNAVAILABLE: 'unavailable',
};
const REJECTED = new Set<string>(['STORAGE_KEY_INVALID', 'STORAGE_VALUE_INVALID', 'STORAGE_FENCED']);
const KINDS = [...Object.values(FAULTS), 'other'];

/** Begins to measure an engine. */
export function createMetrics(engine: KeyValueEngine): Metrics {
  const labels: Labels = { backend: engine.backend };
  const write = new Histogram(SECONDS);
  const read = new Histogram(SECONDS);
  const errors = { append: new Tally(KINDS), read: new Tally(KINDS) };
  let rejected = 0;
  const events = watchEngine(engine);
  const stats = (): EngineStats | null => {
    try {
      return engine.stats();
    } catch {
      return null;
    }
  };

  return {
    write,
    read,
    sync: events.sync,
    group: events.group,
    stats,
    failed(operation, error) {
      const code = (error as { code?: string } | null)?.code ?? '';
      if (REJECTED.has(code) || error instanceof RangeError) rejected += 1;
      else errors[operation].add(FAULTS[code as StorageErrorCode] ?? 'other');
    },
    families: () => [
      histogram('write_duration_seconds', 'Write latency: the time of an append until it was durable.', write, labels),
      histogram('read_duration_seconds', 'Read latency: the time of a read until its first event.', read, labels),
      counter('operations_total', 'Appends and reads of the log, failed ones included.', [
        { labels: { ...labels, operation: 'append' }, value: write.count },
        { labels: { ...labels, operation: 'read' }, value: read.count },
      ]),
      counter('errors_total', 'Operations that the storage could not do, by kind.', [
        ...errors.append.samples('kind', { ...labels, operation: 'append' }),
        ...errors.read.samples('kind', { ...labels, operation: 'read' }),
      ]),
      counter('rejected_total', 'Operations refused because of what was asked.', rejected, labels),
      ...events.families(labels),
      ...statFamilies(labels, stats()),
      gauge('read_only', '1 while the engine refuses writes, else 0.', engine.failure === null ? 0 : 1, labels),
    ],
  };
}

/** Counts the engine's events. */
function watchEngine(engine: KeyValueEngine) {
  const sync = new Histogram(SECONDS);
  const group = new Histogram(COMMITS);
  const checkpoint = new Histogram(LONG_SECONDS);
  const compaction = new Histogram(LONG_SECONDS);
  const stall = new Histogram(LONG_SECONDS);
  const bytes = { synced: 0, checkpointed: 0, read: 0, written: 0 };
  engine.on('synced', (done) => {
    sync.observe(done.seconds);
    group.observe(done.commits);
    bytes.synced += done.bytes;
  });
  engine.on('checkpointed', (done) => {
    checkpoint.observe(done.seconds);
    bytes.checkpointed += done.bytes;
  });
  engine.on('compacted', (done) => {
    compaction.observe(done.seconds);
    bytes.read += done.bytesRead;
    bytes.written += done.bytesWritten;
  });
  engine.on('stalled', ({ seconds }) => stall.observe(seconds));
  const families = (labels: Labels): Family[] => [
    histogram('fsync_duration_seconds', 'Time to write and sync one group of commits.', sync, labels),
    histogram('group_commit_size', 'Commits that shared one sync.', group, labels),
    counter('synced_bytes_total', 'Bytes made durable by commits.', bytes.synced, labels),
    histogram('checkpoint_duration_seconds', 'Time of a checkpoint.', checkpoint, labels),
    counter('checkpoint_bytes_total', 'Bytes written by checkpoints.', bytes.checkpointed, labels),
    histogram('compaction_duration_seconds', 'Time of a compaction.', compaction, labels),
    counter('compaction_read_bytes_total', 'Bytes read by compactions.', bytes.read, labels),
    counter('compaction_written_bytes_total', 'Bytes written by compactions.', bytes.written, labels),
    histogram('write_stall_duration_seconds', 'Time writes waited for compaction.', stall, labels),
  ];
  return { sync, group, families };
}

function statFamilies(labels: Labels, stats: EngineStats | null): Family[] {
  if (stats === null) return [];
  const ofLevels = (value: 'tables' | 'bytes'): Sample[] =>
    stats.levels.map((each, level) => ({ labels: { ...labels, level: String(level) }, value: each[value] }));
  return [
    gauge('keys', 'Keys in the store; absent where counting would cost a full scan.', stats.keys, labels),
    gauge('disk_bytes', 'Bytes of the files of the store.', stats.diskBytes, labels),
    gauge('live_bytes', 'Bytes that can be reached; absent where the engine cannot tell.', stats.liveBytes, labels),
    gauge('wal_bytes', 'Bytes of the write-ahead log in use.', stats.walBytes, labels),
    gauge('cache_bytes', 'Bytes in the cache; for embedded_kv, those that it may hold.', stats.cacheBytes, labels),
    counter('cache_hits_total', 'Reads answered by the cache.', stats.cacheHits, labels),
    counter('cache_misses_total', 'Reads that went to the disk.', stats.cacheMisses, labels),
    gauge('snapshots', 'Snapshots held open.', stats.snapshots, labels),
    gauge('pending_compaction_bytes', 'Bytes that wait for compaction.', stats.pendingCompactionBytes, labels),
    gauge('level_tables', 'Tables by level, lsm only.', ofLevels('tables')),
    gauge('level_bytes', 'Bytes of tables by level, lsm only.', ofLevels('bytes')),
  ];
}

/** Begins the name of every family of the storage. */
const PREFIX = 'daybook_storage_';

/** The value of a family without further labels, null when it is absent; or its values by labels. */
type Values = number | null | readonly Sample[];

function samplesOf(values: Values, labels: Labels): readonly Sample[] {
  if (values === null) return [];
  return typeof values === 'number' ? [{ labels, value: values }] : values;
}

/** A family of values that rise and fall. */
export function gauge(name: string, help: string, values: Values, labels: Labels = {}): Family {
  return { kind: 'gauge', name: PREFIX + name, help, samples: samplesOf(values, labels) };
}

/** A family of values that only rise. */
export function counter(name: string, help: string, values: Values, labels: Labels = {}): Family {
  return { kind: 'counter', name: PREFIX + name, help, samples: samplesOf(values, labels) };
}

/** A family of one distribution. */
export function histogram(name: string, help: string, values: Histogram, labels: Labels = {}): Family {
  return { kind: 'histogram', name: PREFIX + name, help, series: [{ labels, histogram: values }] };
}
