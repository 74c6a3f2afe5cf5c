/** References to large values, which have their own pages. */
import { PAGE_HEADER_BYTES, type Reference } from './format.ts';

/** A large value: its bytes until a checkpoint writes them, then the place of its page. */
export class ValueRef implements Reference {
  unit = 0;
  length: number;
  crc = 0;
  bytes: Uint8Array | null;

  constructor(bytes: Uint8Array | null, length: number) {
    this.bytes = bytes;
    this.length = length;
  }

  static of(bytes: Uint8Array): ValueRef {
    return new ValueRef(bytes, PAGE_HEADER_BYTES + bytes.length);
  }

  static onDisk(reference: Reference): ValueRef {
    const ref = new ValueRef(null, reference.length);
    ref.unit = reference.unit;
    ref.crc = reference.crc;
    return ref;
  }

  /** Size of the value in bytes. */
  get size(): number {
    return this.length - PAGE_HEADER_BYTES;
  }
}
