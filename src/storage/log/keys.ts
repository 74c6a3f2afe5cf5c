/** The keys of the log's records (docs/formats/event-log.md). Positions and versions take 8 bytes, big-endian. */
import type { Bytes } from '../engine.ts';

/** The first byte of a key: the kind of its record. */
export const TAGS = { head: 0x68, event: 0x65, streamIndex: 0x73, id: 0x69, tile: 0x74, node: 0x6e } as const;

export const HEAD_KEY: Bytes = Buffer.of(TAGS.head);

const NUMBER_HIGH = 2 ** 32;

/** The key of an event record. */
export function eventKey(position: number): Bytes {
  return numbered(TAGS.event, position);
}

/** The key of a full tile of leaf hashes. */
export function tileKey(tile: number): Bytes {
  return numbered(TAGS.tile, tile);
}

/** The key of the inner node at level 8 × `tileLevel` of the tree. */
export function nodeKey(tileLevel: number, index: number): Bytes {
  const key = Buffer.allocUnsafe(10);
  key[0] = TAGS.node;
  key[1] = tileLevel;
  writeNumber(key, 2, index);
  return key;
}

/** `id` is a valid UUID in lower case. */
export function idKey(id: string): Bytes {
  const key = Buffer.allocUnsafe(17);
  key[0] = TAGS.id;
  let at = 1;
  for (let index = 0; index < id.length; index += 2) {
    if (id.charCodeAt(index) === DASH) index += 1;
    key[at] = (digit(id.charCodeAt(index)) << 4) | digit(id.charCodeAt(index + 1));
    at += 1;
  }
  return key;
}

/** The key of the index entry of a stream that begins with `firstVersion`. */
export function streamIndexKey(stream: string, firstVersion: number): Bytes {
  const nameBytes = Buffer.byteLength(stream);
  const key = Buffer.allocUnsafe(nameBytes + 10);
  key[0] = TAGS.streamIndex;
  key.write(stream, 1);
  key[nameBytes + 1] = 0;
  writeNumber(key, nameBytes + 2, firstVersion);
  return key;
}

/** The bounds of the index entries of all streams whose names begin with `<category>-`: `gte` and `lt`. */
export function categoryIndexKeys(category: string): { readonly gte: Bytes; readonly lt: Bytes } {
  const gte = Buffer.concat([Buffer.of(TAGS.streamIndex), Buffer.from(category), Buffer.of(DASH)]);
  const lt = Buffer.from(gte);
  lt[lt.length - 1] = DASH + 1;
  return { gte, lt };
}

/** The stream and first version in the key of a stream index entry. */
export function readStreamIndexKey(key: Bytes): { readonly stream: string; readonly version: number } {
  const nameEnd = key.length - 9;
  return {
    stream: Buffer.from(key.buffer, key.byteOffset + 1, nameEnd - 1).toString(),
    version: readNumber(key, nameEnd + 1),
  };
}

/** Writes an unsigned 64-bit number below 2^53, big-endian. */
export function writeNumber(bytes: Uint8Array, offset: number, value: number): void {
  const high = Math.floor(value / NUMBER_HIGH);
  bytes[offset] = high >>> 24;
  bytes[offset + 1] = high >>> 16;
  bytes[offset + 2] = high >>> 8;
  bytes[offset + 3] = high;
  bytes[offset + 4] = value >>> 24;
  bytes[offset + 5] = value >>> 16;
  bytes[offset + 6] = value >>> 8;
  bytes[offset + 7] = value;
}

/** Reads what `writeNumber` has written. */
export function readNumber(bytes: Uint8Array, offset: number): number {
  const high = (bytes[offset]! << 24) | (bytes[offset + 1]! << 16) | (bytes[offset + 2]! << 8) | bytes[offset + 3]!;
  const low = (bytes[offset + 4]! << 24) | (bytes[offset + 5]! << 16) | (bytes[offset + 6]! << 8) | bytes[offset + 7]!;
  return (high >>> 0) * NUMBER_HIGH + (low >>> 0);
}

/** The position in an event key, the tile number in a tile key. */
export function numberOf(key: Bytes): number {
  return readNumber(key, 1);
}

function numbered(tag: number, value: number): Bytes {
  const key = Buffer.allocUnsafe(9);
  key[0] = tag;
  writeNumber(key, 1, value);
  return key;
}

const DASH = 0x2d;

/** The value of a lower-case hex digit. */
function digit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}
