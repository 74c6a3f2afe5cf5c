/**
 * Every byte of a small `embedded_kv` log damaged in turn. SQLite's pages carry no checksums, so row checksums, leaf
 * hashes and the order of the log must detect it: every read gives the right answer, or a typed error that names the
 * file.
 *
 * `DAYBOOK_LONG=1` flips every bit position of every byte; a dense run one bit of every byte that is not zero, and a
 * sample of zeros; `npm test` one in eleven of these.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedKv } from '../../src/storage/embedded-kv/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { byDepth, IS_LONG } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import { event, to } from './log-helpers.ts';

const TIMEOUT_MS = IS_LONG ? 3_600_000 : 300_000;
/** Of the damages that are tried one in this many, by a prime: no field of fixed length is always passed over. */
const STEP = byDepth({ sample: 11, dense: 1 });
const DATABASE = 'data.sqlite';
const WAL = 'data.sqlite-wal';
const INDEX = 'data.sqlite-shm';
const DURABLE = 'data.sqlite-durable';
const PAGES = 'data.sqlite-pages';

let root: string;
beforeAll(() => {
  root = memoryFolder('damage');
});

describe('embedded_kv: damage', { timeout: TIMEOUT_MS }, () => {
  it('never gives a wrong answer, whatever byte of a closed store is damaged', async () => {
    const directory = join(root, 'closed');
    mkdirSync(directory);
    const engine = await openEmbeddedKv({ directory });
    const log = openEventLog(engine);
    for (let number = 1; number <= 4; number += 1) await log.append([to(`s-${number % 2}`, [event(number)])]);
    await engine.close();
    expect(existsSync(join(directory, WAL))).toBe(false);
    const bytes = readFileSync(join(directory, DATABASE));
    const whole = await answer({ [DATABASE]: bytes });
    expect(whole).toContain('"ok":true');
    const seen = { same: 0, refused: 0 };
    for (const [offset, mask] of damages(bytes)) {
      const result = await answer({ [DATABASE]: damagedCopy(bytes, offset, mask) });
      if (result === 'refused') seen.refused += 1;
      else if (result === whole) seen.same += 1;
      else throw new Error(`${DATABASE}: offset ${offset} xor ${mask} gave another answer: ${result}`);
    }
    expect(seen.refused).toBeGreaterThan(byDepth({ sample: 8, dense: 100 }));
    expect(seen.same).toBeGreaterThan(0);
  });

  it.each(['killed', 'cut off from power'])('never gives a wrong answer after the process was %s', async (end) => {
    const directory = join(root, end);
    mkdirSync(directory);
    const engine = await openEmbeddedKv({ directory });
    const log = openEventLog(engine);
    const heads: string[] = [];
    for (let number = 1; number <= 3; number += 1) {
      await log.append([to('s-1', [event(number)])]);
      heads.push(JSON.stringify(log.head()));
    }
    const names = end === 'killed' ? [DATABASE, WAL, DURABLE] : [DATABASE, WAL];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name))]));
    await engine.close();
    expect(existsSync(join(directory, DURABLE))).toBe(false);
    const whole = await answer(files);
    expect(whole).toContain(heads[2]);
    const seen = { same: 0, refused: 0, shorter: 0 };
    for (const name of names.slice(1)) {
      for (const [number, [offset, mask]] of damages(files[name]!).entries()) {
        // With the attestation the open fails; without it everything is read, which takes longer.
        if (!IS_LONG && end !== 'killed' && number % 4 > 0) continue;
        const result = await answer({ ...files, [name]: damagedCopy(files[name]!, offset, mask) });
        if (result === 'refused' && name !== DURABLE) seen.refused += 1;
        else if (result === whole) seen.same += 1;
        else if (end !== 'killed' && result.includes(heads[1]!)) seen.shorter += 1;
        else throw new Error(`${name}: offset ${offset} xor ${mask} gave another answer: ${result}`);
      }
    }
    expect(seen.refused).toBeGreaterThan(byDepth({ sample: 8, dense: 100 }));
    // A power cut leaves the log without attestation: damage to its last commit looks like a torn write.
    expect(seen.shorter > 0).toBe(end !== 'killed');
  });

  it('ignores the attestation of an earlier generation of the log', async () => {
    const directory = join(root, 'lives');
    mkdirSync(directory);
    const engine = await openEmbeddedKv({ directory });
    const log = openEventLog(engine);
    for (let number = 1; number <= 4; number += 1) await log.append([to('s-1', [event(number)])]);
    const old = readFileSync(join(directory, DURABLE));
    await engine.compact();
    await log.append([to('s-1', [event(5)])]);
    const names = [DATABASE, WAL];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name))]));
    await engine.close();
    expect(await answer({ ...files, [DURABLE]: old })).toContain('"ok":true,"head":5');
  });

  it.each([0, 10, 4_096, 8_191])(
    'names the end of a closed database that was truncated to %i bytes',
    async (length) => {
      const directory = join(root, `cut-${length}`);
      mkdirSync(directory);
      const engine = await openEmbeddedKv({ directory });
      await engine.commit([{ key: Buffer.from('k'), value: Buffer.from('v') }], { durable: true });
      await engine.close();
      truncateSync(join(directory, DATABASE), length);
      await expect(openEmbeddedKv({ directory })).rejects.toMatchObject({
        code: 'STORAGE_CORRUPT',
        file: DATABASE,
        offset: length,
      });
    },
  );

  /** SQLite reports keys and pages, but no offsets. */
  it('names the offset of a damaged row, and of the page of a damaged structure', async () => {
    const directory = join(root, 'places');
    mkdirSync(directory);
    const engine = await openEmbeddedKv({ directory });
    const key = Buffer.from('the key of a row');
    await engine.commit([{ key, value: Buffer.alloc(300, 'v') }], { durable: true });
    await engine.commit([{ key: Buffer.from('large'), value: Buffer.alloc(20_000, 'w') }], { durable: true });
    await engine.close();
    const bytes = readFileSync(join(directory, DATABASE));
    const row = bytes.indexOf(key);
    const faultsAt = async (at: number) => {
      writeFileSync(join(directory, DATABASE), damagedCopy(bytes, at, 1));
      const damaged = await openEmbeddedKv({ directory });
      try {
        return await damaged.verify();
      } finally {
        await damaged.close();
      }
    };
    for (const at of [row + 3, row + key.length + 299]) {
      const what = expect.stringMatching(`^data.sqlite at offset ${row}: the row of key .* fails its checksum`);
      expect(await faultsAt(at)).toContainEqual({ file: DATABASE, offset: row, what });
    }
    const large = bytes.indexOf(Buffer.from('largewww'));
    const overflow = bytes.indexOf(Buffer.alloc(1_000, 'w'), large + 1_000);
    expect(await faultsAt(overflow + 500)).toContainEqual(expect.objectContaining({ offset: large }));
    const page = Math.floor(row / 4_096) * 4_096;
    const found = await faultsAt(page + 7);
    expect(found).toContainEqual(expect.objectContaining({ file: DATABASE, offset: page }));
    for (const { what } of found) expect(what).not.toMatch(/\n|\*\*\*/);
  });

  it('names a changed page of a closed database, also where nothing is stored', async () => {
    const directory = join(root, 'page-sums');
    mkdirSync(directory);
    const engine = await openEmbeddedKv({ directory });
    await engine.commit([{ key: Buffer.from('key'), value: Buffer.from('value') }], { durable: true });
    await engine.close();
    const bytes = readFileSync(join(directory, DATABASE));
    const verified = async () => {
      const opened = await openEmbeddedKv({ directory });
      const faults = [...(opened.repaired ?? []), ...(await opened.verify())];
      await opened.close();
      return faults;
    };
    expect(await verified()).toEqual([]);
    // Free space of the second page; the file change counter; the end, which another program made longer.
    for (const [changed, offset] of [
      [damagedCopy(bytes, 4_096 + 100, 1), 4_096],
      [damagedCopy(bytes, 27, 1), 0],
      [Buffer.concat([bytes, Buffer.alloc(10)]), bytes.length],
    ] as const) {
      writeFileSync(join(directory, DATABASE), changed);
      for (const _ of [1, 2]) {
        const what = expect.stringContaining('is not as it was when the database was closed');
        expect(await verified()).toEqual([{ file: DATABASE, offset, what }]);
      }
      writeFileSync(join(directory, DATABASE), bytes);
    }
    const sums = readFileSync(join(directory, PAGES));
    writeFileSync(join(directory, PAGES), damagedCopy(sums, 5, 1));
    expect(await verified()).toEqual([{ file: PAGES, offset: 0, what: expect.stringContaining('damaged') }]);
    expect(await verified()).toEqual([]);
    expect(readFileSync(join(directory, PAGES))).toEqual(sums);
  });

  it('has no checksums of pages from its first change on until it is closed', async () => {
    const directory = join(root, 'first-change');
    mkdirSync(directory);
    for (const [number, change] of ['put', 'compact', 'none'].entries()) {
      const engine = await openEmbeddedKv({ directory });
      const before = existsSync(join(directory, PAGES));
      if (change === 'put')
        await engine.commit([{ key: Buffer.from('k'), value: Buffer.from('v') }], { durable: true });
      if (change === 'compact') await engine.compact();
      expect([change, before, existsSync(join(directory, PAGES))]).toEqual([change, number > 0, change === 'none']);
      expect(await engine.verify()).toEqual([]);
      await engine.close();
      expect(existsSync(join(directory, PAGES))).toBe(true);
    }
  });

  it.each([
    ['is missing', (log: string) => rmSync(log)],
    ['is empty', (log: string) => truncateSync(log)],
    ['is empty', (log: string) => truncateSync(log, 32)],
    ['is empty', (log: string) => writeFileSync(log, Buffer.alloc(readFileSync(log).length))],
  ])(
    'notices that the log %s after a kill, unless the index is gone too, as another program leaves it',
    async (what, lose) => {
      const killed = memoryFolder('gone');
      const engine = await openEmbeddedKv({ directory: killed });
      await openEventLog(engine).append([to('s-1', [event(1)])]);
      const [left, closed] = [memoryFolder('gone-log'), memoryFolder('gone-log-and-index')];
      for (const directory of [left, closed]) {
        cpSync(killed, directory, { recursive: true });
        lose(join(directory, WAL));
      }
      await engine.close();
      rmSync(join(closed, INDEX));
      const damage = { code: 'STORAGE_CORRUPT', file: WAL, offset: 0, message: expect.stringContaining(what) };
      await expect(openEmbeddedKv({ directory: left })).rejects.toMatchObject(damage);
      await (await openEmbeddedKv({ directory: closed })).close();
    },
  );

  it.each(['compact', 'scrub', 'close'] as const)(
    'opens after a power cut that left the index of before %s beside the log that it emptied',
    async (work) => {
      const directory = memoryFolder('emptied');
      const engine = await openEmbeddedKv({ directory });
      await openEventLog(engine).append([to('s-1', [event(1)])]);
      const index = readFileSync(join(directory, INDEX));
      await engine[work]?.();
      const files = readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))] as const);
      await engine.close();
      const left = { ...Object.fromEntries(files), [INDEX]: index, [WAL]: Buffer.alloc(0) };
      expect(await answer(left)).toContain('"ok":true,"head":1');
    },
  );

  it('takes a torn end for the end of the log, wherever it is cut', async () => {
    const directory = join(root, 'torn');
    mkdirSync(directory);
    const engine = await openEmbeddedKv({ directory });
    const log = openEventLog(engine);
    await log.append([to('s-1', [event(1)])]);
    const acknowledged = readFileSync(join(directory, WAL)).length;
    await log.append([to('s-1', [event(2)])]);
    const files = { [DATABASE]: readFileSync(join(directory, DATABASE)), [WAL]: readFileSync(join(directory, WAL)) };
    const attested = readFileSync(join(directory, DURABLE));
    await engine.close();
    for (let length = acknowledged; length < files[WAL]!.length; length += 512) {
      const cut = { ...files, [WAL]: files[WAL]!.subarray(0, length) };
      expect(await answer(cut)).toContain('"ok":true,"head":1');
      expect(await answer({ ...cut, [DURABLE]: attested })).toBe('refused');
    }
  });
});

