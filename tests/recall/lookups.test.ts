/** The fast look-ups of the index give the same results as simple ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topK } from '../../src/lib/top-k.ts';
import { analyse, BLOCKS_MAX, blocksOf, speakerTerm } from '../../src/projections/recall/analyse.ts';
import { scoreBlocks } from '../../src/projections/recall/block-scores.ts';
import { loadIndex } from '../../src/projections/recall/index-cache.ts';
import { firstFrom } from '../../src/projections/recall/postings.ts';
import { CODE_WORDS, HEAD_WORDS, nearHeads } from '../../src/projections/recall/quantise.ts';
import { parseQuestion } from '../../src/projections/recall/question.ts';
import { readSegment, writeSegment } from '../../src/projections/recall/segment-rows.ts';
import { type Entry, sealSegment, segmentPart } from '../../src/projections/recall/segments.ts';
import { SETTINGS } from '../../src/projections/recall/settings.ts';
import { words } from '../../src/projections/recall/words.ts';
import { emptyStore, given, runs } from './support.ts';

const word32 = fc.integer({ min: 0, max: 0xffffffff });
const scores = fc.array(fc.constantFrom(-1, 0, 0.25, 0.5, 1, 2), { maxLength: 60 });
const text = fc
  .array(fc.constantFrom('Ada: ', 'dogs ', 'the ', '12th ', "don't ", 'X-ray.', '\n', ' ', 'user: my plan\n'), {
    maxLength: 120,
  })
  .map((pieces) => pieces.join(''));

function entryOf(id: number, terms: readonly number[], masks = terms.map(() => 1)): Entry {
  const analysed = { terms: Uint32Array.from(terms), masks: Uint32Array.from(masks), length: 1 };
  const code = { words: new Uint32Array(CODE_WORDS), self: 0 };
  return { id, source: 0, wing: 0, at: 0, analysed: { ...analysed, blocks: Uint8Array.of(1) }, code };
}

describe('a segment', () => {
  it('finds each of its terms where it stands, and no other, however its terms are spread', () => {
    const crowded = fc.integer({ min: 0, max: 400 });
    const terms = fc.uniqueArray(fc.oneof(word32, crowded, fc.constantFrom(0, 0xffffffff)), { maxLength: 300 });
    fc.assert(
      fc.property(terms, fc.array(fc.oneof(word32, crowded)), (there, asked) => {
        const sorted = there.toSorted((one, other) => one - other);
        const part = segmentPart(sealSegment([entryOf(1, sorted), entryOf(2, sorted.slice(0, 3))]));
        for (const term of [...there, ...asked]) {
          const place = sorted.indexOf(term);
          const docs = place < 0 ? undefined : place < 3 ? [0, 1] : [0];
          const span = part.find(term);
          expect(span && Array.from(span.docs).slice(span.from, span.to)).toEqual(docs);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('has masks of texts of at most 16 blocks in half of the bytes, in its rows and in memory, and the same bits', () => {
    const mask = (blocks: number) => fc.array(fc.integer({ min: 1, max: 2 ** blocks - 1 }), { minLength: 1 });
    const views = emptyStore();
    fc.assert(
      fc.property(fc.oneof(mask(16), mask(32)), (masks) => {
        const terms = masks.map((_, at) => 2 ** 31 + at);
        writeSegment(views, { kind: 'memory', revision: 1 }, sealSegment([entryOf(1, terms, masks)]));
        const segment = readSegment(views, 'memory', 1)!;
        const part = segmentPart(segment);
        const spans = terms.map((term) => part.find(term)!);
        expect(spans.map((span) => span.masks[span.from])).toEqual(masks);
        const isShort = masks.every((each) => each < 2 ** 16);
        for (const span of spans) expect(span.masks).toBeInstanceOf(isShort ? Uint16Array : Uint32Array);
        expect(views.get('SELECT sum(length(masks)) AS bytes FROM recall_postings')).toEqual({
          bytes: masks.length * (isShort ? 2 : 4),
        });
      }),
      { numRuns: runs(50) },
    );
    views.close();
  });

  it('that was read is the one that was written, however many postings a term has', () => {
    const views = emptyStore();
    const docs = 700;
    const terms = Array.from({ length: 100 }, (_, at) => at);
    // 70 000 postings in one range of terms: places among them take more than 16 bits.
    const written = sealSegment(Array.from({ length: docs }, (_, at) => entryOf(at + 1, terms)));
    writeSegment(views, { kind: 'memory', revision: 1 }, written);
    const part = segmentPart(readSegment(views, 'memory', 1)!);
    for (const term of terms) {
      const { from, to, docs: slots } = part.find(term)!;
      expect([to - from, slots[from], slots[to - 1]]).toEqual([docs, 0, docs - 1]);
    }
    views.close();
  });

  it('is searched for the first of its slots that is not before another', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 })), fc.nat({ max: 52 }), (list, value) => {
        const sorted = list.toSorted((one, other) => one - other);
        const plain = sorted.findIndex((each) => each >= value);
        expect(firstFrom(sorted, { value, from: 0, to: sorted.length })).toBe(plain < 0 ? sorted.length : plain);
      }),
      { numRuns: runs(100) },
    );
  });
});

it('heads are near when no more bits differ than may', () => {
  const head = fc.array(word32, { minLength: HEAD_WORDS, maxLength: HEAD_WORDS });
  const bits = (word: number): number => (word >>> 0).toString(2).replaceAll('0', '').length;
  fc.assert(
    fc.property(head, fc.array(head, { maxLength: 20 }), fc.integer({ min: -1, max: 128 }), (query, heads, far) => {
      const distances = heads.map((each) => each.reduce((sum, word, at) => sum + bits(word ^ query[at]!), 0));
      const near = [...distances.keys()].filter((slot) => distances[slot]! <= far);
      const all = Uint32Array.from([...query, ...query.map((word) => ~word), ...heads.flat()]);
      const size = heads.length + 2;
      const own = [...(far >= 0 ? [0] : []), ...(far >= 128 ? [1] : []), ...near.map((slot) => slot + 2)];
      expect(nearHeads(Uint32Array.from(query), all, { size, far })).toEqual(own);
    }),
    { numRuns: runs(200) },
  );
});

it('the best of many are the highest above 0 that are allowed, equal ones in their order', () => {
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 12 }), fc.nat({ max: 4 }), (list, count, banned) => {
      const allowed = (index: number): boolean => index % 5 !== banned;
      const plain = [...list.keys()]
        .filter((index) => list[index]! > 0 && allowed(index))
        .sort((one, other) => list[other]! - list[one]! || one - other)
        .slice(0, count);
      expect(topK(list, count, allowed)).toEqual(plain);
    }),
    { numRuns: runs(200) },
  );
});

it('the blocks of a candidate are worth what they are, whatever stands in texts that do not follow one another', () => {
  const loaded = loadIndex(
    given('the kitten\nsleeps\non the violin\nby the river\nwith a kitten', 'a kitten', 'the violin\nis old'),
    'memory',
  );
  const wanted = { question: parseQuestion('kitten violin', loaded, SETTINGS), settings: SETTINGS };
  const together = scoreBlocks(loaded, [0, 1, 2], wanted);
  for (const doc of [0, 1, 2]) expect(scoreBlocks(loaded, [doc], wanted)[0]).toBe(together[doc]);
  expect(scoreBlocks(loaded, [2, 0, 1], wanted)).toEqual(Float32Array.of(together[2]!, together[0]!, together[1]!));
});

describe('words', () => {
  it('of plain letters are read like those of any script', () => {
    fc.assert(
      fc.property(text, (plain) => {
        const [last, ...others] = words(`${plain} é`).toReversed();
        expect(last?.stem).toBe('e');
        expect(words(plain)).toEqual(others.toReversed());
      }),
      { numRuns: runs(200) },
    );
  });

  it('stand as terms in just the blocks they are said in', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const blocks = [...blocksOf(whole)];
        const masks = new Map<number, number>();
        for (const [index, block] of blocks.entries()) {
          const place = blocks.length <= BLOCKS_MAX ? index : Math.floor((index * BLOCKS_MAX) / blocks.length);
          const speakers = block.speaker === null ? [] : words(block.speaker).map(({ stem }) => speakerTerm(stem));
          const said = block.words.flatMap((word) => [word.id, ...(word.stop ? [] : word.kinds)]);
          for (const term of [...speakers, ...said]) masks.set(term, ((masks.get(term) ?? 0) | (1 << place)) >>> 0);
        }
        const { terms, masks: found } = analyse(blocks);
        expect([...terms].map((term, at) => [term, found[at]!])).toEqual([...masks].sort(([a], [b]) => a - b));
      }),
      { numRuns: runs(200) },
    );
  });
});
