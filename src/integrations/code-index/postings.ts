/**
 * Collects which chunks hold which words, and sorts that by word at the end.
 *
 * - What is collected lies in few large blocks of numbers: six bytes for a word of a chunk.
 */
import { pushVarint, TERM_BYTES } from './format.ts';
import { wordHash } from './terms.ts';

export interface PostingsBuilder {
  readonly terms: number;
  /** The words of the next chunk; answers how many there are in all. */
  add(words: ReadonlyMap<string, number>): number;
  /** The term table and the postings, as docs/formats/index.md has them. */
  build(): { readonly table: Buffer; readonly postings: Buffer };
}

const OFTEN_MAX = 0xffff;

export function createPostings(): PostingsBuilder {
  const ids = new Map<string, number>();
  let termOf = new Uint32Array(1 << 16);
  let oftenOf = new Uint16Array(1 << 16);
  let count = 0;
  const ends: number[] = [];

  function push(term: number, often: number): void {
    if (count === termOf.length) {
      termOf = grown(termOf, new Uint32Array(count * 2));
      oftenOf = grown(oftenOf, new Uint16Array(count * 2));
    }
    termOf[count] = term;
    oftenOf[count] = Math.min(often, OFTEN_MAX);
    count += 1;
  }

  /** For every term the places of its entries, one after the other; entries come in the order of their chunks. */
  function placesByTerm(): { readonly starts: Uint32Array; readonly places: Uint32Array } {
    const starts = new Uint32Array(ids.size + 1);
    for (let at = 0; at < count; at += 1) starts[termOf[at]! + 1]! += 1;
    for (let term = 0; term < ids.size; term += 1) starts[term + 1]! += starts[term]!;
    const next = starts.slice();
    const places = new Uint32Array(count);
    for (let at = 0; at < count; at += 1) places[next[termOf[at]!]!++] = at;
    return { starts, places };
  }

  function chunkOfPlaces(): Uint32Array {
    const chunkOf = new Uint32Array(count);
    let start = 0;
    for (const [chunk, end] of ends.entries()) {
      chunkOf.fill(chunk, start, end);
      start = end;
    }
    return chunkOf;
  }

  return {
    get terms() {
      return ids.size;
    },
    add(words) {
      let total = 0;
      for (const [word, often] of words) {
        const id = ids.get(word) ?? ids.size;
        if (id === ids.size) ids.set(word, id);
        push(id, often);
        total += often;
      }
      ends.push(count);
      return total;
    },
    build() {
      const { starts, places } = placesByTerm();
      const chunkOf = chunkOfPlaces();
      const sorted = [...ids].map(([word, id]) => ({ id, hash: wordHash(word) }));
      sorted.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0));
      const table = Buffer.alloc(sorted.length * TERM_BYTES);
      const postings: Buffer[] = [];
      let offset = 0;
      for (const [index, { id, hash }] of sorted.entries()) {
        const bytes: number[] = [];
        let last = 0;
        for (let at = starts[id]!; at < starts[id + 1]!; at += 1) {
          const place = places[at]!;
          pushVarint(bytes, chunkOf[place]! - last);
          pushVarint(bytes, oftenOf[place]!);
          last = chunkOf[place]!;
        }
        const row = index * TERM_BYTES;
        table.writeBigUInt64LE(hash, row);
        table.writeUInt32LE(offset, row + 8);
        table.writeUInt32LE(bytes.length, row + 12);
        table.writeUInt32LE(starts[id + 1]! - starts[id]!, row + 16);
        postings.push(Buffer.from(bytes));
        offset += bytes.length;
      }
      return { table, postings: Buffer.concat(postings) };
    },
  };
}

function grown<Numbers extends Uint32Array | Uint16Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
