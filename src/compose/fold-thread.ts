/**
 * Folds a long stretch of the log into the views in a worker thread, while the main thread answers requests and copies
 * the log.
 *
 * - The thread receives the records in parts, as fast as it folds them, and writes the file of the views through its
 *   own connection. No other connection may write meanwhile.
 * - The thread is an optimisation. When it ends early, the views are as its last commit left them; the projector folds
 *   the rest, and reports the cause if it persists.
 */
import { existsSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { Projection } from '../projections/projection.ts';
import { openViews } from '../projections/views.ts';
import type { StoredEventLog } from '../storage/log/event-log.ts';
import { startThread } from '../storage/thread.ts';
import { Checkpoints } from '../streams/checkpoints.ts';
import type { CatchUpProgress, FoldAhead } from '../streams/fold-ahead.ts';

/** The worker data of the thread. */
export interface FoldJob {
  /** File of the views. The table of checkpoints exists. */
  readonly path: string;
  /** Position up to which each projection has folded the log, by name. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Consecutive records of the log. */
export interface FoldPart {
  /** The position before the first one. */
  readonly after: number;
  /** Offset of each record in `bytes`. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Tree hash of the log at the last record. */
  readonly treeHash: string;
}

/** Starting a thread takes about as long as folding this many events. */
const EVENTS_MIN = 50_000;
const PART_EVENTS = 250;
const PART_BYTES = 4 * 1024 * 1024;
/** Parts that were sent to the thread and are not folded yet. */
const PARTS_MAX = 8;
const YOUNG_MEGABYTES = 64;
const OLD_MEGABYTES_MAX = 1_024;

type Source = Pick<StoredEventLog, 'head' | 'readRaw' | 'treeHash'>;

interface FoldingThreadOptions {
  readonly report: (line: string) => void;
  /** The least number of events for which a thread is started. */
  readonly eventsMin?: number;
  /** Throws where the system has no thread left. */
  readonly start?: (job: FoldJob) => Worker;
}

export class FoldingThread implements FoldAhead {
  readonly #path: string;
  readonly #projections: readonly Projection[];
  readonly #eventsMin: number;
  readonly #report: (line: string) => void;
  readonly #start: (job: FoldJob) => Worker;
  #log: Source | null = null;
  #running: Running | null = null;

  /** `path` is the file of the views. */
  constructor(path: string, projections: readonly Projection[], options: FoldingThreadOptions) {
    this.#path = path;
    this.#projections = projections;
    this.#eventsMin = options.eventsMin ?? EVENTS_MIN;
    this.#report = options.report;
    this.#start = options.start ?? startWorker;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Sets the log that the records are read from. */
  read(log: Source): void {
    this.#log = log;
  }

  /** Called while `log` is copied and grows to `total` events: folds what is there, unless the views exist already. */
  copying(log: Source, total: number): void {
    if (this.#running !== null) this.#feed();
    else if (this.isWorth(total) && !existsSync(this.#path)) this.#beginEarly(log);
  }

  isWorth(events: number): boolean {
    return events >= this.#eventsMin;
  }

  begin(positions: ReadonlyMap<string, number>): void {
    try {
      this.#follow(this.#start({ path: this.#path, positions }), positions);
    } catch (error) {
      this.#reportEnd(error as Error);
    }
  }

  async end(progress: CatchUpProgress): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    running.progress = progress;
    running.state = 'ending';
    this.#feed();
    await running.ended;
  }

  async stop(): Promise<void> {
    await this.#running?.worker.terminate();
  }

  #follow(worker: Worker, positions: ReadonlyMap<string, number>): void {
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        this.#running = null;
        resolve();
      });
    });
    const sent = Math.min(...positions.values());
    this.#running = { worker, sent, free: PARTS_MAX, state: 'open', progress: () => {}, ended };
    worker.on('error', (error: Error) => this.#reportEnd(error));
    worker.on('message', (folded: number) => this.#folded(folded));
  }

  #reportEnd({ message }: Error): void {
    this.#report(`The thread that folds the views ended; the rest is folded without it: ${message}`);
  }

  #folded(position: number): void {
    if (this.#running === null) return;
    this.#running.free += 1;
    this.#running.progress(position, this.#log!.head().position);
    this.#feed();
  }

  #feed(): void {
    const [running, log] = [this.#running, this.#log];
    if (running === null || log === null) return;
    try {
      this.#send(running, log);
    } catch {
      // The projector reads the same records and reports the error.
      void this.stop();
    }
  }

  #send(running: Running, log: Source): void {
    if (running.state === 'complete') return;
    const { position } = log.head();
    for (; running.free > 0 && running.sent < position; running.free -= 1) {
      const part = partOf(log, running.sent);
      running.sent += part.starts.length;
      running.worker.postMessage(part, [part.bytes.buffer, part.starts.buffer]);
    }
    if (running.state === 'open' || running.sent < position) return;
    running.state = 'complete';
    running.worker.postMessage(null);
  }

  #beginEarly(log: Source): void {
    this.read(log);
    try {
      this.#prepareViews(log);
    } catch {
      // The projector opens the same views and reports the error.
      return;
    }
    this.begin(new Map(this.#projections.map(({ name }) => [name, 0])));
  }

  #prepareViews(log: Source): void {
    const views = openViews(this.#path);
    try {
      const checkpoints = new Checkpoints(views, log);
      views.begin();
      checkpoints.load(this.#projections);
      views.commit();
    } finally {
      views.close();
    }
  }
}

interface Running {
  readonly worker: Worker;
  /** Position of the last record that was sent to the thread. */
  sent: number;
  /** Number of parts that may be sent now. */
  free: number;
  /**
   * `ending`: the thread ends once it has folded the whole log. `complete`: it was told so; what is appended later is
   * folded without it.
   */
  state: 'open' | 'ending' | 'complete';
  progress: CatchUpProgress;
  readonly ended: Promise<void>;
}

function startWorker(workerData: FoldJob): Worker {
  const worker = startThread(import.meta.url, './fold-worker', {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES, maxOldGenerationSizeMb: OLD_MEGABYTES_MAX },
  });
  // A failed start of the daemon does not wait for the thread.
  worker.unref();
  return worker;
}

/**
 * The records after a position, up to `PART_EVENTS` and `PART_BYTES`, at least one. The limits keep a decoded part far
 * below the heap limit of the thread: at that limit V8 can end the whole process.
 */
export function partOf(log: Source, after: number): FoldPart {
  const records: Uint8Array[] = [];
  let size = 0;
  for (const { record } of log.readRaw({ after, limit: PART_EVENTS })) {
    if (records.length > 0 && size + record.length > PART_BYTES) break;
    records.push(record);
    size += record.length;
  }
  const starts = new Uint32Array(records.length);
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const [index, record] of records.entries()) {
    starts[index] = offset;
    bytes.set(record, offset);
    offset += record.length;
  }
  return { after, starts, bytes, treeHash: log.treeHash(after + records.length) };
}
