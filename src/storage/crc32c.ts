/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78): the checksum of every page, block and record.
 *
 * - `crc32c('123456789')` is 0xE3069283; the checksum of two parts is `crc32c(second, crc32c(first))`.
 * - Slicing-by-16 (Kounavis and Berry, "A systematic approach to building high performance software-based CRC
 *   generators"): each step reads sixteen bytes and uses sixteen tables of 256 words, 16 KiB that fit the first-level
 *   cache. Short ranges, and the end of long ones, use slicing-by-8 without a `DataView`.
 */

const POLYNOMIAL = 0x82f63b78;
const TABLES = 16;
/** Shorter ranges do not repay the cost of creating a `DataView`. */
const LONG_BYTES = 512;

/** Table `t` at `t * 256`: the checksum of a byte followed by `t` zero bytes. */
const tables = makeTables();

/** The checksum of `bytes[start, end)` as an unsigned 32-bit number, continuing from `seed`. */
export function crc32c(bytes: Uint8Array, seed = 0, start = 0, end: number = bytes.length): number {
  const table = tables;
  let crc = ~seed;
  let at = start;
  if (end - start >= LONG_BYTES) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, end);
    for (const last = end - 15; at < last; at += 16) {
      const first = crc ^ view.getInt32(at, true);
      const second = view.getInt32(at + 4, true);
      const third = view.getInt32(at + 8, true);
      const fourth = view.getInt32(at + 12, true);
      crc =
        table[3840 + (first & 255)]! ^
        table[3584 + ((first >>> 8) & 255)]! ^
        table[3328 + ((first >>> 16) & 255)]! ^
        table[3072 + (first >>> 24)]! ^
        table[2816 + (second & 255)]! ^
        table[2560 + ((second >>> 8) & 255)]! ^
        table[2304 + ((second >>> 16) & 255)]! ^
        table[2048 + (second >>> 24)]! ^
        table[1792 + (third & 255)]! ^
        table[1536 + ((third >>> 8) & 255)]! ^
        table[1280 + ((third >>> 16) & 255)]! ^
        table[1024 + (third >>> 24)]! ^
        table[768 + (fourth & 255)]! ^
        table[512 + ((fourth >>> 8) & 255)]! ^
        table[256 + ((fourth >>> 16) & 255)]! ^
        table[fourth >>> 24]!;
    }
  }
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
  const table = new Int32Array(TABLES * 256);
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
