/**
 * The waiting appends and the one commit in flight: the log's group commit.
 *
 * - One commit at a time; what arrives meanwhile waits and shares the next one.
 * - Everyone in a failed commit is rejected with its reason; nothing of it becomes visible.
 */
import { StorageError } from '../errors.ts';

export interface Task<Result> {
  /** What it will write, roughly. */
  readonly bytes: number;
  /** true: it shares its commit with nobody. */
  readonly isAlone: boolean;
  /** Decides on the group; throws a refusal that concerns this task only. */
  readonly decide: (group: Result) => unknown;
}

interface Waiting<G> {
  readonly task: Task<G>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** What `decide` answered. */
  result: unknown;
  isRefused: boolean;
}

const GROUP_TASKS_MAX = 4_096;
const GROUP_BYTES_MAX = 67_108_864;
const WAITING_TASKS_MAX = 65_536;
const WAITING_BYTES_MAX = 268_435_456;

export interface Committer<G> {
  readonly begin: () => G;
  /** Commits what the group gathered for so many writers; resolves when it is durable, applied and told. */
  readonly commit: (group: G, writers: number) => Promise<void>;
}

export class CommitQueue<G> {
  readonly #committer: Committer<G>;
  #waiting: Waiting<G>[] = [];
  #bytes = 0;
  #running: Promise<void> | null = null;

  constructor(committer: Committer<G>) {
    this.#committer = committer;
  }

  /** Resolves with what `decide` answered, once the commit it was part of is durable. */
  add(task: Task<G>): Promise<unknown> {
    if (this.#waiting.length >= WAITING_TASKS_MAX || this.#bytes + task.bytes > WAITING_BYTES_MAX) {
      const what = `${this.#waiting.length} appends (${this.#bytes} bytes) already wait for the disk; try again later.`;
      return Promise.reject(new StorageError('STORAGE_BUSY', what));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject, result: undefined, isRefused: false });
      this.#bytes += task.bytes;
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** A turn of the event loop before each group, so that writers woken by one commit meet in the next. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#commit(this.#take());
    }
    this.#running = null;
  }

  #take(): readonly Waiting<G>[] {
    let count = 0;
    let bytes = 0;
    for (const { task } of this.#waiting) {
      const { bytes: more, isAlone } = task;
      if (count > 0 && (isAlone || count === GROUP_TASKS_MAX || bytes + more > GROUP_BYTES_MAX)) break;
      count += 1;
      bytes += more;
      if (isAlone) break;
    }
    this.#bytes -= bytes;
    const taken = this.#waiting;
    this.#waiting = taken.splice(count);
    return taken;
  }

  async #commit(waiting: readonly Waiting<G>[]): Promise<void> {
    try {
      const group = this.#committer.begin();
      let writers = 0;
      for (const each of waiting) if (decide(each, group)) writers += 1;
      await this.#committer.commit(group, writers);
      for (const { resolve, result, isRefused } of waiting) if (!isRefused) resolve(result);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

/** Whether the group has something of this writer: one that is refused hears of it at once. */
function decide<G>(waiting: Waiting<G>, group: G): boolean {
  try {
    waiting.result = waiting.task.decide(group);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    waiting.isRefused = true;
    waiting.reject(error);
  }
  return !waiting.isRefused;
}

/** Errors that one writer earned; all others concern the store and so the whole group. */
function isRefusal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof StorageError && error.code === 'STORAGE_VALUE_INVALID');
}
