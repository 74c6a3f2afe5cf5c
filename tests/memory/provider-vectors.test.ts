/** The parts of provider vectors: codes, the pool of sign codes, files, batches, and how scores are combined. */
import { mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextCipher } from '../../src/integrations/vault/text-cipher.ts';
import { codeCosine, encode, rotated } from '../../src/integrations/vectors/codes.ts';
import { createVectorFiles, FILES_MAX } from '../../src/integrations/vectors/files.ts';
import { createSignIndex } from '../../src/integrations/vectors/sign-index.ts';
import { signWords } from '../../src/lib/sign-codes.ts';
import { type Embedder, EmbedderError } from '../../src/ports/embedder.ts';
import { KEY_BYTES } from '../../src/ports/text-cipher.ts';
import { cosine, normalise } from '../../src/projections/recall/vector.ts';
import { blended, type Meaning } from '../../src/queries/memory/meaning.ts';
import { openSealedIndex, updateIndex } from '../../src/reactors/memory/text-index.ts';
import { type BatchEntry, erasedBy, writtenBy } from '../../src/reactors/memory/vectors/backlog.ts';
import { type Embedded, embedBatch } from '../../src/reactors/memory/vectors/batch.ts';
import { PAUSE_MS, QuestionVectors } from '../../src/reactors/memory/vectors/question.ts';
import type { RecordedEvent } from '../../src/storage/event-log.ts';
import { temporaryFolder } from '../support/folders.ts';

const RUNS = process.env.DAYBOOK_LONG === '1' ? 1_000 : 60;

const aVector = (dimension: number) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimension, maxLength: dimension })
    .map((numbers) => normalise(Float32Array.from(numbers)));

/** A vector of its own for each number, the same every time. */
function vectorNumber(number: number, dimension = 64): Float32Array {
  let state = number * 2_654_435_761 + 1;
  return normalise(
    Float32Array.from({ length: dimension }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return state / 2 ** 31;
    }),
  );
}

const entry = (number: number, kind: 'memory' | 'drawer' = 'memory', dimension = 64) => ({
  ...{ kind, key: `k${number}`, mark: number },
  vector: vectorNumber(number, dimension),
});

const folder = (): string => join(temporaryFolder('vectors'), 'vectors');

const ONE = { provider: 'p', model: 'one', recipe: 'r' };
const key = (byte: number) => createTextCipher(Buffer.alloc(KEY_BYTES, byte));

describe('a code', () => {
  it('gives back cosines to a hundredth, in any dimension', () => {
    const pair = fc
      .integer({ min: 1, max: 700 })
      .chain((dimension) => fc.tuple(aVector(dimension), aVector(dimension)));
    fc.assert(
      fc.property(pair, ([one, other]) => {
        expect(Math.abs(codeCosine(one, encode(other)) - cosine(one, other))).toBeLessThan(0.01);
      }),
      { numRuns: RUNS },
    );
  });

  it('of a vector without a direction is near nothing', () => {
    expect(codeCosine(vectorNumber(1), encode(new Float32Array(64)))).toBe(0);
  });

  it.each([8, 384, 1_536, 3_072])('has signs that say how near two vectors of %i dimensions are', (dimension) => {
    const one = vectorNumber(3, dimension);
    const opposite = one.map((each) => -each);
    const signs = signWords(rotated(one));
    expect(signs).toEqual(signWords(rotated(one)));
    for (const [at, word] of signWords(rotated(opposite)).entries()) expect((word ^ signs[at]!) >>> 0).toBe(0xffffffff);
  });
});

