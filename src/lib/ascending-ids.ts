/** Short ids that ascend, for several processes that generate them at the same time. */
import { hash } from 'node:crypto';

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
  let newest = { time: '', start: 0 };
  return (uuid) => {
    ownSalt ??= salt();
    // The last 11 of the 12 digits of the time: the first one is 0 until the year 2527.
    const time = uuid.slice(1, 8) + uuid.slice(9, 13);
    if (time !== newest.time) newest = { time, start: startOf(ownSalt, time) };
    const sequence = Number.parseInt(uuid.slice(15, 18), 16);
    return time + (newest.start + sequence).toString(16).padStart(NUMBER_DIGITS, '0');
  };
}

function startOf(salt: string, time: string): number {
  return hash('sha256', `${salt} ${time}`, 'buffer').readUInt32BE() % STARTS;
}