/** All events of the log in these files, or `refused` when a typed error or `verify` names a file. */
async function answer(files: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const directory = join(root, 'trial');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, name), bytes);
  try {
    const engine = await openEmbeddedKv({ directory });
    try {
      const log = openEventLog(engine);
      const streams = ['s-0', 's-1'].map((stream) => [...log.readStream(stream)]);
      const verified = await log.verify();
      const said = JSON.stringify([log.head(), [...log.readAll()], streams, verified]);
      for (const fault of verified.errors) expect(fault.file).not.toBe('');
      return verified.ok ? said : 'refused';
    } finally {
      await engine.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    expect(error.file, error.message).toBeDefined();
    return 'refused';
  }
}

function damages(bytes: Uint8Array): [offset: number, mask: number][] {
  const all = [...bytes.entries()].flatMap(([offset, byte]): [number, number][] => {
    if (IS_LONG) return Array.from({ length: 8 }, (_, bit) => [offset, 1 << bit]);
    return byte !== 0 || offset % 61 === 0 ? [[offset, 1 << (offset % 8)]] : [];
  });
  return all.filter((_, number) => number % STEP === 0);
}

function damagedCopy(bytes: Uint8Array, offset: number, mask: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[offset] = copy[offset]! ^ mask;
  return copy;
}
