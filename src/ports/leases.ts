/**
 * Leases decide which of several daemons on one log does a piece of work.
 *
 * - A lease lasts as long as its holder renews it. Its epoch grows with every holder, and the log refuses an append
 *   that carries an older epoch. So the time decides which daemon may begin, and the epoch decides which one may write.
 * - On the log of a single process every lease is granted, and none is lost.
 */

/** The part of a lease that an append carries. */
export interface Fence {
  readonly name: string;
  /** The process that holds the lease. */
  readonly holder: string;
  readonly epoch: number;
}

/** The right to do a piece of work. */
export interface Lease extends Fence {
  /** The previous holder did not release it: its work may be half done. */
  readonly isTakenOver: boolean;
}

export interface Leases {
  /** Whether other daemons take leases of the same table. */
  readonly isShared: boolean;
  /**
   * Takes the lease, or returns the one that this daemon holds; null while another daemon holds it, and when the table
   * cannot be read. When it resolves, the log of this daemon has all events of the previous holder.
   */
  acquire(name: string): Promise<Lease | null>;
  /**
   * Whether this daemon certainly holds the lease, by the clock of this machine. False some time before it runs out.
   */
  isHeld(name: string): boolean;
  /** The id of the node, maybe this one, that held the lease when the table was last read; null for none. */
  holder(name: string): string | null;
  /** Whether another node held the lease when the table was last read. */
  isElsewhere(name: string): boolean;
  /** All leases that are held: the id of the node, as `holder` returns it, by the name of the lease. */
  holders(): ReadonlyMap<string, string>;
  /** Releases the lease: no work under it is half done. Never rejects. */
  release(name: string): Promise<void>;
  /** Called after the log has refused the epoch: the lease counts as lost. */
  lost(name: string): void;
  /** Calls `listener` with each lease that ran out or was taken by another. Returns the function that unsubscribes. */
  onLost(listener: (name: string) => void): () => void;
  /** Calls `listener` after each reading of the table. Returns the function that unsubscribes. */
  onTableRead(listener: () => void): () => void;
}

/** The table of leases in the storage. A rejection means that the table could not be reached. */
export interface LeaseTable {
  /** Takes a lease that is free, has run out, or was held by an earlier process of this node; otherwise null. */
  take(name: string, milliseconds: number): Promise<TakenLease | null>;
  /** Renews the given leases that this process still holds, and lists all leases that have not run out. */
  renew(held: readonly Fence[], milliseconds: number): Promise<readonly LeaseRow[]>;
  /** Releases the given leases that this process still holds. */
  release(held: readonly Fence[]): Promise<void>;
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
