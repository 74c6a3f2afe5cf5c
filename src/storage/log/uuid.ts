/** UUIDs of version 7 for the events that the log itself appends. */
import { randomUUID } from 'node:crypto';

/**
 * UUID of version 7 (RFC 9562 §5.7) for a given time: 48 bits of Unix milliseconds, then random bits. Node's
 * `randomUUIDv7` always takes the current time. The random bits come from a version 4 UUID, for which Node keeps a
 * pool.
 */
export function uuidV7(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
