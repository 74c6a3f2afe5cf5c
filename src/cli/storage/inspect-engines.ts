/** Lists the pages and tables in the files of a store without its engine, as far as they can be read. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Branch, NodeRef, type TreeNode } from '../../storage/cow/branch.ts';
import { UNIT_BYTES } from '../../storage/cow/format.ts';
import { PAGE_FILE, PageFile } from '../../storage/cow/page-file.ts';
import { DATABASE_FILE } from '../../storage/embedded-kv/errors.ts';
import { StorageError } from '../../storage/errors.ts';
import { readManifest } from '../../storage/lsm/manifest.ts';
import { tableName } from '../../storage/lsm/table-format.ts';
import { nodeDisk } from '../../storage/node-disk.ts';

/** Columns in the order in which they are shown. */
export type Row = Readonly<Record<string, string | number | null>>;

/** The pages of a `cow` store that its newest valid meta page reaches, breadth first; a bad page has its fault as note. */
export function* cowPages(store: string, limit: number): Generator<Row> {
  using file = new PageFile(nodeDisk, { directory: store, name: PAGE_FILE, mode: 'read' });
  const metas = file.readMetas();
  for (const [slot, meta] of metas.entries()) {
    const note =
      typeof meta === 'string' ? meta : `checkpoint ${meta.checkpoint}, sequence ${meta.sequence}, ${meta.keys} keys`;
    yield { kind: 'meta', offset: slot * UNIT_BYTES, level: null, count: null, bytes: UNIT_BYTES, note };
  }
  const good = metas.filter((meta) => typeof meta !== 'string').sort((a, b) => b.checkpoint - a.checkpoint);
  const [newest] = good;
  if (newest !== undefined) yield* nodesBelow(file, NodeRef.onDisk(newest.root, newest.levels), limit);
}

function* nodesBelow(file: PageFile, root: NodeRef, limit: number): Generator<Row> {
  const waiting = [root];
  for (let seen = 0; seen < limit && seen < waiting.length; seen += 1) {
    const ref = waiting[seen]!;
    const node = read(file, ref);
    const isBad = typeof node === 'string';
    const kind = ref.level === 0 ? 'leaf' : 'branch';
    const count = isBad ? null : node.count;
    yield { kind, offset: ref.unit * UNIT_BYTES, level: ref.level, count, bytes: ref.length, note: isBad ? node : '' };
    if (!isBad && ref.level > 0) waiting.push(...(node as Branch).children);
  }
}

function read(file: PageFile, ref: NodeRef): TreeNode | string {
  try {
    return file.readNode(ref);
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}

const KEY_BYTES_SHOWN = 24;

/** The tables of an `lsm` store that its manifest names. */
export function* lsmTables(store: string, limit: number): Generator<Row> {
  const manifest = readManifest(nodeDisk, store);
  let count = 0;
  for (const [level, tables] of (manifest?.levels ?? []).entries()) {
    for (const { id, fileBytes, entries, tombstones, smallest, largest } of tables) {
      count += 1;
      if (count > limit) return;
      yield {
        file: tableName(id),
        level,
        bytes: fileBytes,
        entries,
        tombstones,
        smallest: shown(smallest),
        largest: shown(largest),
        note: existsSync(join(store, tableName(id))) ? '' : 'missing',
      };
    }
  }
}

function shown(key: Uint8Array): string {
  return Buffer.from(key.subarray(0, KEY_BYTES_SHOWN)).toString('hex');
}

const PAGE_FACTS = ['page_size', 'page_count', 'freelist_count', 'application_id', 'user_version', 'journal_mode'];

/** The pages or tables of an `embedded_kv` store, as SQLite counts them. */
export function embeddedRows(store: string, subject: string): Row[] {
  const database = new Sqlite(join(store, DATABASE_FILE), { readonly: true });
  try {
    if (subject === 'pages') {
      return PAGE_FACTS.map((fact) => ({ fact, value: database.pragma(fact, { simple: true }) as string | number }));
    }
    const tables = database.prepare('SELECT name, rootpage AS root_page, sql FROM sqlite_schema');
    return tables.all() as Row[];
  } finally {
    database.close();
  }
}
