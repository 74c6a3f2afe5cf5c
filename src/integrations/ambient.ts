/** The system clock and cryptographic randomness. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Ambient } from '../ports/ambient.ts';

export const systemAmbient: Ambient = {
  now: () => Date.now(),
  uuid: uuid7,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  chance: () => Math.random(),
};

const COUNTER_MAX = 0xfff;
let lastMs = 0;
let counter = 0;

/**
 * UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, a 12-bit counter, 62 random bits. Ids of one process ascend:
 * the counter counts within a millisecond, and time runs ahead of the clock when it overflows.
 */
function uuid7(): string {
  const now = Date.now();
  if (now > lastMs || counter === COUNTER_MAX) {
    lastMs = Math.max(now, lastMs + 1);
    counter = 0;
  } else counter += 1;
  const time = lastMs.toString(16).padStart(12, '0');
  // The random half, with its variant bits, is that of a version 4 id, which Node makes from a pool.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}
