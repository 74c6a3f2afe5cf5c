/** Arrays of numbers as blobs of SQLite. */

export function bytes(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The blob's own buffer when its offset is aligned for typed arrays, else a copy. */
function aligned(blob: Uint8Array): { buffer: ArrayBuffer; from: number } {
  if (blob.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0) {
    return { buffer: blob.buffer as ArrayBuffer, from: blob.byteOffset };
  }
  return { buffer: new Uint8Array(blob).buffer, from: 0 };
}

export function words32(blob: Uint8Array): Uint32Array<ArrayBuffer> {
  const { buffer, from } = aligned(blob);
  return new Uint32Array(buffer, from, blob.byteLength / Uint32Array.BYTES_PER_ELEMENT);
}

export function words16(blob: Uint8Array): Uint16Array<ArrayBuffer> {
  const { buffer, from } = aligned(blob);
  return new Uint16Array(buffer, from, blob.byteLength / Uint16Array.BYTES_PER_ELEMENT);
}

export type Unsigned = Uint16Array | Uint32Array;

const SHORT_MAX = 0xffff;

/** The numbers as 16-bit numbers when they fit. */
export function narrowed(numbers: Unsigned): Unsigned {
  for (let at = 0; at < numbers.length; at += 1) if (numbers[at]! > SHORT_MAX) return numbers;
  return new Uint16Array(numbers);
}

/** Reads `count` numbers that were written by `narrowed`. */
export function unsigned(blob: Uint8Array, count: number): Unsigned {
  return blob.byteLength === count * Uint16Array.BYTES_PER_ELEMENT ? words16(blob) : words32(blob);
}

export function floats(blob: Uint8Array): Float32Array<ArrayBuffer> {
  const { buffer, from } = aligned(blob);
  return new Float32Array(buffer, from, blob.byteLength / Float32Array.BYTES_PER_ELEMENT);
}

export function doubles(blob: Uint8Array): Float64Array<ArrayBuffer> {
  const { buffer, from } = aligned(blob);
  return new Float64Array(buffer, from, blob.byteLength / Float64Array.BYTES_PER_ELEMENT);
}
