/**
 * Finds the file offset of damaged data for error messages: SQLite reports keys and page numbers, but no offsets.
 *
 * - Used only after damage was found. A file is read in chunks, up to `SEARCHED_BYTES_MAX`.
 */
import { existsSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { openFile } from '../files.ts';

export const PAGE_BYTES = 4_096;

export interface Place {
  readonly file: string;
  readonly offset: number | undefined;
}

const SEARCHED_BYTES_MAX = 1_073_741_824;
const CHUNK_BYTES = 1_048_576;
/** This much of a row is contiguous in the file, even when the rest is in overflow pages. */
const NEEDLE_BYTES_MAX = 400;

/** The place of a row, which is stored as its key followed by its sealed value. */
export function placeOfRow(path: string, key: Uint8Array, sealed: Uint8Array): Place {
  const needle = Buffer.concat([key, sealed]).subarray(0, NEEDLE_BYTES_MAX);
  for (const candidate of [path, `${path}-wal`]) {
    const offset = existsSync(candidate) ? offsetIn(candidate, needle) : undefined;
    if (offset !== undefined) return { file: basename(candidate), offset };
  }
  return { file: basename(path), offset: undefined };
}

/** The offset of the page that a line of `integrity_check` names; 0 for a line about the header; else null. */
export function offsetOfFinding(line: string): number | null {
  const page = /\bpage (\d+)/i.exec(line)?.[1];
  if (page !== undefined) return (Number(page) - 1) * PAGE_BYTES;
  return /^(Freelist|max rootpage|incremental_vacuum)/.test(line) ? 0 : null;
}

function offsetIn(path: string, needle: Buffer): number | undefined {
  using file = openFile(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES + needle.length);
  for (let at = 0; at < SEARCHED_BYTES_MAX; at += CHUNK_BYTES) {
    const bytes = readSync(file.fd, chunk, 0, chunk.length, at);
    const found = chunk.subarray(0, bytes).indexOf(needle);
    if (found !== -1) return at + found;
    if (bytes < chunk.length) return undefined;
  }
  return undefined;
}
