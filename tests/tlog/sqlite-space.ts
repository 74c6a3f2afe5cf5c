/**
 * The unused bytes of a SQLite database, computed from its structure (https://www.sqlite.org/fileformat2.html): those
 * that no b-tree page, overflow page or header field uses.
 */

export interface Range {
  readonly from: number;
  readonly to: number;
}

export const PAGE_BYTES = 4_096;
const HEADER_BYTES = 100;
const [INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF] = [0x02, 0x05, 0x0a, 0x0d];

/**
 * Fields of the header (§1.3) that say nothing about the content: counters by which caches notice changes, and the version of
 * the library that wrote last.
 */
const SILENT_FIELDS: readonly Range[] = [
  { from: 24, to: 28 }, // file change counter
  { from: 40, to: 44 }, // schema cookie
  { from: 92, to: 96 }, // version-valid-for number
  { from: 96, to: 100 }, // SQLite version number
];

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The newest page of each number in a write-ahead log (§4) of whole commits. */
export function pagesIn(wal: Buffer | undefined): ReadonlyMap<number, Buffer> {
  return framesIn(wal ?? Buffer.alloc(0)).pages;
}

/** The pages of a write-ahead log, and the offset behind its last frame: those that follow are of an earlier generation. */
export function framesIn(bytes: Buffer): { readonly pages: ReadonlyMap<number, Buffer>; readonly end: number } {
  const pages = new Map<number, Buffer>();
  let at = WAL_HEADER_BYTES;
  for (; at < bytes.length; at += FRAME_HEADER_BYTES + PAGE_BYTES) {
    const content = at + FRAME_HEADER_BYTES;
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) break;
    pages.set(bytes.readUInt32BE(at), bytes.subarray(content, content + PAGE_BYTES));
  }
  return { pages, end: at };
}

/** The database with these pages in place of its own. */
export function withPages(file: Buffer, pages: ReadonlyMap<number, Buffer>): Buffer {
  const last = Math.max(file.length / PAGE_BYTES, ...pages.keys());
  const whole = Buffer.alloc(last * PAGE_BYTES);
  file.copy(whole);
  for (const [page, bytes] of pages) bytes.copy(whole, startOf(page));
  return whole;
}

/** The free ranges of a database that has no write-ahead log. */
export function sqliteSpace(file: Buffer): readonly Range[] {
  const used = new Uint8Array(file.length);
  const use = (from: number, length: number): unknown => used.fill(1, from, from + length);
  use(0, HEADER_BYTES);
  for (const { from, to } of SILENT_FIELDS) used.fill(0, from, to);
  walkFreeList(file, use);
  const roots = [1, ...rootsIn(file)];
  for (const root of roots) walkTree({ file, use }, root);
  return rangesOf(used);
}

type Use = (from: number, length: number) => unknown;
interface Walk {
  readonly file: Buffer;
  readonly use: Use;
}

const startOf = (page: number): number => (page - 1) * PAGE_BYTES;

/** Trunk pages hold the numbers of free pages; the free pages themselves hold nothing. */
function walkFreeList(file: Buffer, use: Use): void {
  for (let page = file.readUInt32BE(32); page !== 0; page = file.readUInt32BE(startOf(page))) {
    use(startOf(page), 8 + 4 * file.readUInt32BE(startOf(page) + 4));
  }
}

/** Parts of the payload of each row of the tables that the schema names: in its page, then in overflow pages. */
export function rowsIn(file: Buffer): readonly (readonly Buffer[])[] {
  const rows: (readonly Buffer[])[] = [];
  const walk = (page: number): void => {
    for (const cell of cellsOf(file, page)) {
      if (cell.child !== 0) walk(cell.child);
      rows.push([cell.payload, ...overflowOf(file, cell)]);
    }
    const { right } = headOf(file, page);
    if (right !== 0) walk(right);
  };
  for (const root of rootsIn(file)) walk(root);
  return rows;
}

function overflowOf(file: Buffer, { overflow, beyond }: Cell): Buffer[] {
  const parts: Buffer[] = [];
  let left = beyond;
  for (let page = overflow; page !== 0; page = file.readUInt32BE(startOf(page))) {
    const length = Math.min(left, PAGE_BYTES - 4);
    parts.push(file.subarray(startOf(page) + 4, startOf(page) + 4 + length));
    left -= length;
  }
  return parts;
}

/** Where the columns of a row are in the file: their offsets, without the head of the record. */
export function columnRanges(file: Buffer, parts: readonly Buffer[]): readonly Range[] {
  return parts.map((part, at) => {
    const from = part.byteOffset - file.byteOffset;
    return { from: from + (at === 0 ? varint(part, 0).value : 0), to: from + part.length };
  });
}

