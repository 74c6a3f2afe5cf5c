/** Ids that are derived from a request: its repeat after a crash finds by them what it has stored. */
import { hash } from 'node:crypto';

/** A UUIDv8 (RFC 9562 §5.8). Such ids ascend with the index, as entries of one time do. */
export function derivedId(repeatId: string, index: number): string {
  const place = index.toString(16).padStart(12, '0');
  const digest = hash('sha256', `${repeatId} ${index}`);
  return [
    place.slice(0, 8),
    place.slice(8),
    `8${digest.slice(0, 3)}`,
    `8${digest.slice(3, 6)}`,
    digest.slice(6, 18),
  ].join('-');
}
