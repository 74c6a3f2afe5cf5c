/** The index file: reading gives the written data, and every changed byte is detected. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHUNKER_VERSION } from '../../src/integrations/chunker/pieces.ts';
import {
  DamagedIndex,
  decodeChunk,
  decodeHeader,
  encodeHeader,
  FORMAT_VERSION,
  HEADER_BYTES,
  pushVarint,
  SECTION_NAMES,
  varints,
} from '../../src/integrations/code-index/format.ts';
import { createOpenIndexes, createVerifier, indexFileName } from '../../src/integrations/code-index/open-index.ts';
import { openIndex } from '../../src/integrations/code-index/reader.ts';
import { load, searchIndex, textHash } from '../../src/integrations/code-index/search.ts';
import { countWords } from '../../src/integrations/code-index/terms.ts';
import { IndexWriter } from '../../src/integrations/code-index/writer.ts';
import { byDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';

const RUNS = byDepth({ sample: 15, dense: 60, long: 1_000 });
const META = {
  provider: 'local',
  model: 'm',
  dimensions: null,
  workspace: '/w',
  recipe: `chunker:${CHUNKER_VERSION} r`,
};

let folder: string;
beforeAll(() => {
  folder = temporaryFolder('index-file');
});

interface Entry {
  readonly text: string;
  readonly symbol: string | null;
  readonly vector: readonly number[];
}

let written = 0;

async function write(files: readonly (readonly Entry[])[]): Promise<string> {
  const path = join(folder, `${++written}.idx`);
  const writer = new IndexWriter(`${path}.new`);
  for (const [at, entries] of files.entries()) {
    writer.beginFile([`file-${at}`, String(at).padStart(64, '0'), 1, 'typescript']);
    for (const { text, symbol, vector } of entries) {
      const place = { firstLine: 1, lastLine: 2, text, symbol };
      writer.add({ ...place, hash: textHash(text), words: countWords(text) }, Float32Array.from(vector));
    }
  }
  await writer.finish(path, META, 1_700_000_000_123);
  return path;
}

const SMALL: readonly (readonly Entry[])[] = [
  [
    { text: 'export function alpha() {}', symbol: 'alpha', vector: [1, 0, 0] },
    { text: 'retry the failed request', symbol: null, vector: [0, 1, 0] },
  ],
  [],
  [{ text: 'größe und maß ☃', symbol: 'maß', vector: [0, 0.6, 0.8] }],
];

describe('what was written', () => {
  const entry = (dimension: number): fc.Arbitrary<Entry> =>
    fc.record({
      text: fc.string({ unit: 'grapheme', maxLength: 60 }),
      symbol: fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 })),
      vector: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
        minLength: dimension,
        maxLength: dimension,
      }),
    });
  const content = fc
    .integer({ min: 1, max: 6 })
    .chain((d) => fc.array(fc.array(entry(d), { maxLength: 4 }), { maxLength: 5 }));

  it('is what is read', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (files) => {
        const path = await write(files);
        const reader = await openIndex(path);
        await reader.verify();
        const entries = files.flat();
        expect(reader.meta).toEqual(META);
        expect(reader.header).toMatchObject({
          chunks: entries.length,
          files: files.length,
          builtAt: 1_700_000_000_123,
        });
        const table = await reader.table('chunks');
        for (const [row, { text, symbol, vector }] of entries.entries()) {
          expect(await reader.text(decodeChunk(table, row))).toEqual({ text, symbol });
          expect([...reader.vector(row)]).toEqual([...Float32Array.from(vector)]);
        }
        const blocks: number[] = [];
        for await (const block of reader.vectorBlocks()) blocks.push(...block);
        expect(blocks).toEqual(entries.flatMap(({ vector }) => [...Float32Array.from(vector)]));
        await reader.close();
      }),
      { numRuns: RUNS },
    );
  });

  it('is there only when it is whole', () => {
    const path = join(folder, 'unfinished.idx');
    const writer = new IndexWriter(`${path}.new`);
    writer.beginFile(['a', '0', 1, null]);
    expect([existsSync(path), existsSync(`${path}.new`)]).toEqual([false, true]);
    writer.discard();
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('is its owner’s alone', async () => {
    if (process.platform !== 'win32') expect(statSync(await write(SMALL)).mode & 0o777).toBe(0o600);
  });

  it('has vectors of one dimension', () => {
    const path = join(folder, 'mixed.idx');
    const writer = new IndexWriter(`${path}.new`);
    writer.beginFile(['a', '0', 1, null]);
    const chunk = { firstLine: 1, lastLine: 1, text: 'a', symbol: null, hash: textHash('a'), words: new Map() };
    writer.add(chunk, Float32Array.of(1, 0));
    expect(() => writer.add(chunk, Float32Array.of(1))).toThrow('different dimensions');
    writer.discard();
  });
});

describe('a file that is not as it was', () => {
  /** Everything a build or a search would read of it. */
  async function readAll(path: string): Promise<void> {
    const reader = await openIndex(path);
    try {
      await reader.verify();
    } finally {
      await reader.close();
    }
  }

  it('is noticed at every byte', async () => {
    const path = await write(SMALL);
    const bytes = readFileSync(path);
    const changed = `${path}.changed`;
    for (let at = 0; at < bytes.length; at += 1) {
      // Zeros between the sections and the checksum are covered by the header's own.
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1 << (at % 8);
      writeFileSync(changed, copy);
      await expect(readAll(changed), `byte ${at}`).rejects.toBeInstanceOf(DamagedIndex);
    }
  });

  it('is noticed at every length', async () => {
    const path = await write(SMALL);
    const cut = `${path}.cut`;
    for (let length = 0; length < statSync(path).size; length += 7) {
      copyFileSync(path, cut);
      truncateSync(cut, length);
      await expect(readAll(cut), `length ${length}`).rejects.toBeInstanceOf(DamagedIndex);
    }
  });

  const flip = (at: number) => (bytes: Buffer) => {
    bytes[at < 0 ? bytes.length + at : at]! ^= 0xff;
    return bytes;
  };
  const ofVersion = (bytes: Buffer) => {
    bytes.writeUInt32LE(FORMAT_VERSION + 1, 8);
    return bytes;
  };

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['with a changed magic', flip(0), 'does not begin like an index'],
    ['of another version', ofVersion, `format version is ${FORMAT_VERSION + 1}`],
    ['with a changed header', flip(40), 'header has another checksum'],
    ['with a changed vector', flip(HEADER_BYTES), 'vectors have another checksum'],
    ['with a changed end', flip(-1), 'meta have another checksum'],
    ['with more at its end', (bytes) => Buffer.concat([bytes, Buffer.of(0)]), 'bytes where'],
    ['with nothing in it', () => Buffer.alloc(0), 'shorter than a header'],
  ])('%s is said to be so', async (_, edit, reason) => {
    const path = await write(SMALL);
    writeFileSync(path, edit(readFileSync(path)));
    await expect(readAll(path)).rejects.toThrow(reason);
  });

  it('is refused by a search that meets the changed vector', async () => {
    const path = await write(SMALL);
    const reader = await openIndex(path);
    const index = await load(reader);
    const bytes = readFileSync(path);
    bytes[HEADER_BYTES]! ^= 1;
    writeFileSync(path, bytes);
    const question = { text: 'alpha', vector: Float32Array.of(1, 0, 0), k: 3, vectorShare: 0.5 };
    await expect(searchIndex(index, question)).rejects.toThrow('vectors have another checksum');
    await reader.close();
  });

  it('is refused by a search that meets the changed text', async () => {
    const path = await write(SMALL);
    const reader = await openIndex(path);
    const index = await load(reader);
    const bytes = readFileSync(path);
    bytes[reader.header.sections.texts.offset]! ^= 1;
    writeFileSync(path, bytes);
    const question = { text: 'alpha', vector: Float32Array.of(1, 0, 0), k: 3, vectorShare: 0.5 };
    await expect(searchIndex(index, question)).rejects.toThrow('text has another checksum');
    await reader.close();
  });
});

