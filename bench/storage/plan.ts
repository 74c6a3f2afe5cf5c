/** The parameters of a run of the storage benchmark: its sizes, and the messages to and from its child processes. */

/** The measured engines. The first three are Daybook's. */
export const SUBJECTS = ['cow', 'lsm', 'embedded_kv', 'lmdb', 'level', 'sqlite', 'map'] as const;
export type SubjectName = (typeof SUBJECTS)[number];
export const DAYBOOK_ENGINES: readonly SubjectName[] = ['cow', 'lsm', 'embedded_kv'];

export interface Scale {
  readonly records: number;
  readonly valueBytes: readonly number[];
  /** Rounds of each workload; the table shows their median. */
  readonly rounds: number;
  readonly roundMs: number;
  /** Rounds of puts that do not wait for the disk are longer, so that deferred disk work shows. */
  readonly putRoundMs: number;
  /** The most operations that are timed individually for p50 and p99. */
  readonly samples: number;
  /** Bytes put after the last checkpoint or flush before the process is killed. */
  readonly crashBytes: number;
  /** How long the event loop is watched for pauses. */
  readonly pauseMs: number;
  readonly events: number;
}

export const FULL: Scale = {
  records: 1_000_000,
  valueBytes: [100, 1_024],
  rounds: 5,
  roundMs: 250,
  putRoundMs: 600,
  samples: 20_000,
  crashBytes: 64 * 1_048_576,
  pauseMs: 12_000,
  events: 1_000_000,
};

export const QUICK: Scale = {
  records: 30_000,
  valueBytes: [100],
  rounds: 3,
  roundMs: 40,
  putRoundMs: 100,
  samples: 2_000,
  crashBytes: 8 * 1_048_576,
  pauseMs: 1_000,
  events: 20_000,
};

/** Hot reads choose among this many keys. */
export const HOT_KEYS = 10_000;
export const IN_FLIGHT = 64;
export const LOAD_BATCH = 1_000;
export const DURABLE_BATCH = 100;
export const RANGE_ENTRIES = 100;
export const KEY_BYTES = 16;

/**
 * `work` fills and measures; `reopen` opens a closed store; `crash` kills itself; `recover` opens the store after that.
 */
export type Step = 'work' | 'reopen' | 'crash' | 'recover' | 'pause';

export interface KvPlan {
  readonly step: Step;
  readonly subject: SubjectName | 'none';
  readonly directory: string;
  readonly valueBytes: number;
  readonly scale: Scale;
  /** true: profile each workload. The figures of such a run are discarded. */
  readonly profile: boolean;
}

export interface LogPlan {
  readonly step: 'work' | 'reopen' | 'crash';
  readonly backend: 'cow' | 'lsm' | 'embedded_kv' | 'sqlite-table';
  readonly directory: string;
  readonly scale: Scale;
  readonly profile: boolean;
}

/** One workload: operations per second in each round, and microseconds per call. */
export interface Measure {
  readonly perSecond: readonly number[];
  readonly p50: number;
  readonly p99: number;
  /** Functions by their share of the samples, for a profiled run. */
  readonly profile?: readonly Hot[];
}

export interface Hot {
  readonly name: string;
  readonly share: number;
}

export type Workload =
  | 'load'
  | 'getHot'
  | 'getUniform'
  | 'getAwaited'
  | 'range'
  | 'put'
  | 'putQueued'
  | 'mixed'
  | 'bareOne'
  | 'bareGroup'
  | 'durableOne'
  | 'durableQueued'
  | 'durableBatch';

export interface WorkResult {
  readonly measures: Partial<Record<Workload, Measure>>;
  readonly peakBytes: number;
  /** Before the store was opened: the memory of Node and the benchmark. */
  readonly baseBytes: number;
  readonly diskBytes: number;
  readonly liveBytes: number;
  /** Bytes passed to write calls, per byte put. */
  readonly writeAmplification: number;
}

export interface ReopenResult {
  readonly openMs: readonly number[];
}

export interface CrashResult {
  readonly putBytes: number;
  /** The size of the log at the time of the kill, as reported by the engine; null if it does not report it. */
  readonly walBytes: number | null;
}

export interface RecoverResult {
  readonly openMs: number;
  readonly verifyMs: number | null;
  readonly faults: number | null;
  readonly compactMs: number | null;
  readonly diskBytes: number;
  readonly liveBytes: number;
}

export interface PauseResult {
  /** The longest time between two turns of the event loop, and the 99.9th percentile. */
  readonly maxMs: number;
  readonly p999Ms: number;
  /** The longest pause of the garbage collector in this time. */
  readonly collectorMaxMs: number;
  /** The longest pause according to `monitorEventLoopDelay`. */
  readonly monitorMaxMs: number;
  readonly compactions: number;
  readonly puts: number;
}

export type LogWorkload =
  | 'bareOne'
  | 'bareGroup'
  | 'appendOne'
  | 'appendQueued'
  | 'appendQueuedLarge'
  | 'readStream'
  | 'readRaw'
  | 'readParsed';

export interface LogResult {
  readonly measures: Partial<Record<LogWorkload, Measure>>;
  readonly eventBytes: number;
  readonly events: number;
  readonly peakBytes: number;
  readonly diskBytes: number;
}
