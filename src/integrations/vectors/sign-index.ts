/**
 * An approximate index in memory: the signs of every vector of a kind, which select the vectors to read.
 *
 * - An entry has 64 bytes: a head and a tail of 32 bytes each. A search scans all heads and refines with the tails.
 * - Slots are dense: the last entry moves into the slot of a removed one.
 */
import { hammingDistance, signWords } from '../../lib/sign-codes.ts';
import { SIGN_WORDS } from './codes.ts';

export interface IndexedEntry {
  readonly key: string;
  /** Row number in the file. */
  readonly id: number;
  /** See `MarkedRef`. */
  readonly mark: number;
}

export interface SignIndex {
  size(): number;
  get(key: string): IndexedEntry | undefined;
  at(slot: number): IndexedEntry;
  set(entry: IndexedEntry, signs: Uint32Array): void;
  delete(key: string): void;
  /** Up to `count` entries whose signs agree best with a rotated question, best first. */
  likeliest(question: Float32Array, count: number): readonly IndexedEntry[];
}

const HEAD_WORDS = 8;
const TAIL_WORDS = SIGN_WORDS - HEAD_WORDS;
const HEAD_BITS = HEAD_WORDS * 32;
const SLOTS_FIRST = 1_024;
/** Entries that are refined with all signs, per requested result. */
const REFINED_PER_WANTED = 16;

export function createSignIndex(): SignIndex {
  const slots = new Map<string, number>();
  const entries: IndexedEntry[] = [];
  let heads = new Uint32Array(SLOTS_FIRST * HEAD_WORDS);
  let tails = new Uint32Array(SLOTS_FIRST * TAIL_WORDS);

  function grow(): void {
    const [moreHeads, moreTails] = [new Uint32Array(heads.length * 2), new Uint32Array(tails.length * 2)];
    moreHeads.set(heads);
    moreTails.set(tails);
    heads = moreHeads;
    tails = moreTails;
  }

  return {
    size: () => entries.length,
    get: (key) => entries[slots.get(key) ?? -1],
    at: (slot) => entries[slot]!,
    set(entry, signs) {
      const slot = slots.get(entry.key) ?? entries.length;
      if (slot * HEAD_WORDS === heads.length) grow();
      entries[slot] = entry;
      slots.set(entry.key, slot);
      heads.set(signs.subarray(0, HEAD_WORDS), slot * HEAD_WORDS);
      tails.set(signs.subarray(HEAD_WORDS), slot * TAIL_WORDS);
    },
    delete(key) {
      const slot = slots.get(key);
      if (slot === undefined) return;
      slots.delete(key);
      const last = entries.pop()!;
      if (last.key === key) return;
      const from = entries.length;
      entries[slot] = last;
      slots.set(last.key, slot);
      heads.copyWithin(slot * HEAD_WORDS, from * HEAD_WORDS, (from + 1) * HEAD_WORDS);
      tails.copyWithin(slot * TAIL_WORDS, from * TAIL_WORDS, (from + 1) * TAIL_WORDS);
    },
    likeliest(question, count) {
      const distances = headDistances(signWords(question), heads, entries.length);
      const sums = byteSums(question);
      return closest(distances, { count: count * REFINED_PER_WANTED, max: HEAD_BITS })
        .map((slot) => {
          const head = product(sums, heads, { at: slot * HEAD_WORDS, from: 0, count: HEAD_WORDS });
          const tail = product(sums, tails, { at: slot * TAIL_WORDS, from: HEAD_WORDS, count: TAIL_WORDS });
          return { slot, near: head + tail };
        })
        .sort((one, other) => other.near - one.near || one.slot - other.slot)
        .slice(0, count)
        .map(({ slot }) => entries[slot]!);
    },
  };
}

function headDistances(signs: Uint32Array, heads: Uint32Array, size: number): Uint16Array {
  const distances = new Uint16Array(size);
  for (let slot = 0; slot < size; slot += 1) {
    distances[slot] = hammingDistance(signs, heads, { at: slot * HEAD_WORDS, count: HEAD_WORDS });
  }
  return distances;
}

/** The slots of the smallest distances: at least `count` if there are so many, at most twice as many. */
function closest(distances: Uint16Array, { count, max }: { readonly count: number; readonly max: number }): number[] {
  const histogram = new Uint32Array(max + 1);
  for (const distance of distances) histogram[distance] = histogram[distance]! + 1;
  let limit = 0;
  for (let sum = histogram[0]!; sum < count && limit < max; sum += histogram[limit]!) limit += 1;
  const slots: number[] = [];
  for (let slot = 0; slot < distances.length && slots.length < count * 2; slot += 1) {
    if (distances[slot]! <= limit) slots.push(slot);
  }
  return slots;
}

const BYTE_VALUES = 256;

/** Table of sums by byte of signs and by its 256 values: the question's eight dimensions added with these signs. */
function byteSums(question: Float32Array): Float32Array {
  const bytes = question.length / 8;
  const sums = new Float32Array(bytes * BYTE_VALUES);
  for (let byte = 0; byte < bytes; byte += 1) {
    const row = sums.subarray(byte * BYTE_VALUES, (byte + 1) * BYTE_VALUES);
    for (let bit = 0; bit < 8; bit += 1) row[0] = row[0]! + question[byte * 8 + bit]!;
    for (let value = 1; value < BYTE_VALUES; value += 1) {
      const highest = 31 - Math.clz32(value);
      row[value] = row[value ^ (1 << highest)]! - 2 * question[byte * 8 + highest]!;
    }
  }
  return sums;
}

/**
 * The dot product of the question with the signs in `words` from `at` on, as +1 and -1. `from` is the index of the first
 * of these words among all words of an entry.
 */
function product(sums: Float32Array, words: Uint32Array, place: { at: number; from: number; count: number }): number {
  let sum = 0;
  for (let index = 0; index < place.count; index += 1) {
    const word = words[place.at + index]!;
    for (let byte = 0; byte < 4; byte += 1) {
      sum += sums[((place.from + index) * 4 + byte) * BYTE_VALUES + ((word >>> (byte * 8)) & 255)]!;
    }
  }
  return sum;
}
