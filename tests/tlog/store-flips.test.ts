/**
 * A log of 1 000 events in the engines `lsm` and `embedded_kv` (`flips.test.ts` does it for `cow`), one byte changed: `log
 * verify --checkpoint` names it, or the byte is one that holds nothing by the format of its file.
 *
 * - All bytes that hold nothing are changed at once, and the log is the same: they are space that no reader uses.
 * - Every byte of headers, manifests and markers, and a sample of all others, is changed for a whole verification.
 * - Each byte of a table, of the write-ahead log of `lsm`, and of a row of `embedded_kv` is refused by the engine's own
 *   check: of all of them in the long run (DAYBOOK_LONG=1), else of some blocks and rows. The long run also makes a whole
 *   verification for every byte of `embedded_kv` that is in no row.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openRow } from '../../src/storage/embedded-kv/rows.ts';
import { StorageError } from '../../src/storage/errors.ts';
import {
  CHECK_BYTES,
  checkedPayload,
  decodeFooter,
  FOOTER_BYTES,
  type Footer,
  tableIdOf,
} from '../../src/storage/lsm/table-format.ts';
import { TableIndex } from '../../src/storage/lsm/table-index.ts';
import { decodeHeader, SEGMENT_HEADER_BYTES, scanSegment } from '../../src/storage/wal-format.ts';
import { cliHere } from '../cli/support.ts';
import { memoryFolder } from '../support/folders.ts';
import { columnRanges, columnsOf, PAGE_BYTES, rowsIn } from './sqlite-space.ts';
import { spaceOf } from './store-space.ts';
import { flipped, noteOf, type StoreImage, storeImage, verdict, writeFiles } from './store-trial.ts';

const isLong = process.env.DAYBOOK_LONG === '1';
vi.setConfig({ testTimeout: isLong ? 14_400_000 : 60_000 });

const SAMPLES = 24;
/** Of blocks and rows, each of these is tried. */
const EVERY = isLong ? 1 : 7;
/** Bytes at the beginning of a file that are its header. */
const HEADERS: readonly (readonly [RegExp, number])[] = [
  [/daybook\.json$|MANIFEST$/, Number.POSITIVE_INFINITY],
  [/\/wal-\d+\.log$/, 36],
  // The first page: the header, and the description of the table.
  [/data\.sqlite$/, PAGE_BYTES],
  [/data\.sqlite-wal$/, 56],
];

/** 1: the byte holds something. */
function usedBytes(image: StoreImage, name: string): Uint8Array {
  const used = new Uint8Array(image.files.get(name)!.length).fill(1);
  for (const { from, to } of spaceOf(image).get(name) ?? []) used.fill(0, from, to);
  return used;
}

const isRefused = (check: () => unknown): boolean => {
  try {
    return typeof check() === 'string';
  } catch (error) {
    return error instanceof StorageError;
  }
};

/** The offsets of a range at which a change of the byte passes the check. */
function passing(bytes: Uint8Array, check: (bytes: Uint8Array) => unknown): number[] {
  expect(isRefused(() => check(bytes))).toBe(false);
  return [...bytes.keys()].filter((at) => {
    bytes[at]! ^= 1 << (at % 8);
    const isMissed = !isRefused(() => check(bytes));
    bytes[at]! ^= 1 << (at % 8);
    return isMissed;
  });
}

const STORES = (['lsm', 'embedded_kv'] as const).flatMap((backend) =>
  (['closed', 'killed'] as const).map((end) => [backend, end] as const),
);

describe.each(STORES)('a store of %s, %s', (backend, end) => {
  let image: StoreImage;
  let directory: string;
  beforeAll(async () => {
    image = await storeImage(backend, end);
    directory = join(memoryFolder('flips'), 'data');
    writeFiles(directory, image.files);
    expect(await verdict(directory, image)).toBe('ok');
  });

  const verdictOf = (name: string, offsets: Iterable<number>): Promise<string> => {
    writeFiles(directory, flipped(image, name, offsets));
    return verdict(directory, image);
  };

  /** The offsets to try, of all that hold something. */
  function tried(name: string): number[] {
    const used = usedBytes(image, name);
    const header = HEADERS.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
    const tail = name.endsWith('.table') ? FOOTER_BYTES : 0;
    const offsets = [...used.keys()].filter((at) => used[at] === 1);
    const alone = isLong ? outsideRows(image, name) : new Uint8Array(used.length);
    const isEach = (at: number): boolean => at < header || at >= used.length - tail || alone[at] === 1;
    const step = Math.ceil(offsets.length / SAMPLES);
    return offsets.filter((at, number) => isEach(at) || number % step === 0);
  }

  it('a byte that holds something, changed: a whole verification names it', async () => {
    const missed: string[] = [];
    for (const name of image.files.keys()) {
      for (const at of tried(name)) if ((await verdictOf(name, [at])) === 'ok') missed.push(`${name} ${at}`);
    }
    expect(missed).toEqual([]);
  });

  it('all bytes that hold nothing, changed at once: the log is the same', async () => {
    for (const name of image.files.keys()) {
      const used = usedBytes(image, name);
      const free = [...used.keys()].filter((at) => used[at] === 0);
      if (free.length > 0) expect([name, await verdictOf(name, free)]).toEqual([name, 'ok']);
    }
  });

  it('the command says the same', async () => {
    const home = memoryFolder('flips-home');
    mkdirSync(join(home, 'data'), { recursive: true });
    const { path, vkey } = noteOf(image);
    const [name, bytes] = [...image.files].find(([each]) => /MANIFEST|data\.sqlite$/.test(each))!;
    const verify = async (offsets: readonly number[]) => {
      writeFiles(join(home, 'data'), flipped(image, name, offsets));
      return cliHere(['log', 'verify', '--checkpoint', path, '--vkey', vkey], { home });
    };
    expect(await verify([])).toMatchObject({ code: 0, stdout: expect.stringContaining('of the signed checkpoint') });
    for (const at of [0, 20, Math.floor(bytes.length / 3), bytes.length - 1]) {
      if (usedBytes(image, name)[at] === 1) expect([at, (await verify([at])).code]).toEqual([at, 1]);
    }
  });
});

