/** The machine's own clock and randomness. UUIDv7 by RFC 9562 §5.7: 48 bits of milliseconds, then random bits. */
import { randomBytes } from 'node:crypto';
import type { Ambient } from '../../ports/ambient.ts';

export const systemAmbient: Ambient = {
  now: () => Date.now(),
  uuid: uuid7,
  hex: (bytes) => randomDigits(bytes * 2),
  chance: () => Math.random(),
};

const POOL_BYTES = 4_096;
const DIGITS_PER_ID = 16;
/** Hex digits of random bytes, made for many ids at once; each is given out once. */
let pool = '';
let used = 0;
let lastMs = 0;
let time = '';
let counter = 0;

/** Ids of one process ascend: a 12-bit counter takes the place of the first random bits within a millisecond. */
function uuid7(): string {
  const now = Date.now();
  if (now > lastMs) begin(now);
  else if (++counter > 0xfff) begin(lastMs + 1);
  const random = randomDigits(DIGITS_PER_ID);
  const variant = VARIANTS[Number.parseInt(random[0]!, 16) & 3];
  const middle = (0x7000 + counter).toString(16);
  return `${time}-${middle}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

function randomDigits(count: number): string {
  if (count > POOL_BYTES) return randomBytes(count / 2).toString('hex');
  if (used + count > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += count;
  return pool.slice(used - count, used);
}

/** The digit that holds the two bits of the variant and two random ones. */
const VARIANTS = ['8', '9', 'a', 'b'];

function begin(ms: number): void {
  lastMs = ms;
  counter = 0;
  const digits = ms.toString(16).padStart(12, '0');
  time = `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
