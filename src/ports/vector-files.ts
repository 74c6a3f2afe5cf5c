/**
 * Vectors of embedding models on disk.
 *
 * - A file holds the vectors of one model, recipe and dimension, so all vectors of a file are comparable.
 * - Files are disposable: missing vectors are embedded again.
 * - All methods are synchronous and short.
 */
import type { ByteCipher } from './text-cipher.ts';

export const VECTOR_KINDS = ['memory', 'drawer'] as const;
export type VectorKind = (typeof VECTOR_KINDS)[number];

/** An entry of the memory store. */
export interface VectorRef {
  readonly kind: VectorKind;
  readonly key: string;
}

/** An entry with a fingerprint of its text, so that the vector of an older text is not used. */
export interface MarkedRef extends VectorRef {
  readonly mark: number;
}

export interface VectorEntry extends MarkedRef {
  /** Of length 1. */
  readonly vector: Float32Array;
}

/** Equal identities have comparable vectors. */
export interface VectorIdentity {
  readonly provider: string;
  readonly model: string;
  /** Identifies everything besides the text that determines a vector, including the requested dimension. */
  readonly recipe: string;
}

export interface NearVector {
  readonly key: string;
  /** Cosine with the question, from eight bits a dimension: within about 0.005. */
  readonly cosine: number;
}

/** The vectors of one model and dimension. */
export interface VectorStore {
  readonly dimension: number;
  /** Number of entries. */
  size(): number;
  /** Whether `put` ignores further entries. */
  isFull(): boolean;
  /** Whether there is a vector of this entry's text. */
  has(entry: MarkedRef): boolean;
  /** Stores the entries in one transaction, as far as there is room. */
  put(entries: readonly VectorEntry[]): void;
  /** Cosine of an entry's vector with a vector of the same model; undefined without an entry. */
  cosine(question: Float32Array, ref: VectorRef): number | undefined;
  /**
   * The nearest entries of a kind, best first. Approximate: only candidates that a search over signs selects are read.
   */
  nearest(question: Float32Array, want: { readonly kind: VectorKind; readonly k: number }): readonly NearVector[];
  /** The cosine of unrelated entries with the question: the median over entries that are spread evenly. */
  background(question: Float32Array): number;
}

export interface VectorFiles {
  /**
   * The store of this dimension, created when there is none. Without a dimension: the one used last, or null. A file
   * that cannot be read (damaged, another format or key) is emptied. Throws errors of the system, such as a full disk.
   * Closes the store that was open before.
   */
  open(identity: VectorIdentity, dimension: number | null): VectorStore | null;
  /** Reads a piece of the open store into memory; false when all is there. */
  load(): boolean;
  /** Erases entries from every file, of whichever model; their bytes are overwritten. */
  erase(refs: readonly VectorRef[]): void;
  /** Names of the files. */
  list(): readonly string[];
  /** Entries of a file with an id above `after`, in the order of ids. */
  page(file: string, after: number): readonly (VectorRef & { readonly id: number })[];
  /** Removes the file of the open store. */
  discard(): void;
  /** Whether an error means that a file is unreadable. */
  isDamage(error: unknown): boolean;
  /** Removes all files that are not sealed. */
  dropPlain(): void;
  /** Sets the cipher, or none, for all later files; removes files that are sealed otherwise. */
  use(cipher: ByteCipher | null): void;
  close(): void;
}
