/**
 * The vectors of one model: the nearest entries to a question, and the cosine of each.
 *
 * - `signs` is loaded into memory piece by piece; `codes` is read one row at a time.
 * - With a cipher both hold ciphertext bound to their entry.
 */
import type Database from 'better-sqlite3';
import { signWords } from '../../lib/sign-codes.ts';
import type { ByteCipher } from '../../ports/text-cipher.ts';
import {
  type MarkedRef,
  type NearVector,
  VECTOR_KINDS,
  type VectorEntry,
  type VectorKind,
  type VectorRef,
  type VectorStore,
} from '../../ports/vector-files.ts';
import { codeBytes, codeCosine, encode, rotated, SIGN_WORDS } from './codes.ts';
import { emptyFile, eraseIn, openDatabase, type PagedRef, pageOf, removeRows, type StoreParts } from './database.ts';
import { createSignIndex, type IndexedEntry, type SignIndex } from './sign-index.ts';

/** Entries with a vector, of both kinds. */
const VECTORS_MAX = 500_000;
const LOADED_AT_ONCE = 500;
/** Codes read by one search, at least. */
const READ_MIN = 256;
/** Entries of each kind that are sampled to measure the background of a question. */
const SAMPLES_PER_KIND = 32;
/** Additional samples with cosine 0, which lower a background that is measured with few entries. */
const SAMPLES_OF_ZERO = 8;

interface Row {
  readonly id: number;
  readonly kind: VectorKind;
  readonly key: string;
  readonly mark: number;
  readonly signs: Buffer;
}

/** An open file of vectors; `openDatabase` says which. */
export class OpenStore implements VectorStore {
  readonly dimension: number;
  readonly #path: string | null;
  readonly #cipher: ByteCipher | null;
  readonly #database: Database.Database;
  readonly #insertSigns: Database.Statement;
  readonly #insertCode: Database.Statement;
  readonly #codeOf: Database.Statement;
  readonly #rowsAfter: Database.Statement;
  readonly #indexes: Readonly<Record<VectorKind, SignIndex>> = { memory: createSignIndex(), drawer: createSignIndex() };
  #loadedTo = 0;
  #isLoaded = false;

  constructor(parts: StoreParts) {
    this.dimension = parts.dimension;
    this.#path = parts.path;
    this.#cipher = parts.cipher;
    this.#database = openDatabase(parts);
    this.#insertSigns = this.#database.prepare('INSERT INTO signs (kind, key, mark, signs) VALUES (?, ?, ?, ?)');
    this.#insertCode = this.#database.prepare('INSERT OR REPLACE INTO codes VALUES (?, ?)');
    this.#codeOf = this.#database.prepare('SELECT code FROM codes WHERE id = ?').pluck();
    this.#rowsAfter = this.#database.prepare('SELECT * FROM signs WHERE id > ? ORDER BY id LIMIT ?');
  }

  size(): number {
    return this.#indexes.memory.size() + this.#indexes.drawer.size();
  }

  isFull(): boolean {
    return this.size() >= VECTORS_MAX;
  }

  has({ kind, key, mark }: MarkedRef): boolean {
    return this.#indexes[kind].get(key)?.mark === mark;
  }

  put(entries: readonly VectorEntry[]): void {
    const fitting = entries.slice(0, Math.max(0, VECTORS_MAX - this.size()));
    const inserted = this.#database.transaction(() => {
      removeRows(this.#database, fitting);
      return fitting.map((entry) => this.#insert(entry));
    })();
    for (const { entry, signs, id } of inserted) {
      this.#indexes[entry.kind].set({ key: entry.key, id, mark: entry.mark }, signs);
    }
  }

  cosine(question: Float32Array, { kind, key }: VectorRef): number | undefined {
    const entry = this.#indexes[kind].get(key);
    return entry === undefined ? undefined : this.#cosineAt(question, kind, entry);
  }

