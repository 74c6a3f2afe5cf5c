/** The machine's own clock and randomness. UUIDv7 by RFC 9562 §5.7: 48 bits of milliseconds, then random bits. */
import { randomFillSync } from 'node:crypto';
import type { Ambient } from '../ports/ambient.ts';

export const systemAmbient: Ambient = {
  now: () => Date.now(),
  uuid: uuid7,
  hex: randomDigits,
  chance: () => Math.random(),
};

const POOL_BYTES = 4_096;
const DIGITS = Buffer.from('0123456789abcdef');
/** Random bytes, made for many ids at once; each is used once. */
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;
let lastMs = 0;
let counter = 0;
/** The id that was given last, as text: of the next one only what differs is written. */
const text = Buffer.from('00000000-0000-7000-8000-000000000000');
const COUNTER_AT = 15;
const VARIANT_AT = 19;
/** Where the digits of 60 random bits go, two to a byte. */
const RANDOM_AT = [20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34];
const LAST_AT = 35;

/** Ids of one process ascend: a 12-bit counter takes the place of the first random bits within a millisecond. */
function uuid7(): string {
  const now = Date.now();
  if (now > lastMs) begin(now);
  else if (++counter > 0xfff) begin(lastMs + 1);
  putDigits(counter, COUNTER_AT, 3);
  for (let pair = 0; pair < RANDOM_AT.length; pair += 2) {
    const byte = randomByte();
    text[RANDOM_AT[pair]!] = DIGITS[byte >> 4]!;
    text[RANDOM_AT[pair + 1]!] = DIGITS[byte & 15]!;
  }
  const byte = randomByte();
  text[LAST_AT] = DIGITS[byte >> 4]!;
  text[VARIANT_AT] = DIGITS[8 + (byte & 3)]!;
  return text.toString('latin1');
}

function randomDigits(bytes: number): string {
  const digits = Buffer.allocUnsafe(bytes);
  for (let index = 0; index < bytes; index += 1) digits[index] = randomByte();
  return digits.toString('hex');
}

function begin(ms: number): void {
  lastMs = ms;
  counter = 0;
  putDigits(Math.floor(ms / 0x10000), 0, 8);
  putDigits(ms % 0x10000, 9, 4);
}

/** `value` as `count` hex digits at `at`. */
function putDigits(value: number, at: number, count: number): void {
  for (let index = at + count - 1, rest = value; index >= at; index -= 1, rest = Math.floor(rest / 16)) {
    text[index] = DIGITS[rest % 16]!;
  }
}

function randomByte(): number {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += 1;
  return pool[used - 1]!;
}
