/**
 * The leases of a log that several daemons share: a table in the database, renewed by a heartbeat.
 *
 * - A lease counts as held from the moment its statement was sent, and for less time than the database grants: this
 *   daemon stops before another may start. The clock of this machine only measures durations.
 * - A heartbeat renews all leases by one statement, which also lists the leases of other daemons. The next heartbeat is
 *   due right after the first of those expires.
 * - A process that was paused finds by its clock that its leases have expired, before it uses them.
 */
import type { Timers } from '../../lib/timers.ts';
import type { Lease, LeaseRow, Leases, LeaseTable } from '../../ports/leases.ts';

export interface SharedLeasesParts {
  readonly table: LeaseTable;
  /** The id of this node. */
  readonly node: string;
  readonly timers: Timers;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Duration of a lease without renewal. */
  readonly leaseMs: number;
  /** Position of the newest event in the local log. */
  readonly position: () => number;
  /** Resolves when the local log has the event at the position. Rejects when that takes too long. */
  readonly reached: (position: number) => Promise<void>;
  readonly report: (message: string) => void;
}

export interface SharedLeases extends Leases {
  /** Sends the first heartbeat, and further ones periodically. */
  start(): Promise<void>;
  /** Ends the heartbeat and releases all leases. */
  stop(): Promise<void>;
}

interface Held {
  readonly lease: Lease;
  /** The lease counts as held before this time of `elapsed`. */
  until: number;
}

const HEARTBEATS_PER_LEASE = 4;
/** Last part of a lease's duration, in which its holder treats it as expired. */
const MARGIN = 0.1;
/** Time between the expiry of another daemon's lease and the next heartbeat. */
const AFTER_EXPIRY_MS = 20;
const PAUSE_MS_MIN = 10;

export class TableLeases implements SharedLeases {
  readonly isShared = true;
  readonly #parts: SharedLeasesParts;
  readonly #held = new Map<string, Held>();
  readonly #acquiring = new Map<string, Promise<Lease | null>>();
  readonly #taking = new Set<Promise<unknown>>();
  readonly #releasing = new Map<string, Promise<void>>();
  readonly #lostListeners = new Set<(name: string) => void>();
  readonly #lookedListeners = new Set<() => void>();
  /** The rows of the newest heartbeat, by name. */
  #rows = new Map<string, LeaseRow>();
  #cancelHeartbeat: (() => void) | null = null;
  #cancelExpiry: (() => void) | null = null;
  #heartbeat: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isUnreachable = false;

