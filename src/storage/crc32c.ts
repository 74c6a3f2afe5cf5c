/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78): the checksum of every page, block and record.
 *
 * - `crc32c('123456789')` is 0xE3069283; the checksum of two parts is `crc32c(second, crc32c(first))`.
 * - Eight bytes a step through eight tables of 256 words: 8 KiB that stay in the first-level cache.
 */

const POLYNOMIAL = 0x82f63b78;

/** Table `t` at `t * 256`: the checksum of a byte followed by `t` zero bytes. */
const tables = makeTables();

/** The checksum of `bytes[start, end)` as an unsigned 32-bit number, continuing from `seed`. */
export function crc32c(bytes: Uint8Array, seed = 0, start = 0, end: number = bytes.length): number {
  const table = tables;
  let crc = ~seed;
  let at = start;
  for (const last = end - 7; at < last; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      table[1792 + (crc & 255)]! ^
      table[1536 + ((crc >>> 8) & 255)]! ^
      table[1280 + ((crc >>> 16) & 255)]! ^
      table[1024 + (crc >>> 24)]! ^
      table[768 + bytes[at + 4]!]! ^
      table[512 + bytes[at + 5]!]! ^
      table[256 + bytes[at + 6]!]! ^
      table[bytes[at + 7]!]!;
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}

function makeTables(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at += 1) {
    const before = table[at - 256]!;
    table[at] = (before >>> 8) ^ table[before & 255]!;
  }
  return table;
}