/** 1: no check of a block, record or row covers the byte on its own. */
function outsideRows({ files }: StoreImage, name: string): Uint8Array {
  const bytes = files.get(name)!;
  const outside = new Uint8Array(bytes.length);
  if (/data\.sqlite(?:-wal)?$/.test(name)) outside.fill(1);
  if (/data\.sqlite$/.test(name)) for (const { from, to } of columnRanges(bytes)) outside.fill(0, from, to);
  return outside;
}

describe('each byte of lsm', () => {
  it('of its tables is refused by the check of the block or of the footer', async () => {
    const { files } = await storeImage('lsm', 'closed');
    let bytesTried = 0;
    for (const [name, bytes] of files) {
      const id = tableIdOf(name.split('/').at(-1)!);
      if (id === undefined) continue;
      const start = bytes.length - FOOTER_BYTES;
      const footer = decodeFooter(bytes.subarray(start), id, start);
      expect(passing(bytes.subarray(start), (changed) => decodeFooter(changed, id, start))).toEqual([]);
      const blocks = blocksOf(bytes, footer);
      expect(blocks.reduce((sum, { payload }) => sum + payload + CHECK_BYTES, FOOTER_BYTES)).toBe(bytes.length);
      for (const [number, { offset, payload }] of blocks.entries()) {
        if (number % EVERY !== 0) continue;
        const stored = bytes.subarray(offset, offset + payload + CHECK_BYTES);
        const place = { id, offset, bytes: payload };
        expect([offset, passing(stored, (changed) => checkedPayload(changed, place))]).toEqual([offset, []]);
        bytesTried += stored.length;
      }
    }
    expect(bytesTried).toBeGreaterThan(200_000 / EVERY);
  });

  it.each(['closed', 'killed'] as const)('of its write-ahead log that holds something, %s', async (end) => {
    const image = await storeImage('lsm', end);
    const [name, bytes] = [...image.files].find(([each]) => each.endsWith('.log'))!;
    const used = usedBytes(image, name);
    const missed: number[] = [];
    for (const at of used.keys()) {
      if (used[at] === 0) continue;
      bytes[at]! ^= 1 << (at % 8);
      // The rules of recovery: a segment begins with a record, and no record that was durable is missing.
      const found = scanOf(bytes);
      const isDamage = typeof found === 'string' || found.first === 0 || found.durable > found.last;
      if (!isDamage) missed.push(at);
      bytes[at]! ^= 1 << (at % 8);
    }
    expect(missed).toEqual([]);
  });
});

function blocksOf(bytes: Buffer, footer: Footer): readonly { readonly offset: number; readonly payload: number }[] {
  const { indexOffset, indexBytes, bloomOffset, bloomBytes } = footer;
  const index = new TableIndex(bytes.subarray(indexOffset, indexOffset + indexBytes), footer);
  const data = Array.from({ length: index.count }, (_, block) => ({
    ...{ offset: index.offset(block), payload: index.payloadBytes(block) },
  }));
  return [...data, { offset: bloomOffset, payload: bloomBytes }, { offset: indexOffset, payload: indexBytes }];
}

function scanOf(bytes: Buffer) {
  const header = decodeHeader(bytes.subarray(0, SEGMENT_HEADER_BYTES));
  if (typeof header === 'string') return header;
  return scanSegment(bytes, header, { least: 1, most: 10 * SEGMENT_HEADER_BYTES }, () => undefined);
}

describe('each byte of embedded_kv', () => {
  it('of its rows is refused by the checksum of the row', async () => {
    const { files } = await storeImage('embedded_kv', 'closed');
    const rows = rowsIn(files.get('store-1/data.sqlite')!);
    let bytesTried = 0;
    for (const parts of rows.filter((_, number) => number % EVERY === 0)) {
      const [key, sealed] = columnsOf(Buffer.concat(parts)).map((column) => Buffer.from(column));
      const check = () => openRow({ key, sealed, path: '/nowhere' });
      for (const part of [key!, sealed!]) {
        expect(passing(part, check)).toEqual([]);
        bytesTried += part.length;
      }
    }
    expect(rows.length).toBeGreaterThan(2_000);
    expect(bytesTried).toBeGreaterThan(200_000 / EVERY);
  });
});
