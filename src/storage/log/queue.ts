/**
 * The waiting appends and the one commit in flight: the log's group commit.
 *
 * - One commit at a time. While it is in flight the next group is decided, on the state that the one in flight will
 *   leave; it sets out the moment that one has landed, before its writers are answered. So the disk works while the
 *   thread does.
 * - What a writer hears it hears when its group has landed: a decision that rested on a commit which then failed is
 *   forgotten and made again.
 * - Everyone in a failed commit is rejected with its reason; nothing of it becomes visible.
 */
import { StorageError } from '../errors.ts';

export interface Task<Result> {
  /** What it will write, roughly. */
  readonly bytes: number;
  /** true: it shares its commit with nobody, and is decided when nothing is in flight. */
  readonly isAlone: boolean;
  /** Decides on the group; throws a refusal that concerns this task only. */
  readonly decide: (group: Result) => unknown;
}

interface Waiting<G> {
  readonly task: Task<G>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What one writer will hear once its group has landed. */
interface Decided<G> {
  readonly waiting: Waiting<G>;
  readonly isRefused: boolean;
  /** The answer, or the refusal. */
  readonly result: unknown;
}

const GROUP_TASKS_MAX = 4_096;
const GROUP_BYTES_MAX = 67_108_864;
const WAITING_TASKS_MAX = 65_536;
const WAITING_BYTES_MAX = 268_435_456;
/** So many writers that come at once go in two groups, so that one is decided while the other is synced. */
const SPLIT_TASKS_MIN = 16;

export interface Committer<G> {
  /** A group on the state as it is, or as `before`, which is in flight, will leave it. */
  readonly begin: (before: G | null) => G;
  /** Commits what the group gathered; resolves when it is durable and visible. Called while nothing is in flight. */
  readonly commit: (group: G, who: Writers) => Promise<void>;
  /** Tells whoever listens; before any writer of the group is answered. */
  readonly tell: (group: G) => void;
}

export interface Writers {
  readonly writers: number;
  /** They came in numbers, or others wait to be answered meanwhile. */
  readonly gathered: boolean;
}

/** A group that takes tasks. */
interface Boarding<G> {
  readonly group: G;
  readonly decided: Decided<G>[];
  bytes: number;
  /** Why the group cannot be committed: an error of the store and not of one writer. */
  fault: unknown;
}

/** A group on its way to the disk. */
interface Flight<G> extends Boarding<G> {
  readonly isShared: boolean;
  /** The reason it failed, or undefined. Never rejects. */
  readonly landed: Promise<unknown>;
}

export class CommitQueue<G> {
  readonly #committer: Committer<G>;
  #waiting: Waiting<G>[] = [];
  /** Of those that wait or are decided, until their group sets out. */
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
      this.#waiting.push({ task, resolve, reject });
      this.#bytes += task.bytes;
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** A series of flights, each setting out when the one before has landed, and the next series, until nobody waits. */
  async #run(): Promise<void> {
    do {
      let flight: Flight<G> | null = await this.#first();
      while (flight !== null) flight = await this.#after(flight);
    } while (this.#waiting.length > 0);
    this.#running = null;
  }

  /**
   * A turn of the event loop first: writers that are woken together meet in one group, and a lone one that is synced on
   * the spot, again and again, keeps nobody else from theirs.
   */
  async #first(): Promise<Flight<G>> {
    await turn();
    const isSplit = this.#waiting.length >= SPLIT_TASKS_MIN;
    const tasksMax = isSplit ? Math.ceil(this.#waiting.length / 2) : GROUP_TASKS_MAX;
    return this.#depart(this.#board(null, tasksMax), false);
  }

  /** Waits for a flight to land and answers its writers; returns the one that set out meanwhile, if any did. */
  async #after(flight: Flight<G>): Promise<Flight<G> | null> {
    if (flight.isShared) await turn();
    let next = this.#mayBoard() ? this.#board(flight.group, GROUP_TASKS_MAX) : null;
    const reason = await flight.landed;
    if (reason !== undefined) {
      if (next !== null) this.#waiting.unshift(...next.decided.map(({ waiting }) => waiting));
      next = null;
      for (const { waiting } of flight.decided) waiting.reject(reason);
    }
    if (next !== null) this.#fill(next, GROUP_TASKS_MAX);
    else if (this.#waiting.length > 0) next = this.#board(null, GROUP_TASKS_MAX);
    const following = next === null ? null : this.#depart(next, true);
    if (reason === undefined) this.#answer(flight);
    return following;
  }

  /** Somebody waits who can be decided while another group is in flight. */
  #mayBoard(): boolean {
    return this.#waiting[0]?.task.isAlone === false;
  }

  #board(before: G | null, tasksMax: number): Boarding<G> {
    const boarding = { group: this.#committer.begin(before), decided: [], bytes: 0, fault: undefined };
    this.#fill(boarding, tasksMax);
    return boarding;
  }

  #fill(boarding: Boarding<G>, tasksMax: number): void {
    const { decided, group } = boarding;
    let count = 0;
    for (const waiting of this.#waiting) {
      const { bytes, isAlone } = waiting.task;
      const isFull = isAlone || decided.length >= tasksMax || boarding.bytes + bytes > GROUP_BYTES_MAX;
      if (boarding.fault !== undefined || (decided.length > 0 && isFull)) break;
      const outcome = decide(waiting, group);
      if (outcome.isRefused && !isRefusal(outcome.result)) boarding.fault = outcome.result;
      decided.push(outcome);
      boarding.bytes += bytes;
      count += 1;
      if (isAlone) break;
    }
    this.#waiting = this.#waiting.slice(count);
  }

  #depart(boarding: Boarding<G>, othersWait: boolean): Flight<G> {
    const { group, decided, bytes, fault } = boarding;
    this.#bytes -= bytes;
    const isShared = decided.length > 1;
    if (fault !== undefined) return { ...boarding, isShared, landed: Promise.resolve(fault) };
    const writers = decided.reduce((sum, { isRefused }) => sum + (isRefused ? 0 : 1), 0);
    const commit = this.#committer.commit(group, { writers, gathered: othersWait || isShared });
    return { ...boarding, isShared, landed: commit.then(noReason, (reason: unknown) => reason) };
  }

  #answer({ group, decided }: Flight<G>): void {
    this.#committer.tell(group);
    for (const { waiting, isRefused, result } of decided) {
      if (isRefused) waiting.reject(result);
      else waiting.resolve(result);
    }
  }
}

function decide<G>(waiting: Waiting<G>, group: G): Decided<G> {
  try {
    return { waiting, isRefused: false, result: waiting.task.decide(group) };
  } catch (error) {
    return { waiting, isRefused: true, result: error };
  }
}

/** Errors that one writer earned; all others concern the store and so the whole group. */
function isRefusal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof StorageError && error.code === 'STORAGE_VALUE_INVALID');
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function noReason(): undefined {
  return undefined;
}