  nearest(question: Float32Array, { kind, k }: { readonly kind: VectorKind; readonly k: number }): NearVector[] {
    return this.#indexes[kind]
      .likeliest(rotated(question), Math.max(READ_MIN, k))
      .flatMap((entry) => {
        const cosine = this.#cosineAt(question, kind, entry);
        return cosine === undefined ? [] : [{ key: entry.key, cosine }];
      })
      .sort((one, other) => other.cosine - one.cosine || (one.key < other.key ? -1 : 1))
      .slice(0, k);
  }

  background(question: Float32Array): number {
    const cosines = VECTOR_KINDS.flatMap((kind) =>
      samples(this.#indexes[kind]).map((entry) => this.#cosineAt(question, kind, entry) ?? 0),
    ).sort((one, other) => one - other);
    const median = cosines[(cosines.length - 1) >>> 1] ?? 0;
    return Math.max(0, (median * cosines.length) / (cosines.length + SAMPLES_OF_ZERO));
  }

  load(): boolean {
    if (this.#isLoaded) return false;
    const rows = this.#rowsAfter.all(this.#loadedTo, LOADED_AT_ONCE) as Row[];
    for (const row of rows) {
      const { id, kind, key, mark } = row;
      this.#indexes[kind].set({ key, id, mark }, signsIn(row, this.#cipher));
    }
    this.#isLoaded = rows.length < LOADED_AT_ONCE;
    this.#loadedTo = rows.at(-1)?.id ?? this.#loadedTo;
    return !this.#isLoaded;
  }

  erase(refs: readonly VectorRef[]): void {
    eraseIn(this.#database, refs);
    for (const { kind, key } of refs) this.#indexes[kind].delete(key);
  }

  page(after: number, limit: number): readonly PagedRef[] {
    return pageOf(this.#database, after, limit);
  }

  wipe(): void {
    this.#database.close();
    if (this.#path !== null) emptyFile(this.#path);
  }

  close(): void {
    this.#database.close();
  }

  #insert(entry: VectorEntry): Inserted {
    const { kind, key, mark, vector } = entry;
    const signs = signWords(rotated(vector));
    const sealedSigns = this.#sealed(Buffer.from(signs.buffer), recordOf(entry, 'signs'));
    const { lastInsertRowid } = this.#insertSigns.run(kind, key, mark, sealedSigns);
    this.#insertCode.run(lastInsertRowid, this.#sealed(encode(vector), recordOf(entry, 'code')));
    return { entry, signs, id: Number(lastInsertRowid) };
  }

  #sealed(bytes: Buffer, record: string): Buffer {
    return this.#cipher?.sealBytes(bytes, record) ?? bytes;
  }

  #cosineAt(question: Float32Array, kind: VectorKind, { id, key }: IndexedEntry): number | undefined {
    const kept = this.#codeOf.get(id) as Buffer | undefined;
    if (kept === undefined) return undefined;
    const code = this.#cipher?.openBytes(kept, recordOf({ kind, key }, 'code')) ?? kept;
    return code.length === codeBytes(question.length) ? codeCosine(question, code) : undefined;
  }
}

interface Inserted {
  readonly entry: VectorEntry;
  readonly signs: Uint32Array;
  readonly id: number;
}

function samples(index: SignIndex): readonly IndexedEntry[] {
  const count = Math.min(SAMPLES_PER_KIND, index.size());
  return Array.from({ length: count }, (_, at) => index.at(Math.floor((at * index.size()) / count)));
}

function recordOf({ kind, key }: VectorRef, part: 'signs' | 'code'): string {
  return `${kind} ${key} ${part}`;
}

/** A row of a file is damaged: it was sealed by another key, or is altered. */
export class DamagedVectors extends Error {}

function signsIn({ kind, key, signs }: Row, cipher: ByteCipher | null): Uint32Array {
  try {
    const bytes = cipher?.openBytes(signs, recordOf({ kind, key }, 'signs')) ?? signs;
    if (bytes.length === SIGN_WORDS * 4) return new Uint32Array(Uint8Array.from(bytes).buffer);
  } catch {
    // Reported below.
  }
  throw new DamagedVectors('A row of signs is not what was written.');
}
