/** The machine's own clock and randomness. UUIDv7 by RFC 9562 §5.7: 48 bits of milliseconds, then random bits. */
import { randomBytes } from 'node:crypto';
import type { Ambient } from '../../ports/ambient.ts';

export const systemAmbient: Ambient = {
  now: () => Date.now(),
  uuid: uuid7,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  chance: () => Math.random(),
};

const POOL_BYTES = 4_096;
let pool = randomBytes(POOL_BYTES);
let used = 0;
let lastMs = 0;
let counter = 0;

/** Ids of one process ascend: a 12-bit counter takes the place of the first random bits within a millisecond. */
function uuid7(): string {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  if (used + 8 > POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  const random = pool.subarray(used, used + 8);
  used += 8;
  random[0] = (random[0]! & 0x3f) | 0x80;
  const time = lastMs.toString(16).padStart(12, '0');
  const tail = random.toString('hex');
  const middle = counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
