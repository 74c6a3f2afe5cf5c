/** The part of an index to which documents are added, until it is sealed. */
import type { Analysed } from './analyse.ts';
import type { PostingRange } from './postings.ts';
import { CODE_WORDS, HEAD_WORDS } from './quantise.ts';
import type { Entry, IndexPart } from './segments.ts';
import { UNSEALED_MAX } from './tables.ts';

export interface MutableSegment extends IndexPart {
  add(entry: Entry): void;
}

/** An empty segment for at most `UNSEALED_MAX` documents. */
export function createMutableSegment(): MutableSegment {
  const postings = createPostings();
  const slots = { ids: [] as number[], lengths: [] as number[], sources: [] as number[], wings: [] as number[] };
  const more = { times: [] as number[], blockStarts: [0], blocks: [] as number[], selves: [] as number[] };
  const codes = new Uint32Array(UNSEALED_MAX * CODE_WORDS);
  const heads = new Uint32Array(UNSEALED_MAX * HEAD_WORDS);
  return {
    ...slots,
    ...more,
    codes,
    heads,
    get size() {
      return slots.ids.length;
    },
    find: postings.find,
    add({ id, source, wing, at, analysed, code }) {
      const slot = slots.ids.push(id) - 1;
      slots.lengths.push(analysed.length);
      slots.sources.push(source);
      slots.wings.push(wing);
      more.times.push(at);
      for (const size of analysed.blocks) more.blocks.push(size);
      more.blockStarts.push(more.blocks.length);
      more.selves.push(code.self);
      codes.set(code.words, slot * CODE_WORDS);
      heads.set(code.words.subarray(0, HEAD_WORDS), slot * HEAD_WORDS);
      postings.add(slot, analysed);
    },
  };
}

interface GrowingPostings {
  add(slot: number, analysed: Analysed): void;
  find(term: number): PostingRange | undefined;
}

const POSTINGS_AT_FIRST = 1_024;

/**
 * Postings of documents that come in the order of their slots, as one list per term, from the newest to the oldest.
 * The lists share three arrays: most terms are in one or two documents, and separate arrays would take ten times as
 * much.
 */
function createPostings(): GrowingPostings {
  /** One more than the index of the newest posting of each term. */
  const newest = new Map<number, number>();
  let older = new Uint32Array(POSTINGS_AT_FIRST);
  let slots = new Uint16Array(POSTINGS_AT_FIRST);
  let masks = new Uint32Array(POSTINGS_AT_FIRST);
  let count = 0;

  function makeRoom(): void {
    if (count < slots.length) return;
    const length = 2 * slots.length;
    const room = { older: new Uint32Array(length), slots: new Uint16Array(length), masks: new Uint32Array(length) };
    room.older.set(older);
    room.slots.set(slots);
    room.masks.set(masks);
    ({ older, slots, masks } = room);
  }

  return {
    add(slot, analysed) {
      for (let at = 0; at < analysed.terms.length; at += 1) {
        makeRoom();
        const term = analysed.terms[at]!;
        older[count] = newest.get(term) ?? 0;
        slots[count] = slot;
        masks[count] = analysed.masks[at]!;
        count += 1;
        newest.set(term, count);
      }
    },
    find(term) {
      const last = newest.get(term);
      if (last === undefined) return undefined;
      const postings = { docs: [] as number[], masks: [] as number[] };
      for (let next = last; next !== 0; next = older[next - 1]!) {
        postings.docs.push(slots[next - 1]!);
        postings.masks.push(masks[next - 1]!);
      }
      return { docs: postings.docs.reverse(), masks: postings.masks.reverse(), from: 0, to: postings.docs.length };
    },
  };
}
