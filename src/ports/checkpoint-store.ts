/** The checkpoints that this log has signed, and what witnesses added to them. */

export interface StoredCheckpoint {
  readonly origin: string;
  /** Number of events. */
  readonly size: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** The signed note, with the cosignatures that came so far. */
  readonly note: string;
  /** Verifier keys of the witnesses that cosigned it. */
  readonly witnesses: readonly string[];
}

/** Remembers the newest `CHECKPOINTS_MAX` checkpoints of each origin. */
export interface CheckpointStore {
  /** They are kept in memory, because their file could not be opened. */
  readonly isDisplaced: boolean;
  /** Opens the file again and moves there what is in memory. Throws why it cannot be written; nothing is lost then. */
  restore(): void;
  add(checkpoint: Omit<StoredCheckpoint, 'witnesses'>): void;
  /** Adds the signature line of a witness, with its newline; nothing when the checkpoint is not remembered. */
  addCosignature(cosignature: Cosignature): void;
  newest(origin: string): StoredCheckpoint | undefined;
  /** The newest one that at least so many witnesses cosigned. */
  newestCosigned(origin: string, witnesses: number): StoredCheckpoint | undefined;
  ofSize(origin: string, size: number): StoredCheckpoint | undefined;
  /** Size of the newest one that the witness cosigned, 0 for none. */
  sizeCosignedBy(origin: string, witness: string): number;
  /** Those larger than `after`, by size. */
  list(origin: string, page: { readonly after: number; readonly limit: number }): readonly StoredCheckpoint[];
  /** Removes what is older than the newest `CHECKPOINTS_MAX`; also done now and then by `add`. */
  prune(origin: string): void;
  close(): void;
}

export interface Cosignature {
  readonly origin: string;
  readonly size: number;
  /** The witness's verifier key. */
  readonly witness: string;
  readonly line: string;
}

export const CHECKPOINTS_MAX = 100_000;
