/** Unsigned little-endian integers in byte arrays, for the file formats. 64-bit values are below 2^53. */

const HIGH = 2 ** 32;

/** The 16-bit number at `at`. */
export function readU16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

/** Writes a 16-bit number at `at`. */
export function writeU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

/** The 32-bit number at `at`. */
export function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** Writes a 32-bit number at `at`. */
export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** The 64-bit number at `at`. */
export function readU64(bytes: Uint8Array, at: number): number {
  return readU32(bytes, at) + readU32(bytes, at + 4) * HIGH;
}

/** Writes a 64-bit number at `at`. */
export function writeU64(bytes: Uint8Array, at: number, value: number): void {
  writeU32(bytes, at, value % HIGH);
  writeU32(bytes, at + 4, Math.floor(value / HIGH));
}
