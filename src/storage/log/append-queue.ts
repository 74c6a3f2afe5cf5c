/**
 * The log's group commit: a queue of pending appends, decided in batches, with one commit in flight at a time.
 *
 * - While a batch is in flight, the next one is decided on the state that the batch in flight will leave. It is
 *   committed as soon as the batch in flight is durable, before the writers of that batch are answered: so the disk and
 *   the thread work at the same time.
 * - A writer is answered after its batch is durable. When the batch in flight fails, the next batch is decided again.
 * - A failed commit rejects all its writers with its reason; none of its events become visible. A commit that fails
 *   with `DecideAgain` rejects no writer: its tasks are decided again on the state of that time.
 */
import { StorageError } from '../errors.ts';

/** A commit failed because the state on which it was decided has changed. */
export class DecideAgain extends Error {
  constructor() {
    super('The batch has to be decided again.');
    this.name = 'DecideAgain';
  }
}

/** One writer's request. */
export interface AppendTask<Batch> {
  /** Approximate bytes that it writes. */
  readonly bytes: number;
  /** true: decided while no commit is in flight, and committed in a batch of its own. */
  readonly isExclusive: boolean;
  /** Adds the request to the batch and returns the writer's answer. Throws a refusal that concerns this task only. */
  readonly decide: (batch: Batch) => unknown;
}

export interface BatchCommitter<Batch> {
  /** An empty batch on the current state, or on the state that `inFlight` will leave. */
  readonly begin: (inFlight: Batch | null) => Batch;
  /** Commits the batch; resolves when it is durable and visible. Called while no commit is in flight. */
  readonly commit: (batch: Batch, writers: BatchWriters) => Promise<void>;
  /** Notifies listeners of the committed batch, before its writers are answered. */
  readonly notify: (batch: Batch) => void;
  /** Whether the state that the batch will leave is known before it is committed. */
  readonly isPredictable: (batch: Batch) => boolean;
  /**
   * Whether tasks that arrive together form two batches, so that one is decided while the other is committed. That pays
   * where a commit takes no longer than deciding.
   */
  readonly splits: boolean;
}

export interface BatchWriters {
  readonly writers: number;
  /** The batch has several writers, or other batches wait for their answers meanwhile. */
  readonly batched: boolean;
}

interface QueuedTask<Batch> {
  readonly task: AppendTask<Batch>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A decided task and the answer that its writer gets once the batch is durable. */
interface DecidedTask<Batch> {
  readonly queued: QueuedTask<Batch>;
  readonly isRefused: boolean;
  /** The answer, or the refusal. */
  readonly result: unknown;
}

/** A batch that takes tasks. */
interface PendingBatch<Batch> {
  readonly batch: Batch;
  readonly decided: DecidedTask<Batch>[];
  bytes: number;
  /** Why the batch cannot be committed: an error of the store, not of one writer. */
  fault: unknown;
}

/** A batch whose commit is under way. */
interface InFlightBatch<Batch> extends PendingBatch<Batch> {
  readonly isShared: boolean;
  /** Resolves when the commit has ended: with the reason of its failure, or undefined. Never rejects. */
  readonly ended: Promise<unknown>;
}

const BATCH_TASKS_MAX = 4_096;
const BATCH_BYTES_MAX = 67_108_864;
const QUEUED_TASKS_MAX = 65_536;
const QUEUED_BYTES_MAX = 268_435_456;
/** At least so many tasks that arrive together form two batches. */
const SPLIT_TASKS_MIN = 16;

/** Runs append tasks in the order of arrival, many per commit. */
export class AppendQueue<Batch> {
  readonly #committer: BatchCommitter<Batch>;
  #queued: QueuedTask<Batch>[] = [];
  /** Bytes of the tasks that are queued, or decided but not in flight. */
  #bytes = 0;
  #running: Promise<void> | null = null;

  constructor(committer: BatchCommitter<Batch>) {
    this.#committer = committer;
  }

