/**
 * Fingerprints of texts: 32 hexadecimal digits that identify a text without its words.
 *
 * - Without encryption a fingerprint is a plain hash. With encryption it is a keyed hash, so that a guessed text cannot
 *   be checked without the key.
 */
import { createHash } from 'node:crypto';
import { essence } from './lines.ts';

export interface Fingerprints {
  /** Equal for texts that differ only by changes that copying makes; see `essence`. */
  loose(text: string): string;
  /** Equal for the same characters only. */
  exact(text: string): string;
}

const HASH_HEX_DIGITS = 32;

export const PLAIN_FINGERPRINTS = fingerprintsBy({
  hash: (text) => createHash('sha256').update(text).digest('hex').slice(0, HASH_HEX_DIGITS),
});

export function fingerprintsBy({ hash }: { hash(text: string): string }): Fingerprints {
  return {
    loose: (text) => hash(essence(text)),
    exact: (text) => hash(`exact ${text}`),
  };
}
