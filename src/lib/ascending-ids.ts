/** Short ids that ascend, for several processes that generate them at the same time. */

const NUMBER_DIGITS = 5;
/** A UUIDv7 numbers its ids of one millisecond with 12 bits. */
const SEQUENCE_MAX = 4_096;
const STARTS = 16 ** NUMBER_DIGITS - SEQUENCE_MAX;

/**
 * Shortens the ascending UUIDv7s of a process to 16 hex digits: their milliseconds, and a number that ascends with
 * their sequence. In each millisecond the numbers begin at an offset from the random digits of its first UUID, so
 * several processes hardly ever generate the same id.
 */
export function ascendingIds(): (uuid: string) => string {
  // Of the newest millisecond, which many ids share.
  let newest = { time: '', start: 0 };
  return (uuid) => {
    // The last 11 of the 12 digits of the time: the first one is 0 until the year 2527.
    const time = uuid.slice(1, 8) + uuid.slice(9, 13);
    if (time !== newest.time) newest = { time, start: Number.parseInt(uuid.slice(24), 16) % STARTS };
    const sequence = Number.parseInt(uuid.slice(15, 18), 16);
    return time + (newest.start + sequence).toString(16).padStart(NUMBER_DIGITS, '0');
  };
}
