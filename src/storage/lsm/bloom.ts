/**
 * A blocked bloom filter: rules out most absent keys of a table with one cache miss.
 *
 * - All bits of a key are in one line of 64 bytes, chosen by its hash. There are no false negatives.
 * - The bits are part of the table format (docs/formats/lsm.md).
 */

const LINE_BYTES = 64;
const BITS_PER_KEY = 10;
const PROBES = 6;

/** The filter of the keys with these hashes. */
export function buildBloom(hashes: readonly number[]): Uint8Array {
  const lines = Math.max(1, Math.ceil((hashes.length * BITS_PER_KEY) / (LINE_BYTES * 8)));
  const bloom = new Uint8Array(lines * LINE_BYTES);
  for (const hash of hashes) {
    const base = Math.floor((hash * lines) / 2 ** 32) * LINE_BYTES;
    let probe = Math.imul(hash, 0x9e3779b1);
    for (let round = 0; round < PROBES; round += 1) {
      const bit = (probe >>> 9) & 511;
      bloom[base + (bit >>> 3)]! |= 1 << (bit & 7);
      probe = (Math.imul(probe, 0x85ebca6b) + 1) | 0;
    }
  }
  return bloom;
}

/** False when no added key has this hash. */
export function mayHold(bloom: Uint8Array, hash: number): boolean {
  const base = Math.floor((hash * (bloom.length / LINE_BYTES)) / 2 ** 32) * LINE_BYTES;
  let probe = Math.imul(hash, 0x9e3779b1);
  for (let round = 0; round < PROBES; round += 1) {
    const bit = (probe >>> 9) & 511;
    if ((bloom[base + (bit >>> 3)]! & (1 << (bit & 7))) === 0) return false;
    probe = (Math.imul(probe, 0x85ebca6b) + 1) | 0;
  }
  return true;
}
