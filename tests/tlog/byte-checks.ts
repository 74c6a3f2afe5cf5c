/** The result of a check of one changed byte. */
import { StorageError } from '../../src/storage/errors.ts';
import type { Range } from './sqlite-space.ts';

/** `same`: nothing is named, and what is read is what was read of the unchanged file. */
export type Judged = 'named' | 'same' | 'other';
/** `unread`: the byte is in space that no reader reads, by the format of the file, and is judged `same`. */
export type Outcome = 'named' | 'unread' | 'missed';

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** What no reader reads, by the format of the file. */
  readonly space: readonly Range[];
  /** Of a file with the byte at this offset changed in one bit. */
  readonly judge: (at: number) => Judged | Promise<Judged>;
}

export const bit = (at: number): number => 1 << (at % 8);

/** Whether a check of some bytes, which the whole verification makes, refuses them. */
export function isRefused(check: () => unknown): boolean {
  try {
    return typeof check() === 'string';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return true;
  }
}

/** Changes a byte, checks, and changes it back. */
export function refused(bytes: Uint8Array, at: number, check: () => unknown): Judged {
  bytes[at]! ^= bit(at);
  try {
    return isRefused(check) ? 'named' : 'other';
  } finally {
    bytes[at]! ^= bit(at);
  }
}
