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
  readonly write: Histogram;
  readonly read: Histogram;
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

  return {
    write,
    read,
    failed(operation, error) {
      const code = (error as { code?: string } | null)?.code ?? '';
      if (REJECTED.has(code) || error instanceof RangeError) rejected += 1;
      else errors[operation].add(FAULTS[code as StorageErrorCode] ?? 'other');
    },
    families: () => [
      histogram('write_duration_seconds', 'Time of an append until it was durable.', { labels, histogram: write }),
      histogram('read_duration_seconds', 'Time of a read until its first event.', { labels, histogram: read }),
      counter('operations_total', 'Appends and reads of the log, failed ones included.', [
        { labels: { ...labels, operation: 'append' }, value: write.count },
        { labels: { ...labels, operation: 'read' }, value: read.count },
      ]),
      counter('errors_total', 'Operations that the storage could not do, by kind.', [
        ...errors.append.samples('kind', { ...labels, operation: 'append' }),
        ...errors.read.samples('kind', { ...labels, operation: 'read' }),
      ]),
      counter('rejected_total', 'Operations refused because of what was asked.', [{ labels, value: rejected }]),
      ...events(labels),
      ...statFamilies(labels, statsOf(engine)),
      gauge('read_only', '1 while the engine refuses writes, else 0.', [
        { labels, value: engine.failure === null ? 0 : 1 },
      ]),
    ],
  };
}

/** Counts the engine's events; returns the function that gives their families. */
function watchEngine(engine: KeyValueEngine): (labels: Labels) => Family[] {
  const fsync = new Histogram(SECONDS);
  const group = new Histogram(COMMITS);
  const checkpoint = new Histogram(LONG_SECONDS);
  const compaction = new Histogram(LONG_SECONDS);
  const stall = new Histogram(LONG_SECONDS);
  const bytes = { synced: 0, checkpointed: 0, read: 0, written: 0 };
  engine.on('synced', (sync) => {
    fsync.observe(sync.seconds);
    group.observe(sync.commits);
    bytes.synced += sync.bytes;
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
  return (labels) => [
    histogram('fsync_duration_seconds', 'Time to write and sync one group of commits.', { labels, histogram: fsync }),
    histogram('group_commit_size', 'Commits that shared one sync.', { labels, histogram: group }),
    counter('synced_bytes_total', 'Bytes made durable by commits.', [{ labels, value: bytes.synced }]),
    histogram('checkpoint_duration_seconds', 'Time of a checkpoint.', { labels, histogram: checkpoint }),
    counter('checkpoint_bytes_total', 'Bytes written by checkpoints.', [{ labels, value: bytes.checkpointed }]),
    histogram('compaction_duration_seconds', 'Time of a compaction.', { labels, histogram: compaction }),
    counter('compaction_read_bytes_total', 'Bytes read by compactions.', [{ labels, value: bytes.read }]),
    counter('compaction_written_bytes_total', 'Bytes written by compactions.', [{ labels, value: bytes.written }]),
    histogram('write_stall_duration_seconds', 'Time writes waited for compaction.', { labels, histogram: stall }),
  ];
}

/** null when the engine is closed, so that a scrape during shutdown still works. */
function statsOf(engine: KeyValueEngine): EngineStats | null {
  try {
    return engine.stats();
  } catch {
    return null;
  }
}

function statFamilies(labels: Labels, stats: EngineStats | null): Family[] {
  if (stats === null) return [];
  const one = (value: number | null): Sample[] => (value === null ? [] : [{ labels, value }]);
  return [
    gauge('keys', 'Keys in the store; absent where counting would cost a full scan.', one(stats.keys)),
    gauge('disk_bytes', 'Bytes of the files of the store.', one(stats.diskBytes)),
    gauge('live_bytes', 'Bytes that can be reached; absent where the engine cannot tell.', one(stats.liveBytes)),
    gauge('wal_bytes', 'Bytes of the write-ahead log in use.', one(stats.walBytes)),
    gauge('cache_bytes', 'Bytes in the cache; for embedded_kv, those that it may hold.', one(stats.cacheBytes)),
    counter('cache_hits_total', 'Reads answered by the cache.', one(stats.cacheHits)),
    counter('cache_misses_total', 'Reads that went to the disk.', one(stats.cacheMisses)),
    gauge('snapshots', 'Snapshots held open.', one(stats.snapshots)),
    gauge('pending_compaction_bytes', 'Bytes that wait for compaction.', one(stats.pendingCompactionBytes)),
    gauge(
      'level_tables',
      'Tables by level, lsm only.',
      stats.levels.map(({ tables }, level) => ({ labels: { ...labels, level: String(level) }, value: tables })),
    ),
    gauge(
      'level_bytes',
      'Bytes of tables by level, lsm only.',
      stats.levels.map(({ bytes }, level) => ({ labels: { ...labels, level: String(level) }, value: bytes })),
    ),
  ];
}

/** Begins the name of every family of the storage. */
export const PREFIX = 'daybook_storage_';

/** A family of values that rise and fall. */
export function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { kind: 'gauge', name: PREFIX + name, help, samples };
}

/** A family of values that only rise. */
export function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { kind: 'counter', name: PREFIX + name, help, samples };
}

/** A family of one distribution. */
export function histogram(
  name: string,
  help: string,
  series: { readonly labels: Labels; readonly histogram: Histogram },
): Family {
  return { kind: 'histogram', name: PREFIX + name, help, series: [series] };
}
