/** UUIDs of version 7. */
import { randomUUID } from 'node:crypto';

/**
 * UUID of version 7 (RFC 9562 §5.7) for a time in Unix milliseconds. `sequence` (0 to 4095) takes the place of the 12
 * bits behind the time, so that ids of one millisecond ascend (RFC 9562 §6.2, method 1); without it they are random.
 *
 * Node's `randomUUIDv7` takes no time and no sequence, and the `uuid` package draws random bytes for each id, which
 * costs more than the rest of a small commit. The random bits come from a version 4 UUID, for which Node keeps a pool.
 */
export function uuidV7(at: number, sequence?: number): string {
  const time = at.toString(16).padStart(12, '0');
  const random = randomUUID();
  const middle = sequence === undefined ? random.slice(15, 18) : sequence.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}${random.slice(18)}`;
}
