/**
 * The leases of a log that several daemons share: a table in the database, renewed by a heartbeat.
 *
 * - A lease counts as held from the moment its statement was sent, and for less time than the database gives it: this
 *   daemon stops before another may begin. The clock of this machine only measures durations.
 * - All leases are renewed by one statement. It also lists what others hold, and when that runs out: the next look
 *   comes right after.
 * - A process that was paused finds by its clock that its leases ran out, before it does anything else with them.
 */
import type { Timers } from '../../lib/timers.ts';
import type { Lease, LeaseRow, Leases, LeaseTable } from '../../ports/leases.ts';

export interface SharedLeasesParts {
  readonly table: LeaseTable;
  /** The id of this node. */
  readonly node: string;
  readonly timers: Timers;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number;
  /** Resolves when the log here has the event at the position. Rejects when that takes too long. */
  readonly reached: (position: number) => Promise<void>;
  readonly report: (message: string) => void;
}

export interface SharedLeases extends Leases {
  /** Looks at the table, and again and again from then on. */
  start(): Promise<void>;
  /** Ends the looking and gives back what is held. */
  stop(): Promise<void>;
}

interface Held {
  readonly lease: Lease;
  /** It counts as held before this moment, of `elapsed`. */
  until: number;
}

/** Looks in the time of a lease. */
const LOOKS_PER_LEASE = 4;
/** The part of a lease's time for which its holder does not count on it any more. */
const MARGIN = 0.1;
/** After the moment at which a lease of another daemon runs out. */
const AFTER_EXPIRY_MS = 20;
const PAUSE_MS_MIN = 10;

export class TableLeases implements SharedLeases {
  readonly isShared = true;
  readonly #parts: SharedLeasesParts;
  readonly #held = new Map<string, Held>();
  readonly #acquiring = new Map<string, Promise<Lease | null>>();
  readonly #giving = new Map<string, Promise<void>>();
  readonly #lostListeners = new Set<(name: string) => void>();
  readonly #lookedListeners = new Set<() => void>();
  /** The rows of the newest look, by name. */
  #rows = new Map<string, LeaseRow>();
  #cancelLook: (() => void) | null = null;
  #cancelExpiry: (() => void) | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isUnreachable = false;

  constructor(parts: SharedLeasesParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook?.();
    this.#cancelExpiry?.();
    await this.#looking;
    const held = [...this.#held.values()].map(({ lease }) => lease);
    this.#held.clear();
    if (held.length > 0) await this.#parts.table.give(held).catch(() => undefined);
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
    // What cannot be given back runs out.
    const giving = this.#parts.table
      .give([held.lease])
      .catch(() => undefined)
      .finally(() => this.#giving.delete(name));
    this.#giving.set(name, giving);
    await giving;
  }

  lost(name: string): void {
    if (!this.#held.delete(name)) return;
    for (const listener of this.#lostListeners) listener(name);
  }

  onLost(listener: (name: string) => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  onLooked(listener: () => void): () => void {
    this.#lookedListeners.add(listener);
    return () => this.#lookedListeners.delete(listener);
  }

  async #acquire(name: string): Promise<Lease | null> {
    const { table, leaseMs, elapsed, reached } = this.#parts;
    await this.#giving.get(name);
    if (this.#isStopped) return null;
    const sentAt = elapsed();
    try {
      const taken = await table.take(name, leaseMs);
      if (taken === null) return null;
      const { head, ...granted } = taken;
      const lease = { name, ...granted };
      this.#held.set(name, { lease, until: this.#untilOf(sentAt) });
      this.#armExpiry();
      await reached(head);
      return this.isHeld(name) ? lease : null;
    } catch {
      // The look of the heartbeat reports a database that is away. What was taken after all runs out.
      await this.release(name);
      return null;
    }
  }

  #untilOf(sentAt: number): number {
    return sentAt + this.#parts.leaseMs * (1 - MARGIN);
  }

  #look(): Promise<void> {
    this.#looking = this.#renewAndList().finally(() => {
      if (!this.#isStopped) this.#cancelLook = this.#parts.timers.after(this.#pause(), () => void this.#look());
    });
    return this.#looking;
  }

  async #renewAndList(): Promise<void> {
    const { table, leaseMs, elapsed, report } = this.#parts;
    this.#expire();
    const asked = [...this.#held.values()].map(({ lease }) => lease);
    const sentAt = elapsed();
    try {
      const rows = await table.look(asked, leaseMs);
      if (this.#isStopped) return;
      this.#rows = new Map(rows.map((row) => [row.name, row]));
      for (const { name, epoch } of asked) this.#settle(name, epoch, sentAt);
      this.#armExpiry();
      if (this.#isUnreachable) report('The leases are renewed again.');
      this.#isUnreachable = false;
      for (const listener of this.#lookedListeners) listener();
    } catch (error) {
      if (!this.#isUnreachable) report(`The leases cannot be renewed: ${(error as Error).message}`);
      this.#isUnreachable = true;
    }
  }

  /** After a look that asked for a lease: it is renewed, or lost. */
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

  /** A look may hang with the network: what runs out meanwhile is noticed all the same. */
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
    return Math.max(PAUSE_MS_MIN, Math.min(this.#parts.leaseMs / LOOKS_PER_LEASE, ...untilFree));
  }
}
