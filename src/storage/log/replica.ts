/**
 * Keeps a log equal to its primary (docs/decisions/0014).
 *
 * - A batch goes to the primary first. When the primary has moved on, the log follows it, and the batch is decided
 *   again while other writers are kept out.
 * - When a connection breaks during a commit, the records of the primary tell whether it took the batch.
 * - A primary that answers and takes no batch is asked again for as long as writers wait. After that each further batch
 *   is refused without the wait, until the primary takes one.
 * - When the primary has lost events, or has other events than the log, the log fails and takes no more appends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bytes } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { ERASURES_STREAM } from '../event-log.ts';
import { equalHashes } from '../merkle.ts';
import type { AppendBatch } from './append-batch.ts';
import { DecideAgain } from './append-queue.ts';
import { damaged } from './damage.ts';
import { type ErasedPayload, erasedIn } from './erase.ts';
import { distinctFences, LostFences } from './lost-fences.ts';
import {
  firstDifference,
  type Primary,
  type PrimaryBatch,
  type Tail,
  type Tombstone,
  type TreeHead,
} from './primary.ts';
import { isIntact, leafOf, toHex } from './record.ts';

export interface ReplicaParts {
  readonly primary: Primary;
  /** Calls `follow` of this replica while no commit is in flight. */
  readonly queueFollow: () => Promise<void>;
  /** An empty batch on the log's current state. */
  readonly begin: () => AppendBatch;
  /** Commits a batch to the log's engine and calls the listeners. */
  readonly store: (batch: AppendBatch) => Promise<void>;
  readonly head: () => TreeHead;
  /** The leaf hashes of the log after a position, one after the other. */
  readonly leaves: (after: number, count: number) => Uint8Array;
  /** Called once, when the primary turns out to have another history. */
  readonly broke: (reason: StorageError) => void;
}

/** Records that are copied in one commit: few enough that the garbage collector frees them young. */
const TAKEN_EVENTS_MAX = 512;
const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 1_000;
/** A refusal of the primary is reported for so long. Without further batches nothing tells whether it still holds. */
const REFUSAL_MS = 60_000;

