/**
 * Vectors of embedding models on disk: one file a model, recipe and dimension, so that vectors of two models, or of two
 * dimensions, never meet. Disposable: what is missing is embedded again. Everything is synchronous and quick.
 */

export const VECTOR_KINDS = ['memory', 'drawer'] as const;
export type VectorKind = (typeof VECTOR_KINDS)[number];

/** The name of an entry in the vector files. */
export interface VectorRef {
  readonly kind: VectorKind;
  readonly key: string;
}

/** An entry with a fingerprint of its text, so that the vector of an earlier text is not taken for this one's. */
export interface MarkedRef extends VectorRef {
  readonly mark: number;
}

export interface VectorEntry extends MarkedRef {
  /** Of length 1. */
  readonly vector: Float32Array;
}

/** Vectors are comparable when their identities are equal. */
export interface VectorIdentity {
  readonly provider: string;
  readonly model: string;
  /** Everything beside the text that determines a vector, the requested dimension included. */
  readonly recipe: string;
}

/** Encryption of bytes, bound to a `record`. */
export interface VectorCipher {
  sealBytes(bytes: Uint8Array, record: string): Buffer;
  /** Throws when the bytes belong to another key or record, or were changed. */
  openBytes(sealed: Uint8Array, record: string): Buffer;
}

export interface NearVector {
  readonly key: string;
  /** With the question, from eight bits a dimension: right to about 0.005. */
  readonly cosine: number;
}

/** The vectors of one model in one dimension. */
export interface VectorStore {
  readonly dimension: number;
  /** Entries with a vector. */
  size(): number;
  /** Whether `put` ignores further entries. */
  isFull(): boolean;
  /** Whether there is a vector of this text. */
  has(entry: MarkedRef): boolean;
  /** All of them in one transaction, as long as there is room. */
  put(entries: readonly VectorEntry[]): void;
  /** How near the vector of an entry is to a vector of the same model; undefined when there is none. */
  cosine(question: Float32Array, ref: VectorRef): number | undefined;
  /** The nearest of a kind, best first: no vector is read that its signs do not recommend. */
  nearest(question: Float32Array, want: { readonly kind: VectorKind; readonly k: number }): readonly NearVector[];
  /** What cosine an entry has that has nothing to do with the question: the median over entries spread evenly. */
  background(question: Float32Array): number;
}

export interface VectorFiles {
  /**
   * The store of this dimension, made when there is none; without a dimension the one used last, or null. What cannot
   * be read (damaged, another format, another key) is emptied. The store that was open before is closed.
   */
  open(identity: VectorIdentity, dimension: number | null): VectorStore | null;
  /** Reads signs of the open store into memory, a piece a call; whether there is more. */
  load(): boolean;
  /** Takes entries out of every file, whichever model it belongs to; legible in none afterwards. */
  erase(refs: readonly VectorRef[]): void;
  /** The files there are. */
  list(): readonly string[];
  /** Some entries of a file behind an id, in the order of ids. */
  page(file: string, after: number): readonly (VectorRef & { readonly id: number })[];
  /** Throws the open store away. */
  discard(): void;
  /** Whether an error means that a file cannot be read any more. */
  isDamage(error: unknown): boolean;
  /** Throws away what anybody can read. */
  dropPlain(): void;
  /** From here on files are sealed with this, or plain; those that are otherwise are thrown away. */
  use(cipher: VectorCipher | null): void;
  close(): void;
}
