/**
 * Leases: which of several daemons on one log does a piece of work.
 *
 * - A lease lasts as long as its holder renews it. Its epoch grows with every holder: an append that carries an older
 *   epoch is refused by the log. So time decides who may begin, and the epoch decides who may write.
 * - On a log that one process has for itself every lease is granted, and none is ever lost.
 */

/** What an append carries that is made under a lease. */
export interface Fence {
  readonly name: string;
  /** The process that holds the lease. */
  readonly holder: string;
  readonly epoch: number;
}

/** The right to do a piece of work. */
export interface Lease extends Fence {
  /** The holder before did not give it back: what it was doing may be half done. */
  readonly isTakenOver: boolean;
}

export interface Leases {
  /** Whether other daemons take leases of the same table. */
  readonly isShared: boolean;
  /**
   * Takes the lease, or answers the one that this daemon holds; null while another daemon holds it, and when the table
   * cannot be asked. The log here has everything that the holder before has appended.
   */
  acquire(name: string): Promise<Lease | null>;
  /** Whether this daemon surely holds it now, by the clock of this machine. False some time before it runs out. */
  isHeld(name: string): boolean;
  /** The id of the node that held it at the newest look at the table, this one included; null when none did. */
  holder(name: string): string | null;
  /** Whether another node than this one held it at the newest look. */
  isElsewhere(name: string): boolean;
  /** All that are held, by name: the id of the node, as `holder` answers it. */
  holders(): ReadonlyMap<string, string>;
  /** Gives it back: the next holder finds nothing half done. Never rejects. */
  release(name: string): Promise<void>;
  /** Told by who met a refused epoch: the lease counts as lost. */
  lost(name: string): void;
  /** Calls `listener` with each lease that ran out or was taken by another. Returns the function that unsubscribes. */
  onLost(listener: (name: string) => void): () => void;
  /** Calls `listener` after each look at the table. Returns the function that unsubscribes. */
  onLooked(listener: () => void): () => void;
}

/** The table of leases, as the storage has it. All rejections mean that it could not be asked. */
export interface LeaseTable {
  /** Takes a lease that nobody holds, that has run out, or that an earlier process of this node held. */
  take(name: string, milliseconds: number): Promise<TakenLease | null>;
  /** Renews those that this process still holds, and lists all that have not run out. */
  look(held: readonly Fence[], milliseconds: number): Promise<readonly LeaseRow[]>;
  /** Marks those of these as given back that this process still holds. */
  give(held: readonly Fence[]): Promise<void>;
}

export interface TakenLease {
  readonly holder: string;
  readonly epoch: number;
  readonly isTakenOver: boolean;
  /** The position of the log's newest event, read after the lease was taken. */
  readonly head: number;
}

export interface LeaseRow {
  readonly name: string;
  readonly epoch: number;
  /** The id of the node that holds it. */
  readonly node: string;
  /** Held by this process, and renewed by this look. */
  readonly isOwn: boolean;
  /** Milliseconds until it runs out, by the clock of the database. */
  readonly millisecondsLeft: number;
}
