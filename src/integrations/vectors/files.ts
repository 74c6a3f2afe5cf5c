/**
 * The folder of vector files, beside the views: `<provider>-<model>-<hash of identity>-<dimension>d.db`.
 *
 * - One store is open for reading and writing; other files are opened only to erase or list entries.
 * - Sealed files have the extension `.sealed.db`, so that plain files can be removed without a key.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { namesIn } from '../../lib/paths.ts';
import type { ByteCipher } from '../../ports/text-cipher.ts';
import type { VectorFiles, VectorIdentity, VectorRef, VectorStore } from '../../ports/vector-files.ts';
import { emptyFile, eraseIn, pageOf } from './database.ts';
import { DamagedVectors, OpenStore } from './store.ts';

/** Files kept, including the one in use; the least recently used one is removed first. */
export const FILES_MAX = 4;
const PAGE_ROWS = 1_000;
const SLUG_CHARACTERS = 60;
const PLAIN = '.db';
const DAMAGE: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);
const SEALED = '.sealed.db';

/** Without a folder the vectors are kept in memory. */
export function createVectorFiles(folder: string | null): VectorFiles {
  return new FolderOfVectors(folder);
}

class FolderOfVectors implements VectorFiles {
  readonly #folder: string | null;
  #cipher: ByteCipher | null = null;
  #current: { readonly file: string; readonly store: OpenStore } | null = null;

  constructor(folder: string | null) {
    this.#folder = folder;
  }

  open(identity: VectorIdentity, dimension: number | null): VectorStore | null {
    const stem = stemOf(identity);
    const ending = this.#cipher === null ? PLAIN : SEALED;
    const known = this.#newestFirst(this.#fitting(this.list()).filter((file) => file.startsWith(`${stem}-`)));
    const file = dimension === null ? known[0] : `${stem}-${dimension}d${ending}`;
    if (file === undefined) return null;
    if (file === this.#current?.file) return this.#current.store;
    this.close();
    if (this.#folder !== null) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#folder === null ? null : this.#pathOf(file);
    const size = dimension ?? dimensionOf(file);
    const store = new OpenStore({ path, identity, dimension: size, cipher: this.#cipher });
    this.#current = { file, store };
    if (path !== null) utimesSync(path, new Date(), new Date());
    const others = this.#newestFirst(this.list().filter((other) => other !== file));
    for (const old of others.slice(FILES_MAX - 1)) this.#remove(old);
    return store;
  }

  load(): boolean {
    return this.#current?.store.load() ?? false;
  }

  erase(refs: readonly VectorRef[]): void {
    for (const file of this.list()) {
      if (file === this.#current?.file) this.#current.store.erase(refs);
      else withFile(this.#pathOf(file), (database) => eraseIn(database, refs));
    }
  }

  list(): readonly string[] {
    if (this.#folder === null) return this.#current === null ? [] : [this.#current.file];
    return namesIn(this.#folder).filter((name) => name.endsWith(PLAIN));
  }

  page(file: string, after: number): readonly (VectorRef & { readonly id: number })[] {
    if (file === this.#current?.file) return this.#current.store.page(after, PAGE_ROWS);
    return withFile(this.#pathOf(file), (database) => pageOf(database, after, PAGE_ROWS)) ?? [];
  }

  discard(): void {
    if (this.#current !== null) this.#remove(this.#current.file);
  }

  isDamage(error: unknown): boolean {
    return error instanceof DamagedVectors || DAMAGE.has((error as { readonly code?: string } | null)?.code ?? '');
  }

  dropPlain(): void {
    for (const file of this.list()) if (!file.endsWith(SEALED)) this.#remove(file);
  }

  use(cipher: ByteCipher | null): void {
    this.close();
    this.#cipher = cipher;
    const files = this.list();
    const kept = this.#fitting(files);
    for (const file of files) if (!kept.includes(file)) this.#remove(file);
  }

  close(): void {
    this.#current?.store.close();
    this.#current = null;
  }

  #pathOf(file: string): string {
    return join(this.#folder ?? '', file);
  }

  /** Files that are sealed when there is a cipher, and plain when there is none. */
  #fitting(files: readonly string[]): readonly string[] {
    return files.filter((file) => file.endsWith(SEALED) === (this.#cipher !== null));
  }

  #newestFirst(files: readonly string[]): readonly string[] {
    return files.toSorted((one, other) => usedAt(this.#pathOf(other)) - usedAt(this.#pathOf(one)));
  }

  #remove(file: string): void {
    if (file === this.#current?.file) {
      this.#current.store.wipe();
      this.#current = null;
    } else emptyFile(this.#pathOf(file));
  }
}

/** Calls `work` with the open file. Removes an unreadable file and returns undefined. */
function withFile<Result>(path: string, work: (database: Database.Database) => Result): Result | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true });
    return work(database);
  } catch {
    database?.close();
    emptyFile(path);
    return undefined;
  } finally {
    database?.close();
  }
}

function usedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function stemOf({ provider, model, recipe }: VectorIdentity): string {
  const slug = `${provider}-${model}`.replace(/[^\w.-]+/g, '_').slice(0, SLUG_CHARACTERS);
  const hash = createHash('sha256')
    .update(JSON.stringify([provider, model, recipe]))
    .digest('hex')
    .slice(0, 16);
  return `${slug}-${hash}`;
}

function dimensionOf(file: string): number {
  return Number(/-(\d+)d(?:\.sealed)?\.db$/.exec(file)?.[1] ?? 0);
}
