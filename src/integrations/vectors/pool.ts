/**
 * The signs of every vector of a kind, in memory: which entries are worth reading a vector of.
 *
 * - 64 bytes an entry, half of them in a block of their own that a question reads through whole.
 * - Slots are dense: the last entry takes the place of one that leaves.
 */
import { bitsOf, SIGN_WORDS, signsOf } from './codes.ts';

export interface Pooled {
  readonly key: string;
  /** Its row in the file. */
  readonly id: number;
  readonly mark: number;
}

export interface Pool {
  size(): number;
  get(key: string): Pooled | undefined;
  at(slot: number): Pooled;
  set(entry: Pooled, signs: Uint32Array): void;
  delete(key: string): void;
  /** Up to `count` entries whose signs have most in common with a question as it is after the turn. */
  likeliest(seen: Float32Array, count: number): readonly Pooled[];
}

const HEAD_WORDS = 8;
const TAIL_WORDS = SIGN_WORDS - HEAD_WORDS;
const HEAD_BITS = HEAD_WORDS * 32;
const SLOTS_FIRST = 1_024;
/** Entries that are looked at with all signs, for each one that is wanted. */
const LOOKED_AT_PER_WANTED = 16;

export function createPool(): Pool {
  const slots = new Map<string, number>();
  const entries: Pooled[] = [];
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
    likeliest(seen, count) {
      const far = headDistances(signsOf(seen), heads, entries.length);
      const worth = worthOf(seen);
      return closest(far, { count: count * LOOKED_AT_PER_WANTED, max: HEAD_BITS })
        .map((slot) => {
          const head = product(worth, heads, { at: slot * HEAD_WORDS, from: 0, count: HEAD_WORDS });
          const tail = product(worth, tails, { at: slot * TAIL_WORDS, from: HEAD_WORDS, count: TAIL_WORDS });
          return { slot, near: head + tail };
        })
        .sort((one, other) => other.near - one.near || one.slot - other.slot)
        .slice(0, count)
        .map(({ slot }) => entries[slot]!);
    },
  };
}

/** Written for speed: it reads everything. */
function headDistances(signs: Uint32Array, heads: Uint32Array, size: number): Uint16Array {
  const far = new Uint16Array(size);
  for (let slot = 0, at = 0; slot < size; slot += 1) {
    let differing = 0;
    for (let word = 0; word < HEAD_WORDS; word += 1, at += 1) differing += bitsOf(signs[word]! ^ heads[at]!);
    far[slot] = differing;
  }
  return far;
}

/** The slots of the smallest distances, at least `count` of them if there are so many, at most twice as many. */
function closest(far: Uint16Array, { count, max }: { readonly count: number; readonly max: number }): number[] {
  const histogram = new Uint32Array(max + 1);
  for (const distance of far) histogram[distance] = histogram[distance]! + 1;
  let limit = 0;
  for (let sum = histogram[0]!; sum < count && limit < max; sum += histogram[limit]!) limit += 1;
  const slots: number[] = [];
  for (let slot = 0; slot < far.length && slots.length < count * 2; slot += 1) {
    if (far[slot]! <= limit) slots.push(slot);
  }
  return slots;
}

/** What each value of each byte of signs is worth to a question: the sum of its dimensions with these signs. */
function worthOf(seen: Float32Array): Float32Array {
  const worth = new Float32Array((seen.length / 8) * 256);
  for (let byte = 0; byte < seen.length / 8; byte += 1) {
    const row = worth.subarray(byte * 256, (byte + 1) * 256);
    for (let bit = 0; bit < 8; bit += 1) row[0] = row[0]! + seen[byte * 8 + bit]!;
    for (let value = 1; value < 256; value += 1) {
      const highest = 31 - Math.clz32(value);
      row[value] = row[value ^ (1 << highest)]! - 2 * seen[byte * 8 + highest]!;
    }
  }
  return worth;
}

/** The product of a question with the signs in `words` from `at` on; `from` is the first of the words among all. */
function product(worth: Float32Array, words: Uint32Array, place: { at: number; from: number; count: number }): number {
  let sum = 0;
  for (let index = 0; index < place.count; index += 1) {
    const word = words[place.at + index]!;
    const row = (place.from + index) * 1_024;
    sum += worth[row + (word & 255)]! + worth[row + 256 + ((word >>> 8) & 255)]!;
    sum += worth[row + 512 + ((word >>> 16) & 255)]! + worth[row + 768 + (word >>> 24)]!;
  }
  return sum;
}
