/**
 * A log of 1 000 events in each engine, closed and as a killed process leaves it, with one byte changed: `log verify
 * --checkpoint` reports it, or the byte is never read.
 *
 * - `npm run test:evidence:long` tries each byte of every file, this test some of each file, with the check that the
 *   whole verification makes of that part.
 * - Whole verifications, of one byte of each page, have the same results as those checks.
 * - With all unread bytes changed at once the log is the same.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { byDepth, IS_LONG } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import type { StoredFile } from './byte-checks.ts';
import { outcomeOf, storedFiles, wholly } from './store-bytes.ts';
import { flipped, noteOf, type StoreImage, storeImage, writeFiles } from './store-trial.ts';

vi.setConfig({ testTimeout: IS_LONG ? 3_600_000 : 60_000 });

/** So many bytes of each file are tried. */
const TRIED = byDepth({ sample: 40, dense: 160 });
/** So many whole verifications of each file; in the long run one for so many bytes. */
const WHOLE = byDepth({ sample: 3, dense: 10 });
const WHOLE_EACH_BYTES = 1_024;

const STORES = (['cow', 'lsm', 'embedded_kv'] as const).flatMap((backend) =>
  byDepth<readonly ('closed' | 'killed')[]>({ sample: ['killed'], dense: ['closed', 'killed'] }).map(
    (end) => [backend, end] as const,
  ),
);

describe.each(STORES)('a store of %s, %s', (backend, end) => {
  let image: StoreImage;
  let files: readonly StoredFile[];
  beforeAll(async () => {
    image = await storeImage(backend, end);
    files = await storedFiles(image);
  });

  const namesOf = (pattern: RegExp): readonly string[] =>
    [...image.files.keys()].filter((name) => pattern.test(name)).map((name) => name.split('/').at(-1)!);

  it('has the files of such a store, each of them with its bytes', () => {
    expect(namesOf(/tree|MANIFEST|sqlite$/)).toEqual([
      { cow: 'tree.db', lsm: 'MANIFEST', embedded_kv: 'data.sqlite' }[backend],
    ]);
    expect(namesOf(/-wal|wal-/).length).toBe(backend === 'embedded_kv' && end === 'closed' ? 0 : 1);
    expect(namesOf(/-pages/).length).toBe(backend === 'embedded_kv' && end === 'closed' ? 1 : 0);
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual(
      [...image.files].map(([name, { length }]) => [name, length]),
    );
  });

  it('a byte changed: it is named, or no reader reads it', async () => {
    for (const file of files) {
      const missed: number[] = [];
      for (const at of spread(file.bytes, TRIED)) if ((await outcomeOf(file, at)) === 'missed') missed.push(at);
      expect([file.name, missed]).toEqual([file.name, []]);
    }
  });

  it('a byte changed: a whole verification says the same', async () => {
    for (const file of files) {
      for (const at of spread(file.bytes, IS_LONG ? file.bytes / WHOLE_EACH_BYTES : WHOLE)) {
        const said = await wholly(image, { name: file.name, at });
        expect([file.name, at, said]).toEqual([file.name, at, await file.judge(at)]);
      }
    }
  });

  it('all bytes that no reader reads, changed at once: the log is the same', async () => {
    for (const { name, space } of files) {
      const at = space.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
      if (at.length > 0) expect([name, await wholly(image, { name, at })]).toEqual([name, 'same']);
    }
  });

  it('the command says the same', async () => {
    const home = memoryFolder('flips-home');
    mkdirSync(join(home, 'data'), { recursive: true });
    const { path, vkey } = noteOf(image.root);
    const { name, bytes, judge } = files.find((file) => /MANIFEST|tree\.db|data\.sqlite$/.test(file.name))!;
    const verify = async (offsets: readonly number[]) => {
      writeFiles(join(home, 'data'), flipped(image, name, offsets));
      return cliHere(['log', 'verify', '--checkpoint', path, '--vkey', vkey], { home });
    };
    expect(await verify([])).toMatchObject({ code: 0, stdout: expect.stringContaining('of the signed checkpoint') });
    for (const at of [20, Math.floor(bytes / 3), bytes - 1]) {
      const { code, stdout, stderr } = await verify([at]);
      const isNamed = code === 1 || stdout.includes('repaired from its second copy');
      expect([at, isNamed, stdout + stderr]).toEqual([at, (await judge(at)) === 'named', expect.anything()]);
    }
  });
});

/** Offsets spread over a file, among them its first and last bytes. */
function spread(bytes: number, count: number): readonly number[] {
  if (bytes <= count) return Array.from({ length: bytes }, (_, at) => at);
  const places = Math.floor(count);
  return Array.from({ length: places }, (_, number) => Math.floor((number * (bytes - 1)) / Math.max(1, places - 1)));
}