describe('a search', () => {
  const ask = async (text: string, vector: readonly number[], k = 10, vectorShare = 0.5) => {
    const reader = await openIndex(await write(SMALL));
    const hits = await searchIndex(await load(reader), { text, vector: Float32Array.from(vector), k, vectorShare });
    await reader.close();
    return hits;
  };

  it('finds by the vector', async () => {
    const [best] = await ask('nothing of it', [0, 0.6, 0.8]);
    expect(best).toMatchObject({ path: 'file-2', symbol: 'maß', vector_score: expect.closeTo(1, 5), lexical_score: 0 });
  });

  it('finds by the words, in any of their forms', async () => {
    const hits = await ask('retries of requests', [0, 0, 0]);
    expect(hits.map(({ text }) => text)).toEqual(['retry the failed request']);
    expect(hits[0]).toMatchObject({ vector_score: 0, lexical_score: 1, score: 0.5 });
  });

  it('answers the best first, at most k, and nothing that has nothing in common', async () => {
    const hits = await ask('alpha', [0.9, 0.1, 0]);
    expect(hits.map(({ path, symbol }) => [path, symbol])).toEqual([
      ['file-0', 'alpha'],
      ['file-0', null],
      ['file-2', 'maß'],
    ]);
    expect(await ask('alpha', [0.9, 0.1, 0], 1)).toEqual(hits.slice(0, 1));
    expect(await ask('zzz', [-1, -1, -1])).toEqual([]);
  });
});

it('a header comes back as it went', () => {
  const sections = Object.fromEntries(
    SECTION_NAMES.map((name, at) => [name, { offset: at * 10, bytes: at, crc: 4_294_967_295 - at }]),
  ) as Parameters<typeof encodeHeader>[0]['sections'];
  const header = {
    dimension: 3,
    chunks: 4,
    files: 5,
    terms: 6,
    words: 2 ** 40,
    builtAt: 2 ** 41,
    fileBytes: 999,
    sections,
  };
  expect(decodeHeader(encodeHeader(header), 999)).toEqual(header);
});

it('varints come back as they went', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (numbers) => {
      const bytes: number[] = [];
      for (const number of numbers) pushVarint(bytes, number);
      expect([...varints(Buffer.from(bytes))]).toEqual(numbers);
    }),
  );
});

describe.runIf(process.platform === 'linux')('searches that begin at the same time', () => {
  const path = (): string => join(folder, 'open', indexFileName({ provider: 'local', model: 'm' }));
  const put = async (): Promise<void> => {
    mkdirSync(join(folder, 'open'), { recursive: true });
    renameSync(await write(SMALL), path());
  };
  const openFiles = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(join(folder, 'open'));
      } catch {
        return false;
      }
    }).length;

  it.each(['the first searches', 'searches after a build'])('share one open file: %s', async (which) => {
    await put();
    const indexes = createOpenIndexes({ workspace: '/w', recipes: { recipe: () => 'r' } }, createVerifier());
    if (which === 'searches after a build') {
      await indexes.use(path(), async () => undefined);
      await put();
    }
    await Promise.all([1, 2, 3].map(() => indexes.use(path(), async () => undefined)));
    expect(openFiles()).toBe(1);
    await indexes.close();
    expect(openFiles()).toBe(0);
  });
});
