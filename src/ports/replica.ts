/** A text that several people write at once, as this machine holds it: a CRDT of which the house sees only bytes. */
export interface ReplicasPort {
  /**
   * A replica of what the updates make, oldest first. `history` is asked again whenever the replica has to be made
   * anew; an update in it that cannot be taken is left out.
   */
  open(history: () => Iterable<Uint8Array>): Promise<Replica>;
}

export interface Replica {
  /** Never throws; what cannot be taken leaves the text as it was. */
  apply(update: Uint8Array): Applied;
  /** What is here, for somebody who is asked for the rest. */
  vector(): Uint8Array;
  /** What a replica with that vector lacks; null when the vector cannot be read. */
  missing(vector: Uint8Array): Uint8Array | null;
  /** All of it as one update; null when it could not be read again. */
  state(): Uint8Array | null;
  /** The updates as one; null when they cannot be made one. */
  merge(updates: readonly Uint8Array[]): Uint8Array | null;
  /** Makes the text anew from its history. */
  restore(): void;
  close(): void;
}

export type Applied =
  /**
   * `news`: what of it was not here, null for nothing. `isWhole`: nothing was left out for lack of what it builds on.
   */
  | { readonly kind: 'applied'; readonly news: Uint8Array | null; readonly isWhole: boolean }
  /** No update at all. */
  | { readonly kind: 'unreadable' }
  /** An update that no text can take: it cost a restore. */
  | { readonly kind: 'harmful' };
