/**
 * Where in the files of the database something lies, for errors: SQLite tells keys and page numbers, never offsets.
 *
 * - Only asked once something is damaged; a file is read in chunks and no further than `SEARCHED_BYTES_MAX`.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';

export const PAGE_BYTES = 4_096;

export interface Place {
  readonly file: string;
  readonly offset: number | undefined;
}

const SEARCHED_BYTES_MAX = 1_073_741_824;
const CHUNK_BYTES = 1_048_576;
/** What of a row lies in one piece even when the rest of it is in overflow pages. */
const NEEDLE_BYTES_MAX = 400;

/** Of a row as it was read: its key, then what stands beside it. */
export function placeOfRow(path: string, key: Uint8Array, sealed: Uint8Array): Place {
  const needle = Buffer.concat([key, sealed]).subarray(0, NEEDLE_BYTES_MAX);
  for (const candidate of [path, `${path}-wal`]) {
    const offset = existsSync(candidate) ? offsetIn(candidate, needle) : undefined;
    if (offset !== undefined) return { file: basename(candidate), offset };
  }
  return { file: basename(path), offset: undefined };
}

/** Of the page a line of `integrity_check` names; 0, the file's header, where the line is about that. */
export function offsetOfFinding(line: string): number | null {
  const page = /\bpage (\d+)/i.exec(line)?.[1];
  if (page !== undefined) return (Number(page) - 1) * PAGE_BYTES;
  return /^(Freelist|max rootpage|incremental_vacuum)/.test(line) ? 0 : null;
}

function offsetIn(path: string, needle: Buffer): number | undefined {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES + needle.length);
    for (let at = 0; at < SEARCHED_BYTES_MAX; at += CHUNK_BYTES) {
      const bytes = readSync(file, chunk, 0, chunk.length, at);
      const found = chunk.subarray(0, bytes).indexOf(needle);
      if (found !== -1) return at + found;
      if (bytes < chunk.length) return undefined;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}
