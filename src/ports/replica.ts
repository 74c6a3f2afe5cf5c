/** A text that several people edit at the same time: a CRDT of which the daemon sees only bytes. */
export interface ReplicasPort {
  /**
   * A replica that applies the updates of `history`, oldest first. `history` is read again whenever the replica is
   * rebuilt; invalid updates in it are skipped.
   */
  open(history: () => Iterable<Uint8Array>): Promise<Replica>;
}

export interface Replica {
  /**
   * Never throws. An update that cannot be applied leaves the text as it is. Parts that build on missing updates are
   * kept until those arrive; `missing` includes them, `state` does not.
   */
  apply(update: Uint8Array): Applied;
  /** The state vector of this replica. A peer answers it with the updates that the replica lacks. */
  vector(): Uint8Array;
  /** The update that a replica with this state vector lacks; null when the vector is invalid. */
  missing(vector: Uint8Array): Uint8Array | null;
  /** The whole state as one update; null when it could not be read back. */
  state(): Uint8Array | null;
  /** The updates as one; null when they cannot be merged. */
  merge(updates: readonly Uint8Array[]): Uint8Array | null;
  /** Rebuilds the text from its history; kept parts are dropped. */
  restore(): void;
  close(): void;
}

export type Applied =
  /**
   * `news`: what became part of the text, or null; it may include parts that were kept before. `pendingBytes`: the
   * bytes of all kept parts when the update added one, else 0.
   */
  | { readonly kind: 'applied'; readonly news: Uint8Array | null; readonly pendingBytes: number }
  /** The bytes are no update. */
  | { readonly kind: 'unreadable' }
  /** The update broke the document, which was restored without it. */
  | { readonly kind: 'harmful' };