  constructor(parts: SharedLeasesParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#beat();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelHeartbeat?.();
    this.#cancelExpiry?.();
    await this.#heartbeat;
    // An unreachable database would delay the stop. The leases expire anyway.
    if (!this.#isUnreachable) await Promise.allSettled(this.#taking);
    const held = [...this.#held.values()].map(({ lease }) => lease);
    this.#held.clear();
    // A lease that another daemon lost and that is not granted yet stands for work that may be half done: it expires.
    const released = held.filter(({ name, isTakenOver }) => !isTakenOver || !this.#acquiring.has(name));
    if (released.length > 0 && !this.#isUnreachable) await this.#parts.table.release(released).catch(() => undefined);
  }

  acquire(name: string): Promise<Lease | null> {
    const known = this.#held.get(name);
    if (known !== undefined && this.isHeld(name)) return Promise.resolve(known.lease);
    let acquiring = this.#acquiring.get(name);
    if (acquiring === undefined) {
      acquiring = this.#acquire(name).finally(() => this.#acquiring.delete(name));
      this.#acquiring.set(name, acquiring);
    }
    return acquiring;
  }

  isHeld(name: string): boolean {
    const held = this.#held.get(name);
    return held !== undefined && this.#parts.elapsed() < held.until;
  }

  holder(name: string): string | null {
    if (this.isHeld(name)) return this.#parts.node;
    const row = this.#rows.get(name);
    return row === undefined || row.isOwn ? null : row.node;
  }

  isElsewhere(name: string): boolean {
    const holder = this.holder(name);
    return holder !== null && holder !== this.#parts.node;
  }

  holders(): ReadonlyMap<string, string> {
    const names = new Set([...this.#rows.keys(), ...this.#held.keys()]);
    const known = [...names].map((name) => [name, this.holder(name)] as const);
    return new Map(known.filter((each): each is readonly [string, string] => each[1] !== null));
  }

  async release(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    this.#rows.delete(name);
    // A lease that cannot be released expires.
    const releasing = this.#parts.table
      .release([held.lease])
      .catch(() => undefined)
      .finally(() => this.#releasing.delete(name));
    this.#releasing.set(name, releasing);
    await releasing;
  }

  lost(name: string): void {
    if (!this.#held.delete(name)) return;
    for (const listener of this.#lostListeners) listener(name);
  }

  onLost(listener: (name: string) => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  onTableRead(listener: () => void): () => void {
    this.#lookedListeners.add(listener);
    return () => this.#lookedListeners.delete(listener);
  }

  async #acquire(name: string): Promise<Lease | null> {
    const { table, leaseMs, elapsed, position, reached } = this.#parts;
    await this.#releasing.get(name);
    if (this.#isStopped) return null;
    const [sentAt, known] = [elapsed(), position()];
    const taking = table.take(name, leaseMs);
    this.#taking.add(taking);
    try {
      const taken = await taking;
      if (taken === null) return null;
      const { head, ...granted } = taken;
      // The database was restored to an earlier state, whose table does not tell what is half done.
      if (head < known) throw new Error(`The database ends at ${head}, the log here at ${known}.`);
      const lease = { name, ...granted };
      this.#held.set(name, { lease, until: this.#untilOf(sentAt) });
      this.#armExpiry();
      await reached(head);
      return this.isHeld(name) ? lease : null;
    } catch {
      // The heartbeat reports an unreachable database, the log one with another history. A lease that was granted
      // nevertheless expires: releasing it would tell the next holder that no work is unfinished.
      this.#held.delete(name);
      return null;
    } finally {
      this.#taking.delete(taking);
    }
  }

  #untilOf(sentAt: number): number {
    return sentAt + this.#parts.leaseMs * (1 - MARGIN);
  }

  #beat(): Promise<void> {
    this.#heartbeat = this.#renewAndList().finally(() => {
      if (!this.#isStopped) this.#cancelHeartbeat = this.#parts.timers.after(this.#pause(), () => void this.#beat());
    });
    return this.#heartbeat;
  }

  async #renewAndList(): Promise<void> {
    const { table, leaseMs, elapsed, report } = this.#parts;
    this.#expire();
    const held = [...this.#held.values()].map(({ lease }) => lease);
    const sentAt = elapsed();
    try {
      const rows = await table.renew(held, leaseMs);
      if (this.#isStopped) return;
      this.#rows = new Map(rows.map((row) => [row.name, row]));
      for (const { name, epoch } of held) this.#settle(name, epoch, sentAt);
      this.#armExpiry();
      if (this.#isUnreachable) report('The leases are renewed again.');
      this.#isUnreachable = false;
      for (const listener of this.#lookedListeners) listener();
    } catch (error) {
      if (!this.#isUnreachable) report(`The leases cannot be renewed: ${(error as Error).message}`);
      this.#isUnreachable = true;
    }
  }

  /** Applies the result of a heartbeat to a lease: renewed or lost. */
  #settle(name: string, epoch: number, sentAt: number): void {
    const held = this.#held.get(name);
    if (held?.lease.epoch !== epoch) return;
    const row = this.#rows.get(name);
    if (row?.isOwn === true && row.epoch === epoch) held.until = this.#untilOf(sentAt);
    else this.lost(name);
  }

  #expire(): void {
    for (const name of [...this.#held.keys()]) if (!this.isHeld(name)) this.lost(name);
  }

  /** A heartbeat may hang with the network. A timer notices leases that expire meanwhile. */
  #armExpiry(): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = null;
    if (this.#held.size === 0 || this.#isStopped) return;
    const first = Math.min(...[...this.#held.values()].map(({ until }) => until));
    this.#cancelExpiry = this.#parts.timers.after(Math.max(1, first - this.#parts.elapsed()), () => {
      this.#expire();
      this.#armExpiry();
    });
  }

  #pause(): number {
    const others = [...this.#rows.values()].filter(({ isOwn }) => !isOwn);
    const untilFree = others.map(({ millisecondsLeft }) => millisecondsLeft + AFTER_EXPIRY_MS);
    return Math.max(PAUSE_MS_MIN, Math.min(this.#parts.leaseMs / HEARTBEATS_PER_LEASE, ...untilFree));
  }
}
