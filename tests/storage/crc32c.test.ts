/** CRC-32C compared with published values and with a bitwise implementation of the definition. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../src/storage/crc32c.ts';

/** By the definition: one bit at a time through the reflected polynomial. */
function bitByBit(bytes: Uint8Array, seed: number): number {
  let crc = ~seed;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** RFC 3720, appendix B.4, and the check value of the catalogues. */
test.each([
  ['nothing', [], 0],
  ['123456789', [...Buffer.from('123456789')], 0xe3069283],
  ['32 bytes of zeros', Array(32).fill(0), 0x8a9136aa],
  ['32 bytes of ones', Array(32).fill(0xff), 0x62a8ab43],
  ['32 bytes that ascend', Array.from({ length: 32 }, (_, at) => at), 0x46dd794e],
  ['32 bytes that descend', Array.from({ length: 32 }, (_, at) => 31 - at), 0x113fdb5c],
])('%s', (_, bytes, checksum) => {
  expect(crc32c(Uint8Array.from(bytes))).toBe(checksum);
});

test('equals the definition for any range, any offset in memory and any seed', () => {
  const bytes = Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 2_654_435_761) >>> 13));
  const place = { skip: fc.nat(17), start: fc.nat(1_500), length: fc.nat(2_500), seed: fc.nat(0xffffffff) };
  fc.assert(
    fc.property(fc.record(place), ({ skip, start, length, seed }) => {
      const view = bytes.subarray(skip);
      expect(crc32c(view, seed, start, start + length)).toBe(bitByBit(view.subarray(start, start + length), seed));
    }),
  );
});

test('continues over a text in two parts', () => {
  const bytes = Buffer.from('a record and what follows it '.repeat(60));
  for (const cut of [0, 1, 511, 512, 700, bytes.length]) {
    expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(crc32c(bytes));
  }
});
