/** Short ids that ascend, for several processes that generate them at the same time. */
import { createHash } from 'node:crypto';

const TIME_DIGITS = 11;
const NUMBER_DIGITS = 5;
/** A UUIDv7 numbers its ids of one millisecond with 12 bits. */
const SEQUENCE_MAX = 4_096;
const STARTS = 16 ** NUMBER_DIGITS - SEQUENCE_MAX;

/**
 * Shortens a UUIDv7 to 16 hex digits: its milliseconds, and a number that ascends with its sequence. In each
 * millisecond the numbers begin at an offset that depends on the salt, so processes with different salts hardly ever
 * generate the same id. `salt` is called once, for the first id.
 */
export function ascendingIds(salt: () => string): (uuid: string) => string {
  let ownSalt: string | undefined;
  // Of the newest millisecond, which many ids share.
  let newest = { time: -1, start: 0 };
  return (uuid) => {
    ownSalt ??= salt();
    const time = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
    const sequence = Number.parseInt(uuid.slice(15, 18), 16);
    if (time !== newest.time) newest = { time, start: startOf(ownSalt, time) };
    return hex(time, TIME_DIGITS) + hex(newest.start + sequence, NUMBER_DIGITS);
  };
}

function startOf(salt: string, time: number): number {
  return createHash('sha256').update(`${salt} ${time}`).digest().readUInt32BE() % STARTS;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