/** The columns of a record. */
export function columnsOf(payload: Buffer): Buffer[] {
  const header = varint(payload, 0);
  let at = header.value;
  return serialLengths(payload.subarray(header.bytes, header.value)).map((length) => {
    at += length;
    return payload.subarray(at - length, at);
  });
}

/** Root pages that the schema names: the fourth column of its rows. */
function rootsIn(file: Buffer): number[] {
  return cellsOf(file, 1).flatMap(({ payload }) => {
    const root = columnsOf(payload)[3]!;
    return root.length === 0 ? [] : [root.readUIntBE(0, root.length)];
  });
}

/** Bytes of each column of a record. */
function serialLengths(types: Buffer): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < types.length; ) {
    const { value, bytes } = varint(types, at);
    lengths.push(value >= 12 ? Math.floor((value - 12) / 2) : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][value]!);
    at += bytes;
  }
  return lengths;
}

function walkTree(walk: Walk, page: number): void {
  const { file, use } = walk;
  const head = headOf(file, page);
  use(head.at, head.bytes + 2 * head.cells);
  for (let free = head.firstFree; free !== 0; free = file.readUInt16BE(startOf(page) + free)) {
    use(startOf(page) + free, 4);
  }
  for (const cell of cellsOf(file, page)) {
    use(cell.at, cell.bytes);
    walkOverflow(walk, cell);
    if (cell.child !== 0) walkTree(walk, cell.child);
  }
  if (head.right !== 0) walkTree(walk, head.right);
}

function walkOverflow({ file, use }: Walk, cell: Cell): void {
  for (const part of overflowOf(file, cell)) use(part.byteOffset - file.byteOffset - 4, 4 + part.length);
}

function headOf(file: Buffer, page: number) {
  const at = startOf(page) + (page === 1 ? HEADER_BYTES : 0);
  const type = file[at]!;
  const isInterior = type === INDEX_INTERIOR || type === TABLE_INTERIOR;
  if (!isInterior && type !== INDEX_LEAF && type !== TABLE_LEAF) throw new Error(`Page ${page} has type ${type}.`);
  return {
    at,
    type,
    bytes: isInterior ? 12 : 8,
    firstFree: file.readUInt16BE(at + 1),
    cells: file.readUInt16BE(at + 3),
    right: isInterior ? file.readUInt32BE(at + 8) : 0,
  };
}

interface Cell {
  readonly at: number;
  readonly bytes: number;
  readonly child: number;
  /** The part in the page. */
  readonly payload: Buffer;
  /** First overflow page, 0 for none, and how much of the payload is in overflow pages. */
  readonly overflow: number;
  readonly beyond: number;
}

function cellsOf(file: Buffer, page: number): Cell[] {
  const { at, type, bytes, cells } = headOf(file, page);
  return Array.from({ length: cells }, (_, cell) =>
    cellAt(file, startOf(page) + file.readUInt16BE(at + bytes + 2 * cell), type),
  );
}

function cellAt(file: Buffer, start: number, type: number): Cell {
  const isInterior = type === INDEX_INTERIOR || type === TABLE_INTERIOR;
  const child = isInterior ? file.readUInt32BE(start) : 0;
  let at = start + (isInterior ? 4 : 0);
  const none = { at: start, child, payload: Buffer.alloc(0), overflow: 0, beyond: 0 };
  const first = varint(file, at);
  at += first.bytes;
  if (type === TABLE_INTERIOR) return { ...none, bytes: at - start };
  if (type === TABLE_LEAF) at += varint(file, at).bytes;
  const here = localBytes(first.value, type);
  const payload = file.subarray(at, at + here);
  at += here;
  const beyond = first.value - here;
  const overflow = beyond > 0 ? file.readUInt32BE(at) : 0;
  return { at: start, child, payload, overflow, beyond, bytes: Math.max(4, at + (beyond > 0 ? 4 : 0) - start) };
}

/** How much of a payload is in the page itself (§1.6). */
function localBytes(payload: number, type: number): number {
  const most = type === TABLE_LEAF ? PAGE_BYTES - 35 : Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
  const fitting = least + ((payload - least) % (PAGE_BYTES - 4));
  return fitting <= most ? fitting : least;
}

function varint(bytes: Buffer, start: number): { readonly value: number; readonly bytes: number } {
  let value = 0;
  for (let count = 1; count <= 8; count += 1) {
    const byte = bytes[start + count - 1]!;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, bytes: count };
  }
  return { value: value * 256 + bytes[start + 8]!, bytes: 9 };
}

/** The ranges that are 0. */
export function rangesOf(used: Uint8Array): Range[] {
  const ranges: Range[] = [];
  for (let at = 0; at < used.length; at += 1) {
    if (used[at] !== 0) continue;
    const to = used.indexOf(1, at);
    ranges.push({ from: at, to: to < 0 ? used.length : to });
    at = ranges.at(-1)!.to;
  }
  return ranges;
}