describe('a pool', () => {
  it('holds what a map would, whatever is set and deleted', () => {
    const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), deletes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const pool = createSignIndex();
        const model = new Map<string, number>();
        for (const [id, { key: number, deletes }] of steps.entries()) {
          if (deletes) pool.delete(`k${number}`);
          else pool.set({ key: `k${number}`, id, mark: 0 }, signWords(rotated(vectorNumber(number))));
          if (deletes) model.delete(`k${number}`);
          else model.set(`k${number}`, id);
        }
        expect(pool.size()).toBe(model.size);
        for (const [name, id] of model) expect(pool.get(name)?.id).toBe(id);
        for (const number of [...model.keys()].slice(0, 3).map((name) => Number(name.slice(1)))) {
          expect(pool.likeliest(rotated(vectorNumber(number)), 1).map((each) => each.key)).toEqual([`k${number}`]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('grows past its first room and still finds each of many', () => {
    const pool = createSignIndex();
    for (let at = 0; at < 3_000; at += 1) {
      pool.set({ key: `k${at}`, id: at, mark: 0 }, signWords(rotated(vectorNumber(at))));
    }
    for (const at of [0, 1_023, 1_024, 2_999]) expect(pool.likeliest(rotated(vectorNumber(at)), 1)[0]?.id).toBe(at);
  });
});

describe('files', () => {
  it('give back after a reopening what was put, of the same model and dimension only', () => {
    const home = folder();
    const files = createVectorFiles(home);
    files.open(ONE, 64)!.put([entry(1), entry(2), entry(1, 'drawer')]);
    files.close();
    const again = createVectorFiles(home);
    expect(again.open({ ...ONE, model: 'two' }, null)).toBeNull();
    expect(again.open({ ...ONE, recipe: 'other' }, null)).toBeNull();
    expect(again.open(ONE, 32)!.size()).toBe(0);
    const store = again.open(ONE, 64)!;
    while (again.load());
    expect(store.size()).toBe(3);
    expect(store.cosine(vectorNumber(1), { kind: 'memory', key: 'k1' })).toBeCloseTo(1, 2);
    expect(store.nearest(vectorNumber(2), { kind: 'memory', k: 5 })[0]?.key).toBe('k2');
    expect(store.cosine(vectorNumber(1, 32), { kind: 'memory', key: 'k1' })).toBeUndefined();
    expect(store.has(entry(1))).toBe(true);
    expect(store.has({ ...entry(1), mark: 99 })).toBe(false);
    for (const file of readdirSync(home)) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600);
    again.close();
  });

  it('stay when the system cannot open them, and are emptied when their bytes are damaged', () => {
    const home = folder();
    const files = createVectorFiles(home);
    files.open(ONE, 64)!.put([entry(1)]);
    files.close();
    const file = join(home, files.list()[0]!);
    // SQLite can put no journal there.
    mkdirSync(`${file}-wal`);
    expect(() => files.open(ONE, 64)).toThrow('unable to open database file');
    rmdirSync(`${file}-wal`);
    const store = files.open(ONE, 64)!;
    while (files.load());
    expect(store.size()).toBe(1);
    files.close();
    writeFileSync(file, 'not a database '.repeat(100));
    expect(files.open(ONE, 64)!.size()).toBe(0);
    while (files.load());
    files.close();
  });

  it('take entries out of every file, also of those not in use', () => {
    const files = createVectorFiles(folder());
    for (const model of ['one', 'two', 'three']) files.open({ ...ONE, model }, 64)!.put([entry(1), entry(2)]);
    files.erase([{ kind: 'memory', key: 'k1' }]);
    for (const file of files.list()) expect(files.page(file, 0).map((each) => each.key)).toEqual(['k2']);
    files.close();
  });

  it('are so many at most, the longest unused going first', () => {
    const home = folder();
    const files = createVectorFiles(home);
    for (let model = 0; model < FILES_MAX + 3; model += 1) files.open({ ...ONE, model: `m${model}` }, 64);
    expect(files.list()).toHaveLength(FILES_MAX);
    expect(files.list().some((file) => file.startsWith(`p-m${FILES_MAX + 2}-`))).toBe(true);
    files.close();
  });

  it('with a key hold nothing that another key opens, and no plain file stays', () => {
    const home = folder();
    const files = createVectorFiles(home);
    files.open(ONE, 64)!.put([entry(1)]);
    files.use(key(1));
    expect(files.list()).toEqual([]);
    files.open(ONE, 64)!.put([entry(1)]);
    files.close();
    const same = createVectorFiles(home);
    same.use(key(1));
    same.dropPlain();
    const store = same.open(ONE, null)!;
    while (same.load());
    expect(store.cosine(vectorNumber(1), { kind: 'memory', key: 'k1' })).toBeCloseTo(1, 2);
    same.close();
    const other = createVectorFiles(home);
    other.use(key(2));
    const emptied = other.open(ONE, null)!;
    while (other.load());
    expect(emptied.size()).toBe(0);
    other.use(null);
    expect(other.list()).toEqual([]);
  });

  it('in memory leave nothing behind', () => {
    const files = createVectorFiles(null);
    const store = files.open(ONE, 64)!;
    store.put([entry(1)]);
    expect([store.size(), files.list().length]).toEqual([1, 1]);
    files.erase([{ kind: 'memory', key: 'k1' }]);
    expect(store.size()).toBe(0);
    files.discard();
    expect(files.list()).toEqual([]);
  });
});

function embedder(refuses: (texts: readonly string[]) => Error | null, asked: string[][] = []): Embedder {
  const embed: Embedder['embed'] = async (texts) => {
    asked.push([...texts]);
    const error = refuses(texts);
    if (error !== null) throw error;
    return texts.map((text) => vectorNumber(text.length));
  };
  const choice = { provider: 'openai', model: 'm', recipe: '', dimension: null, isLocal: false } as const;
  return { ...choice, embed, embedRaw: async () => [] };
}

describe('a batch', () => {
  const batch: readonly BatchEntry[] = Array.from({ length: 9 }, (_, at) => ({ ...entry(at), text: `text ${at}` }));
  const run = async (provider: Embedder) => {
    const kept: Embedded[] = [];
    const refused: BatchEntry[] = [];
    const work = embedBatch(
      {
        embedder: provider,
        signal: new AbortController().signal,
        store: async (embedded) => void kept.push(...embedded),
        refuse: (each) => void refused.push(each),
      },
      batch,
    );
    const error = await work.then(
      () => null,
      (reason: Error) => reason.message,
    );
    return { error, kept: kept.map((each) => each.entry.key).sort(), refused: refused.map((each) => each.key) };
  };

  it.each([0, 4, 8])('goes through but for the one text that the provider refuses (%i)', async (bad) => {
    const provider = embedder((texts) =>
      texts.includes(`text ${bad}`) ? new EmbedderError('refused', 'too rude') : null,
    );
    const others = batch.map((each) => each.key).filter((name) => name !== `k${bad}`);
    expect(await run(provider)).toEqual({ error: null, kept: others.sort(), refused: [`k${bad}`] });
  });

  it.each(['refused', 'unreachable', 'bad_output'] as const)(
    'blames no text when nothing goes (%s)',
    async (reason) => {
      const asked: string[][] = [];
      const result = await run(embedder(() => new EmbedderError(reason, 'no'), asked));
      expect(result).toEqual({ error: 'no', kept: [], refused: [] });
      expect(asked.length).toBeLessThanOrEqual(2);
    },
  );

  it('of numbers that are none is refused', async () => {
    const provider = embedder(() => null);
    const infinite = { ...provider, embed: async () => batch.map(() => Float32Array.of(Number.POSITIVE_INFINITY)) };
    expect((await run(infinite)).error).toContain('numbers');
  });
});

describe('events whose payload was erased', () => {
  it.each(['DrawerStored', 'DrawerSealed', 'DrawerDeleted'])('of type %s add and remove no entry', (type) => {
    const erased: RecordedEvent = {
      ...{ position: 5, stream: 'drawer-s', version: 1, id: 'e', type, schema: 1, at: 1, actor: 'owner' },
      ...{ correlation: null, causation: null, leafHash: '', data: null, erased: true },
    };
    expect([writtenBy(erased), erasedBy(erased)]).toEqual([[], []]);
    const index = openSealedIndex();
    const cipher = createTextCipher(Buffer.alloc(KEY_BYTES, 7));
    expect(() => updateIndex({ views: index, index, cipher }, [erased])).not.toThrow();
    index.close();
  });
});

describe('questions', () => {
  it('are asked once, not at all for a while after a failure, and again when the provider is back', async () => {
    let [now, isDown] = [0, false];
    const asked: string[][] = [];
    const questions = new QuestionVectors(
      embedder(() => (isDown ? new EmbedderError('unreachable', 'nobody there') : null), asked),
      () => now,
    );
    await questions.vectorOf('one');
    await questions.vectorOf('one');
    expect(asked).toEqual([['one']]);
    isDown = true;
    await expect(questions.vectorOf('two')).rejects.toThrow('nobody there');
    await expect(questions.vectorOf('three')).rejects.toThrow('nobody there');
    expect(asked).toHaveLength(2);
    expect(await questions.vectorOf('one')).toHaveLength(64);
    isDown = false;
    questions.endPause();
    await questions.vectorOf('two');
    isDown = true;
    await expect(questions.vectorOf('four')).rejects.toThrow();
    [now, isDown] = [PAUSE_MS, false];
    await questions.vectorOf('four');
  });

  it('are asked again after a failure when the clock is set back', async () => {
    let [now, isDown] = [1_000 * PAUSE_MS, true];
    const down = () => (isDown ? new EmbedderError('unreachable', 'nobody there') : null);
    const questions = new QuestionVectors(embedder(down, []), () => now);
    await expect(questions.vectorOf('one')).rejects.toThrow('nobody there');
    [now, isDown] = [0, false];
    expect(await questions.vectorOf('one')).toHaveLength(64);
  });
});

describe('blending', () => {
  const hit = (name: string, lexical: number, vector: number) => ({ key: name, lexical, vector, similarity: lexical });
  const meaning = (cosines: Record<string, number>, background = 0): Meaning => ({
    background,
    cosineOf: (_, name) => cosines[name],
    nearest: () => Object.entries(cosines).map(([name, each]) => ({ key: name, cosine: each })),
  });
  const order = (...given: Parameters<typeof blended>) => blended(...given).map((each) => each.key);

  it('without a meaning leaves the hits as they are', () => {
    const hits = [hit('a', 1, 0.2)];
    expect(blended(hits, undefined, 'memory')).toBe(hits);
  });

  it.each([
    [
      'what means the same beats what has a word',
      [hit('word', 0.5, 0.1)],
      { word: 0.1, meant: 0.9 },
      ['meant', 'word'],
    ],
    ['words decide among what means the same', [hit('a', 1, 0), hit('b', 0.5, 0)], { a: 0.7, b: 0.7 }, ['a', 'b']],
    [
      'what has no vector yet keeps its words',
      [hit('new', 1, 0.6), hit('old', 0.3, 0.1)],
      { old: 0.3 },
      ['new', 'old'],
    ],
    ['nothing in common with the question is last', [hit('a', 0.2, 0.1)], { a: 0.4, b: -0.5 }, ['a', 'b']],
  ])('%s', (_, hits, cosines, expected) => {
    expect(order(hits, meaning(cosines as Record<string, number>), 'memory')).toEqual(expected);
  });

  it('is within 0 and 1, and 1 for the text itself', () => {
    expect(blended([hit('a', 1, 1)], meaning({ a: 1 }, 0.6), 'memory')[0]?.similarity).toBeCloseTo(1);
    const cosines = fc.double({ min: -1, max: 1, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        cosines,
        share,
        share,
        fc.double({ min: 0, max: 0.95, noNaN: true }),
        (cos, lexical, vector, ground) => {
          const all = blended(
            [hit('a', lexical, vector), hit('b', lexical, vector)],
            meaning({ a: cos }, ground),
            'memory',
          );
          for (const { similarity } of all) expect(similarity).toBeGreaterThanOrEqual(0);
          for (const { similarity } of all) expect(similarity).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
