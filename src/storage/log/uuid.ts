/** UUID of version 7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then random bits. */
import { randomUUID } from 'node:crypto';

/** The random bits are those of a version 4 id, which Node makes from a pool: asking for bytes one by one is slow. */
export function uuidV7(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