  /**
   * Resolves with what `decide` returned, once the commit is durable. Rejects with `STORAGE_BUSY` when 65 536 tasks or
   * 256 MiB wait already, with the task's refusal, or with the reason why the commit failed.
   */
  add(task: AppendTask<Batch>): Promise<unknown> {
    if (this.#queued.length >= QUEUED_TASKS_MAX || this.#bytes + task.bytes > QUEUED_BYTES_MAX) {
      const what = `${this.#queued.length} appends (${this.#bytes} bytes) already wait for the disk; try again later.`;
      return Promise.reject(new StorageError('STORAGE_BUSY', what));
    }
    return new Promise((resolve, reject) => {
      this.#queued.push({ task, resolve, reject });
      this.#bytes += task.bytes;
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no task is queued and no commit is in flight. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    do {
      let inFlight: InFlightBatch<Batch> | null = await this.#commitFirst();
      while (inFlight !== null) inFlight = await this.#commitNext(inFlight);
    } while (this.#queued.length > 0);
    this.#running = null;
  }

  /**
   * Yields to the event loop first: writers that are woken together then share one batch, and a single writer whose
   * commits are synced on this thread does not starve the others.
   */
  async #commitFirst(): Promise<InFlightBatch<Batch>> {
    await nextTurn();
    const isSplit = this.#committer.splits && this.#queued.length >= SPLIT_TASKS_MIN;
    const tasksMax = isSplit ? Math.ceil(this.#queued.length / 2) : BATCH_TASKS_MAX;
    return this.#commit(this.#decideBatch(null, tasksMax), false);
  }

  /**
   * Waits for the batch in flight, commits the next one, answers the writers; returns the next batch, if there is one.
   */
  async #commitNext(inFlight: InFlightBatch<Batch>): Promise<InFlightBatch<Batch> | null> {
    if (inFlight.isShared) await nextTurn();
    let next = this.#canDecideAhead(inFlight.batch) ? this.#decideBatch(inFlight.batch, BATCH_TASKS_MAX) : null;
    const reason = await inFlight.ended;
    if (reason !== undefined) {
      if (next !== null) this.#queued.unshift(...next.decided.map(({ queued }) => queued));
      next = null;
      if (reason instanceof DecideAgain) this.#requeue(inFlight);
      else for (const { queued } of inFlight.decided) queued.reject(reason);
    }
    if (next !== null) this.#fill(next, BATCH_TASKS_MAX);
    else if (this.#queued.length > 0) next = this.#decideBatch(null, BATCH_TASKS_MAX);
    const following = next === null ? null : this.#commit(next, true);
    if (reason === undefined) this.#answer(inFlight);
    return following;
  }

  #requeue({ decided, bytes }: InFlightBatch<Batch>): void {
    this.#queued.unshift(...decided.map(({ queued }) => queued));
    this.#bytes += bytes;
  }

  /** Whether the first queued task may be decided while this batch is in flight. */
  #canDecideAhead(inFlight: Batch): boolean {
    return this.#queued[0]?.task.isExclusive === false && this.#committer.isPredictable(inFlight);
  }

  #decideBatch(inFlight: Batch | null, tasksMax: number): PendingBatch<Batch> {
    const pending = { batch: this.#committer.begin(inFlight), decided: [], bytes: 0, fault: undefined };
    this.#fill(pending, tasksMax);
    return pending;
  }

  #fill(pending: PendingBatch<Batch>, tasksMax: number): void {
    const { decided, batch } = pending;
    let count = 0;
    for (const queued of this.#queued) {
      const { bytes, isExclusive } = queued.task;
      const isFull = isExclusive || decided.length >= tasksMax || pending.bytes + bytes > BATCH_BYTES_MAX;
      if (pending.fault !== undefined || (decided.length > 0 && isFull)) break;
      const outcome = decide(queued, batch);
      if (outcome.isRefused && !isRefusal(outcome.result)) pending.fault = outcome.result;
      decided.push(outcome);
      pending.bytes += bytes;
      count += 1;
      if (isExclusive) break;
    }
    this.#queued = this.#queued.slice(count);
  }

  #commit(pending: PendingBatch<Batch>, othersWait: boolean): InFlightBatch<Batch> {
    const { batch, decided, bytes, fault } = pending;
    this.#bytes -= bytes;
    const isShared = decided.length > 1;
    if (fault !== undefined) return { ...pending, isShared, ended: Promise.resolve(fault) };
    const writers = decided.reduce((sum, { isRefused }) => sum + (isRefused ? 0 : 1), 0);
    const commit = this.#committer.commit(batch, { writers, batched: othersWait || isShared });
    return { ...pending, isShared, ended: commit.then(noReason, (reason: unknown) => reason) };
  }

  #answer({ batch, decided }: InFlightBatch<Batch>): void {
    this.#committer.notify(batch);
    for (const { queued, isRefused, result } of decided) {
      if (isRefused) queued.reject(result);
      else queued.resolve(result);
    }
  }
}

function decide<Batch>(queued: QueuedTask<Batch>, batch: Batch): DecidedTask<Batch> {
  try {
    return { queued, isRefused: false, result: queued.task.decide(batch) };
  } catch (error) {
    return { queued, isRefused: true, result: error };
  }
}

/** Errors caused by one writer; all others concern the store and so the whole batch. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof StorageError && (error.code === 'STORAGE_VALUE_INVALID' || error.code === 'STORAGE_FENCED');
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function noReason(): undefined {
  return undefined;
}
