/**
 * The log's group commit: a queue of pending appends, decided and committed in batches, one batch at a time.
 *
 * - After a batch of several writers, the next one waits while each turn of the event loop brings more writers. So all
 *   busy writers share one commit and one sync.
 * - A writer is answered after its batch is durable.
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
  /** true: committed in a batch of its own. */
  readonly isExclusive: boolean;
  /** Adds the request to the batch and returns the writer's answer. Throws a refusal that concerns this task only. */
  readonly decide: (batch: Batch) => unknown;
}

export interface BatchCommitter<Batch> {
  /** An empty batch on the current state. */
  readonly begin: () => Batch;
  /** Commits the batch; resolves when it is durable and visible. */
  readonly commit: (batch: Batch, circumstances: BatchCircumstances) => Promise<void>;
  /** Notifies listeners of the committed batch, before its writers are answered. */
  readonly notify: (batch: Batch) => void;
}

export interface BatchCircumstances {
  /** Number of accepted tasks. */
  readonly writers: number;
  /** Whether this thread has other work to do meanwhile. */
  readonly isBusy: boolean;
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

/** A batch and the tasks that were decided on it. */
interface DecidedBatch<Batch> {
  readonly batch: Batch;
  readonly tasks: readonly DecidedTask<Batch>[];
  /** Why the batch cannot be committed: an error of the store, not of one writer. */
  readonly fault: unknown;
}

const BATCH_TASKS_MAX = 4_096;
const BATCH_BYTES_MAX = 67_108_864;
const QUEUED_TASKS_MAX = 65_536;
const QUEUED_BYTES_MAX = 268_435_456;
/** A batch that waits for writers is committed after so long. The turn that passes this time ends first. */
const GATHER_MS_MAX = 5;
/** A turn of the event loop that brings no writer and takes longer than this has other work. */
const IDLE_TURN_MS_MAX = 0.1;

/** Runs append tasks in the order of arrival, many per commit. */
export class AppendQueue<Batch> {
  readonly #committer: BatchCommitter<Batch>;
  #queued: QueuedTask<Batch>[] = [];
  /** Bytes of the queued tasks. */
  #bytes = 0;
  /** Tasks of the last batch, and those that arrived during its commit. */
  #lastWriters = 0;
  #running: Promise<void> | null = null;

  constructor(committer: BatchCommitter<Batch>) {
    this.#committer = committer;
  }

  /**
   * Resolves with what `decide` returned, once the commit is durable. Rejects with `STORAGE_BUSY` when 65 536 tasks wait
   * already, or some that take 256 MiB together with this one, with the task's refusal, or with the reason why the commit failed.
   */
  add(task: AppendTask<Batch>): Promise<unknown> {
    const isTooMuch = this.#queued.length > 0 && this.#bytes + task.bytes > QUEUED_BYTES_MAX;
    if (isTooMuch || this.#queued.length >= QUEUED_TASKS_MAX) {
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
      await this.#commitBatch(await this.#gather());
    } while (this.#queued.length > 0);
    this.#running = null;
  }

  /**
   * Yields to the event loop at least once: so a single writer whose commits are synced on this thread does not starve
   * the others. Returns whether the event loop has other work.
   */
  async #gather(): Promise<boolean> {
    const began = performance.now();
    let turnMs = await nextTurn();
    let before = 0;
    while (this.#lastWriters > 1 && this.#queued.length > before && performance.now() - began < GATHER_MS_MAX) {
      before = this.#queued.length;
      turnMs = await nextTurn();
    }
    return turnMs > IDLE_TURN_MS_MAX;
  }

  /** Decides and commits one batch, and answers its writers. */
  async #commitBatch(isBusy: boolean): Promise<void> {
    const decided = this.#decideBatch();
    const reason = await this.#commit(decided, isBusy);
    this.#lastWriters = decided.tasks.length + this.#queued.length;
    if (reason === undefined) this.#answer(decided);
    else if (reason instanceof DecideAgain) this.#requeue(decided);
    else for (const { queued } of decided.tasks) queued.reject(reason);
  }

  /** The reason why the commit failed, or undefined. */
  async #commit({ batch, tasks, fault }: DecidedBatch<Batch>, isBusy: boolean): Promise<unknown> {
    if (fault !== undefined) return fault;
    const writers = tasks.filter(({ isRefused }) => !isRefused).length;
    try {
      await this.#committer.commit(batch, { writers, isBusy });
      return undefined;
    } catch (reason) {
      return reason;
    }
  }

  #answer({ batch, tasks }: DecidedBatch<Batch>): void {
    this.#committer.notify(batch);
    for (const { queued, isRefused, result } of tasks) {
      if (isRefused) queued.reject(result);
      else queued.resolve(result);
    }
  }

  #requeue({ tasks }: DecidedBatch<Batch>): void {
    this.#queued.unshift(...tasks.map(({ queued }) => queued));
    for (const { queued } of tasks) this.#bytes += queued.task.bytes;
  }

  /** Takes tasks from the queue until the batch is full, or one of them fails by a fault of the store. */
  #decideBatch(): DecidedBatch<Batch> {
    const batch = this.#committer.begin();
    const tasks: DecidedTask<Batch>[] = [];
    let bytes = 0;
    let fault: unknown;
    for (const queued of this.#queued) {
      const { task } = queued;
      const isFull = task.isExclusive || tasks.length >= BATCH_TASKS_MAX || bytes + task.bytes > BATCH_BYTES_MAX;
      if (tasks.length > 0 && isFull) break;
      const outcome = decide(queued, batch);
      tasks.push(outcome);
      bytes += task.bytes;
      if (outcome.isRefused && !isRefusal(outcome.result)) fault = outcome.result;
      if (task.isExclusive || fault !== undefined) break;
    }
    this.#queued = this.#queued.slice(tasks.length);
    this.#bytes -= bytes;
    return { batch, tasks, fault };
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

/** Resolves in the next turn of the event loop, with the milliseconds that this took. */
function nextTurn(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => setImmediate(() => resolve(performance.now() - began)));
}
