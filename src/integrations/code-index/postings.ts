/** Builds the postings: collects the words of each chunk, six bytes per entry, then sorts the entries by word. */
import { pushVarint, TERM_BYTES } from './format.ts';
import { wordHash } from './terms.ts';

const COUNT_MAX = 0xffff;

/** Ranges of `places`: the entries of term `n` are `starts[n]` up to, not including, `starts[n + 1]`. */
interface PlacesByTerm {
  readonly starts: Uint32Array;
  /** Indexes of entries, in the order of their chunks. */
  readonly places: Uint32Array;
}

export class PostingsBuilder {
  readonly #ids = new Map<string, number>();
  /** Entries as columns: the term, and its count in the chunk. */
  #terms = new Uint32Array(1 << 16);
  #counts = new Uint16Array(1 << 16);
  #size = 0;
  /** The number of entries after each chunk. */
  readonly #ends: number[] = [];

  /** Distinct words. */
  get terms(): number {
    return this.#ids.size;
  }

  /** Adds the words of the next chunk, each with its count. Returns the sum of the counts. */
  add(words: ReadonlyMap<string, number>): number {
    let total = 0;
    for (const [word, count] of words) {
      const id = this.#ids.get(word) ?? this.#ids.size;
      if (id === this.#ids.size) this.#ids.set(word, id);
      this.#push(id, count);
      total += count;
    }
    this.#ends.push(this.#size);
    return total;
  }

  /** The term table and the postings, as docs/formats/code-index.md defines them. */
  build(): { readonly table: Buffer; readonly postings: Buffer } {
    const { starts, places } = this.#placesByTerm();
    const chunks = this.#chunksOfEntries();
    const sorted = [...this.#ids].map(([word, id]) => ({ id, hash: wordHash(word) }));
    sorted.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0));
    const table = Buffer.alloc(sorted.length * TERM_BYTES);
    const postings: Buffer[] = [];
    let offset = 0;
    for (const [index, { id, hash }] of sorted.entries()) {
      const entries = places.subarray(starts[id], starts[id + 1]);
      const bytes = this.#encode(entries, chunks);
      const row = index * TERM_BYTES;
      table.writeBigUInt64LE(hash, row);
      table.writeUInt32LE(offset, row + 8);
      table.writeUInt32LE(bytes.length, row + 12);
      table.writeUInt32LE(entries.length, row + 16);
      postings.push(bytes);
      offset += bytes.length;
    }
    return { table, postings: Buffer.concat(postings) };
  }

  #push(term: number, count: number): void {
    if (this.#size === this.#terms.length) {
      this.#terms = grown(this.#terms, new Uint32Array(this.#size * 2));
      this.#counts = grown(this.#counts, new Uint16Array(this.#size * 2));
    }
    this.#terms[this.#size] = term;
    this.#counts[this.#size] = Math.min(count, COUNT_MAX);
    this.#size += 1;
  }

  /** A counting sort. */
  #placesByTerm(): PlacesByTerm {
    const starts = new Uint32Array(this.terms + 1);
    for (let at = 0; at < this.#size; at += 1) starts[this.#terms[at]! + 1]! += 1;
    for (let term = 0; term < this.terms; term += 1) starts[term + 1]! += starts[term]!;
    const next = starts.slice();
    const places = new Uint32Array(this.#size);
    for (let at = 0; at < this.#size; at += 1) places[next[this.#terms[at]!]!++] = at;
    return { starts, places };
  }

  #chunksOfEntries(): Uint32Array {
    const chunks = new Uint32Array(this.#size);
    let start = 0;
    for (const [chunk, end] of this.#ends.entries()) {
      chunks.fill(chunk, start, end);
      start = end;
    }
    return chunks;
  }

  /** Varints: the distance to the previous chunk, then the count. */
  #encode(entries: Uint32Array, chunks: Uint32Array): Buffer {
    const bytes: number[] = [];
    let last = 0;
    for (const entry of entries) {
      pushVarint(bytes, chunks[entry]! - last);
      pushVarint(bytes, this.#counts[entry]!);
      last = chunks[entry]!;
    }
    return Buffer.from(bytes);
  }
}

function grown<Numbers extends Uint32Array | Uint16Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
