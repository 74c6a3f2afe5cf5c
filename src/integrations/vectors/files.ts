/**
 * The folder of vector files, beside the views: `<provider>-<model>-<hash of identity>-<dimension>d.db`.
 *
 * - One store is open for writing; others are opened only to take something out.
 * - Whether vectors are sealed is part of a file's ending, so that plain ones can be thrown away without a key.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { VectorCipher, VectorFiles, VectorIdentity } from '../../ports/vector-files.ts';
import { DamagedVectors, emptyFile, eraseIn, type OpenStore, openStore, pageOf } from './store.ts';

/** Files of models that are kept, the one in use included; beyond it the one that was used longest ago goes. */
export const FILES_MAX = 4;
const PAGE_ROWS = 1_000;
const SLUG_CHARACTERS = 60;
const PLAIN = '.db';
const DAMAGE: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);
const SEALED = '.sealed.db';

export function createVectorFiles(folder: string | null): VectorFiles {
  let cipher: VectorCipher | null = null;
  let current: { readonly file: string; readonly store: OpenStore } | null = null;

  const pathOf = (file: string): string => join(folder ?? '', file);
  const list = (): readonly string[] => {
    if (folder === null) return current === null ? [] : [current.file];
    return filesIn(folder);
  };
  const newestFirst = (files: readonly string[]): readonly string[] =>
    files.toSorted((one, other) => usedAt(pathOf(other)) - usedAt(pathOf(one)));
  const release = (): void => {
    current?.store.close();
    current = null;
  };
  const remove = (file: string): void => {
    if (file === current?.file) {
      current.store.wipe();
      current = null;
    } else emptyFile(pathOf(file));
  };
  const fitting = (files: readonly string[]): readonly string[] =>
    files.filter((file) => file.endsWith(SEALED) === (cipher !== null));

  return {
    open(identity, dimension) {
      const stem = stemOf(identity);
      const ending = cipher === null ? PLAIN : SEALED;
      const known = newestFirst(fitting(list()).filter((file) => file.startsWith(`${stem}-`)));
      const file = dimension === null ? known[0] : `${stem}-${dimension}d${ending}`;
      if (file === undefined) return null;
      if (file === current?.file) return current.store;
      release();
      if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = folder === null ? null : pathOf(file);
      const size = dimension ?? dimensionOf(file);
      current = { file, store: openStore({ path, identity, dimension: size, cipher }) };
      if (path !== null) utimesSync(path, new Date(), new Date());
      const others = newestFirst(list().filter((other) => other !== file));
      for (const old of others.slice(FILES_MAX - 1)) remove(old);
      return current.store;
    },
    load: () => current?.store.load() ?? false,
    erase(refs) {
      for (const file of list()) {
        if (file === current?.file) current.store.erase(refs);
        else withFile(pathOf(file), (database) => eraseIn(database, refs));
      }
    },
    list,
    page(file, after) {
      if (file === current?.file) return current.store.page(after, PAGE_ROWS);
      return withFile(pathOf(file), (database) => pageOf(database, after, PAGE_ROWS)) ?? [];
    },
    discard() {
      if (current !== null) remove(current.file);
    },
    use(next) {
      release();
      cipher = next;
      const files = list();
      const kept = fitting(files);
      for (const file of files) if (!kept.includes(file)) remove(file);
    },
    isDamage: (error) =>
      error instanceof DamagedVectors || DAMAGE.has((error as { readonly code?: string } | null)?.code ?? ''),
    dropPlain() {
      for (const file of list()) if (!file.endsWith(SEALED)) remove(file);
    },
    close: release,
  };
}

/** A file that cannot be opened or read holds nothing that anybody can use: it is removed. */
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

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(PLAIN));
  } catch {
    return [];
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
