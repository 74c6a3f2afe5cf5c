/** UUIDs of version 7. */
import { randomFillSync } from 'node:crypto';

/** Random bytes of one id: 2 for the bits behind the time, and 8. */
const RANDOM_BYTES = 10;
const IDS_PER_DRAW = 256;

const random = Buffer.alloc(RANDOM_BYTES * IDS_PER_DRAW);
let used = random.length;
let newest = { at: -1, text: '' };

/** The two hex digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * UUID of version 7 (RFC 9562 §5.7) for a time in Unix milliseconds. `sequence` (0 to 4095) takes the place of the 12
 * bits behind the time, so that ids of one millisecond ascend (RFC 9562 §6.2, method 1); without it they are random.
 *
 * Node's `randomUUIDv7` takes no time and no sequence, and the `uuid` package draws random bytes for each id, which
 * costs more than the rest of a small commit. Here one draw serves many ids.
 */
export function uuidV7(at: number, sequence?: number): string {
  const from = nextRandom();
  const middle = sequence ?? random.readUInt16BE(from);
  const version = hex(0x70 | ((middle >> 8) & 0x0f)) + hex(middle & 0xff);
  const variant = hex(0x80 | (random[from + 2]! & 0x3f)) + hexAt(from + 3);
  const node =
    hexAt(from + 4) + hexAt(from + 5) + hexAt(from + 6) + hexAt(from + 7) + hexAt(from + 8) + hexAt(from + 9);
  return `${timeText(at)}-${version}-${variant}-${node}`;
}

/** The offset of random bytes that no id has used. */
function nextRandom(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += RANDOM_BYTES;
  return used - RANDOM_BYTES;
}

/** The 48 bits of the time. Most ids are made in the millisecond of the one before. */
function timeText(at: number): string {
  if (at !== newest.at) {
    const digits = at.toString(16).padStart(12, '0');
    newest = { at, text: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  }
  return newest.text;
}

function hex(byte: number): string {
  return HEX[byte]!;
}

function hexAt(offset: number): string {
  return HEX[random[offset]!]!;
}
