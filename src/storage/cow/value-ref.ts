/** What stands for the page of a large value: its place is filled in once, when a checkpoint writes it. */
import { PAGE_HEADER_BYTES, type Reference } from './format.ts';

/** A value with a page of its own; its bytes are kept until they are written. */
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

  /** Bytes of the value. */
  get size(): number {
    return this.length - PAGE_HEADER_BYTES;
  }
}
