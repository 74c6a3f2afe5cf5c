/** UUIDs of version 7. */
import { randomBytes } from 'node:crypto';

/** Random hex digits of one id: 4, of which 3 may stand behind the time, and 16 that begin with the variant. */
const RANDOM_DIGITS = 20;
const IDS_PER_DRAW = 256;

let random = '';
let used = 0;
let newest = { at: -1, text: '' };

/**
 * UUID of version 7 (RFC 9562 §5.7) for a time in Unix milliseconds. `sequence` (0 to 4095) takes the place of the 12
 * bits behind the time, so that ids of one millisecond ascend (RFC 9562 §6.2, method 1); without it they are random.
 *
 * Node's `randomUUIDv7` takes no time and no sequence, and the `uuid` package draws random bytes for each id, which
 * costs more than the rest of a small commit. Here one draw serves many ids.
 */
export function uuidV7(at: number, sequence?: number): string {
  const from = nextRandom();
  const middle = sequence === undefined ? random.slice(from + 1, from + 4) : sequence.toString(16).padStart(3, '0');
  return `${timeText(at)}-7${middle}-${random.slice(from + 4, from + 8)}-${random.slice(from + 8, from + 20)}`;
}

/** The offset of random digits that no id has used. */
function nextRandom(): number {
  if (used === random.length) {
    random = randomDigits();
    used = 0;
  }
  used += RANDOM_DIGITS;
  return used - RANDOM_DIGITS;
}

/** The digits of one draw. The third byte of each id begins with the bits of the variant, 10. */
function randomDigits(): string {
  const bytes = randomBytes((RANDOM_DIGITS / 2) * IDS_PER_DRAW);
  for (let at = 2; at < bytes.length; at += RANDOM_DIGITS / 2) bytes[at] = 0x80 | (bytes[at]! & 0x3f);
  return bytes.toString('hex');
}

/** The 48 bits of the time. Most ids are made in the millisecond of the one before. */
function timeText(at: number): string {
  if (at !== newest.at) {
    const digits = at.toString(16).padStart(12, '0');
    newest = { at, text: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  }
  return newest.text;
}