/** Commits batches to the primary and copies its records to the log. */
export class Replica {
  readonly #parts: ReplicaParts;
  readonly lostFences = new LostFences();
  #broken: StorageError | null = null;
  /** Why the primary, which answered, refused the last batch, and when that was; null since it took one. */
  #refusal: { readonly reason: StorageError; readonly at: number } | null = null;
  /** Why the log cannot follow the primary, and since when; null while it can. */
  #standstill: { readonly reason: StorageError; readonly since: number } | null = null;
  #isStopped = false;
  /** Whether a task that follows the primary is queued. */
  #isFollowing = false;
  /** The newest position that the primary has announced. */
  #announcedPosition = 0;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    parts.primary.onHead((position) => void this.#followTo(position));
  }

  /** Stops following the primary. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Why the log takes no appends; null while it does, or when that is unknown. */
  get failure(): StorageError | null {
    const now = performance.now();
    if (this.obstacle !== null) return this.obstacle;
    if (this.#refusal !== null && now - this.#refusal.at < REFUSAL_MS) return this.#refusal.reason;
    const { reason = null, since = now } = this.#standstill ?? {};
    return now - since >= this.#parts.primary.patienceMs ? reason : null;
  }

  /** Why no append is sent to the primary; null while they are. */
  get obstacle(): StorageError | null {
    return this.#broken ?? this.#parts.primary.failure;
  }

  /**
   * Resolves when the primary has the batch. Rejects with `DecideAgain` when the primary had other events, which the
   * log has copied by then.
   */
  async commit(batch: AppendBatch): Promise<void> {
    if (this.#broken !== null) throw this.#broken;
    if (batch.records.length === 0) return this.#commitNothing(batch);
    const { events, records, tombstones } = batch;
    const fences = distinctFences(batch.fences);
    const base = this.#parts.head();
    if (events[0]?.position !== base.position + 1)
      throw new Error('The batch was decided on another state of the log.');
    await this.#send({ base, tree: batch.tree(), events, records, tombstones, fences });
  }

  /** Copies the events that the log lacks; `progress` receives the positions of the log and of the primary. */
  async follow(progress?: (done: number, total: number) => void): Promise<void> {
    const { primary, head } = this.#parts;
    if (this.#broken !== null) throw this.#broken;
    let tail = await primary.tail(head().position);
    while (tail.records.length > 0) {
      const reached = head().position + tail.records.length;
      // The primary reads the next records while these are written.
      const next = reached < tail.head.position ? primary.tail(reached) : null;
      next?.catch(() => {});
      await this.#takeOver(tail);
      progress?.(reached, tail.head.position);
      if (next === null) break;
      tail = await next;
    }
    await this.#checkHead(tail.head);
  }

  /** Compares the leaf hashes up to a position with the primary. After a difference the log takes no more appends. */
  async compare(through: number): Promise<void> {
    const { primary, leaves } = this.#parts;
    const position = await firstDifference(through, primary, leaves);
    if (position !== null) throw this.#breakAt(position);
  }

  /** Follows the primary, which has announced a position. After a failure the next announcement tries again. */
  async #followTo(position: number): Promise<void> {
    const { head, queueFollow } = this.#parts;
    this.#announcedPosition = position;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      while (!this.#isStopped && this.#announcedPosition !== head().position) {
        this.#announcedPosition = head().position;
        await queueFollow();
      }
      this.#standstill = null;
    } catch (error) {
      this.#standstill = { since: this.#standstill?.since ?? performance.now(), reason: error as StorageError };
    } finally {
      this.#isFollowing = false;
    }
  }

  /**
   * A batch of refusals only. They are decided again if an append expects a version that only the primary has reached.
   */
  async #commitNothing(batch: AppendBatch): Promise<void> {
    if (!batch.isAheadOfState) return this.#parts.primary.release();
    const before = this.#parts.head().position;
    await this.follow();
    if (this.#parts.head().position > before) throw new DecideAgain();
    await this.#parts.primary.release();
  }

  /** Sends the batch until the primary has it: again at once unless that took long, then after pauses. */
  async #send(sent: PrimaryBatch): Promise<void> {
    const { patienceMs } = this.#parts.primary;
    const started = performance.now();
    const deadline = started + (this.#refusal === null ? patienceMs : 0);
    for (let pause = 0; ; pause = Math.min(RETRY_MS_MAX, 2 * pause || RETRY_MS_MIN)) {
      const reason = await this.#sendOnce(sent, deadline);
      if (reason === null) break;
      const end = pause === 0 ? started + Math.max(patienceMs, RETRY_MS_MAX) : deadline;
      if (performance.now() + pause > end) throw this.#refused(reason);
      await jittered(pause);
    }
    this.#refusal = null;
    this.#standstill = null;
  }

  #refused(reason: StorageError): StorageError {
    this.#refusal = { reason, at: performance.now() };
    return reason;
  }

  /** Sends the batch once. Null when the primary has it; otherwise the reason, and the batch may be sent again. */
  async #sendOnce(sent: PrimaryBatch, deadline: number): Promise<StorageError | null> {
    const { primary } = this.#parts;
    const outcome = await primary.append(sent).catch((error: StorageError) => {
      if (error.code !== 'STORAGE_UNAVAILABLE') throw this.#refused(error);
      return { kind: 'unknown', error } as const;
    });
    switch (outcome.kind) {
      case 'taken':
        return null;
      case 'forked':
        throw await this.#differs();
      case 'fenced':
        this.lostFences.add(outcome.lost);
        throw new DecideAgain();
      case 'unknown':
        return (await this.#wasTaken(sent, deadline)) ? null : outcome.error;
      case 'behind':
        if (await this.#wasTaken(sent, deadline)) return null;
        throw new DecideAgain();
    }
  }

  /** Whether the primary has the batch after all; false when it has nothing after the base of the batch. */
  async #wasTaken({ base, records }: PrimaryBatch, deadline: number): Promise<boolean> {
    const { primary } = this.#parts;
    const tail = await this.#patiently(deadline, () => primary.tail(base.position));
    if (tail.head.position < base.position) throw this.#lost(tail.head);
    const isRecorded = records.every((record, index) => {
      const other = tail.records[index];
      return other !== undefined && equalHashes(leafOf(other), leafOf(record));
    });
    if (isRecorded) return true;
    if (tail.records.length === 0) return false;
    await this.#patiently(deadline, () => primary.hold());
    await this.#patiently(deadline, () => this.follow());
    throw new DecideAgain();
  }

  /** Repeats the work until the deadline while the primary is out of reach. */
  async #patiently<Result>(deadline: number, work: () => Promise<Result>): Promise<Result> {
    for (let pause = RETRY_MS_MIN; ; pause = Math.min(RETRY_MS_MAX, 2 * pause)) {
      try {
        return await work();
      } catch (error) {
        const isAway = error instanceof StorageError && error.code === 'STORAGE_UNAVAILABLE';
        if (!isAway) throw error;
        if (performance.now() + pause > deadline) {
          const { primary } = this.#parts;
          primary.gaveUp();
          throw primary.failure === null ? this.#refused(error) : error;
        }
      }
      await jittered(pause);
    }
  }

  /** Throws unless the records continue the log and lead to the tree of the primary. */
  async #takeOver({ records, head, leaf }: Tail): Promise<void> {
    const { position } = this.#parts.head();
    const own = position === 0 ? null : this.#parts.leaves(position - 1, 1);
    if (own !== null && (leaf === null || !equalHashes(own, leaf))) throw await this.#differs();
    for (let at = 0; at < records.length; at += TAKEN_EVENTS_MAX) {
      await this.#takeOverSome(records.slice(at, at + TAKEN_EVENTS_MAX), head);
    }
  }

  /** Like `#takeOver`; takes all of the records or none. */
  async #takeOverSome(records: readonly Bytes[], head: TreeHead): Promise<void> {
    const { position } = this.#parts.head();
    const batch = this.#parts.begin();
    try {
      batch.follow(records);
      const erases = batch.versionOf(ERASURES_STREAM) !== undefined;
      const erased = erases ? batch.events.flatMap(erasedIn) : [];
      if (erased.length > 0) {
        const tombstones = await this.#parts.primary.records(erased.map(({ position: at }) => at));
        batch.replace(erased.map((each, index) => checkedTombstone(each, tombstones[index]!)));
      }
    } catch (error) {
      if (!(error instanceof StorageError) || error.code === 'STORAGE_UNAVAILABLE') throw error;
      throw await this.#differs(error.message);
    }
    const isAtHead = position + records.length === head.position;
    if (isAtHead && !equalHashes(batch.tree(), head.tree)) throw await this.#differs();
    await this.#parts.store(batch);
  }

  /** Throws unless the log equals the primary at `head`. */
  async #checkHead(head: TreeHead): Promise<void> {
    const own = this.#parts.head();
    if (head.position < own.position) throw this.#lost(head);
    if (head.position > own.position)
      throw this.#break(`it ends at ${head.position} but has no event ${own.position + 1}`);
    if (!equalHashes(head.tree, own.tree)) throw await this.#differs();
  }

  /** The failure that names the first position at which the leaf hashes differ, or says `otherwise` when none does. */
  async #differs(otherwise = 'its events are those of the copy, but its tree hash is not'): Promise<StorageError> {
    const { primary, leaves, head } = this.#parts;
    const position = await firstDifference(head().position, primary, leaves);
    return position === null ? this.#break(otherwise) : this.#breakAt(position);
  }

  #breakAt(position: number): StorageError {
    return this.#break(`position ${position} holds another event there than in the copy of this daemon`);
  }

  #lost({ position }: TreeHead): StorageError {
    const own = this.#parts.head().position;
    return this.#break(
      `it ends at ${position}, the copy of this daemon at ${own}; events ${position + 1} to ${own} were lost`,
    );
  }

  #break(what: string): StorageError {
    if (this.#broken !== null) return this.#broken;
    this.#broken = new StorageError(
      'STORAGE_READ_ONLY',
      `The history in the database is another one: ${what.replace(/\.$/, '')}. See "A history that differs" in docs/postgresql.md.`,
    );
    this.#parts.broke(this.#broken);
    return this.#broken;
  }
}

/** A pause of a random length, so that daemons do not retry together. */
function jittered(milliseconds: number): Promise<void> {
  return sleep(milliseconds * (0.5 + Math.random()));
}

function checkedTombstone({ position, leaf_hash }: ErasedPayload, record: Uint8Array): Tombstone {
  if (isIntact(record) && toHex(leafOf(record)) === leaf_hash) return { position, record };
  throw damaged(`the database has another record at position ${position}, which was erased`);
}
