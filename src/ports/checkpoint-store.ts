/** The checkpoints that this log has signed, with the cosignatures of witnesses. */

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

/**
 * Remembers the newest `CHECKPOINTS_MAX` checkpoints of each origin, and one of each earlier day (UTC), cosigned if one
 * is; `add` drops the others from time to time.
 */
export interface CheckpointStore {
  /** True while checkpoints are kept in memory, because their file could not be opened. */
  readonly isDisplaced: boolean;
  /** Opens the file again and moves the checkpoints in memory to it. When it throws, they stay in memory. */
  restore(): void;
  add(checkpoint: Omit<StoredCheckpoint, 'witnesses'>): void;
  /** Adds the signature line of a witness, with its newline; ignored when the checkpoint is not remembered. */
  addCosignature(cosignature: Cosignature): void;
  newest(origin: string): StoredCheckpoint | undefined;
  /** The newest checkpoint that at least `needed` of these witnesses cosigned. */
  newestCosigned(origin: string, by: Cosigners): StoredCheckpoint | undefined;
  ofSize(origin: string, size: number): StoredCheckpoint | undefined;
  /** Size of the newest checkpoint that the witness cosigned; 0 for none. */
  sizeCosignedBy(origin: string, witness: string): number;
  /** The checkpoints with a size above `after`, in ascending order of size. */
  list(origin: string, page: { readonly after: number; readonly limit: number }): readonly StoredCheckpoint[];
  close(): void;
}

export interface Cosigners {
  /** Verifier keys. */
  readonly witnesses: readonly string[];
  readonly needed: number;
}

export interface Cosignature {
  readonly origin: string;
  readonly size: number;
  /** The witness's verifier key. */
  readonly witness: string;
  readonly line: string;
}

export const CHECKPOINTS_MAX = 100_000;
