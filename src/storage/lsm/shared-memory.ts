/** Growing arrays in shared memory, which a worker reads in place. Growth doubles the capacity and copies. */

/** An append-only array of bytes. */
export class SharedBytes {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(new SharedArrayBuffer(capacity));
  }

  /** Empties the array and keeps its memory. */
  clear(): void {
    this.length = 0;
  }

  /** Appends a copy of `part` and returns its offset. */
  append(part: Uint8Array): number {
    const start = this.length;
    const needed = start + part.length;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(new SharedArrayBuffer(Math.max(needed, this.bytes.length * 2)));
      grown.set(this.bytes.subarray(0, start));
      this.bytes = grown;
    }
    this.bytes.set(part, start);
    this.length = needed;
    return start;
  }
}

/** Rows of `width` unsigned 32-bit numbers; row `n` begins at `numbers[n * width]`. */
export class SharedRows {
  numbers: Uint32Array;
  count = 0;
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
    this.numbers = new Uint32Array(new SharedArrayBuffer(256 * width * 4));
  }

  /** Removes all rows and keeps the memory. Old numbers remain: callers write every column of a new row. */
  clear(): void {
    this.count = 0;
  }

  /** Adds a row and returns the index of its first number. */
  add(): number {
    const start = this.count * this.#width;
    if (start === this.numbers.length) {
      const grown = new Uint32Array(new SharedArrayBuffer(this.numbers.byteLength * 2));
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.count += 1;
    return start;
  }
}
