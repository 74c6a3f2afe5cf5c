/** Growing arrays on shared memory, so that a worker reads a frozen memtable in place. Growth doubles and copies. */

/** Bytes that are only ever appended. */
export class SharedBytes {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(new SharedArrayBuffer(capacity));
  }

  /** Empty again, with the memory it has. */
  clear(): void {
    this.length = 0;
  }

  /** Copies `part` to the end and returns where it begins. */
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

/** Rows of `width` unsigned 32-bit numbers; row `n` is `numbers[n * width]` and on. */
export class SharedRows {
  numbers: Uint32Array;
  count = 0;
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
    this.numbers = new Uint32Array(new SharedArrayBuffer(256 * width * 4));
  }

  /** Empty again, with the memory it has; rows are written whole, so old numbers do not matter. */
  clear(): void {
    this.count = 0;
  }

  /** Makes room for one more row and returns where its numbers begin. */
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
