/** The bytes of one file of the `FaultDisk`, and its unsynced changes. */

export type Pending =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate' | 'grow'; readonly size: number };

/** A file's bytes, growing by doubling; bytes past a hole are zero. */
export class Bytes {
  size: number;
  #bytes: Uint8Array;

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#bytes = bytes.slice();
    this.size = bytes.length;
  }

  write(offset: number, bytes: Uint8Array): void {
    this.resize(Math.max(this.size, offset + bytes.length));
    this.#bytes.set(bytes, offset);
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(size, this.#bytes.length * 2, 4096));
      grown.set(this.#bytes.subarray(0, this.size));
      this.#bytes = grown;
    }
    if (size < this.size) this.#bytes.fill(0, size, this.size);
    this.size = size;
  }

  flip(offset: number, bit: number): void {
    this.#bytes[offset] = this.#bytes[offset]! ^ (1 << bit);
  }

  slice(start: number, end: number): Uint8Array {
    return this.#bytes.slice(start, Math.max(start, end));
  }

  copy(): Uint8Array {
    return this.#bytes.slice(0, this.size);
  }
}

export function applyData(bytes: Bytes, change: Pending): void {
  if (change.kind === 'write') bytes.write(change.offset, change.bytes);
  else bytes.resize(change.kind === 'grow' ? Math.max(bytes.size, change.size) : change.size);
}

/** The change with only its effect on the file's size: its bytes are zero. */
export function sizeOnly(change: Pending): Pending {
  if (change.kind !== 'write') return change;
  return { kind: 'grow', size: change.offset + change.bytes.length };
}
