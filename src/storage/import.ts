/**
 * Import of an export: reads its lines into a log and verifies every one.
 *
 * - The leaf hash of each line is recomputed and must match; positions and versions must continue the log. A line that
 *   does not fit stops the import with its line number; batches imported before it stay.
 * - An import may be run again: leading lines that the log already holds are compared with it and skipped.
 */
import { canonicalJson } from './canonical-json.ts';
import { StorageError, valueInvalid } from './errors.ts';
import type { LogHead } from './event-log.ts';
import { type Chunks, type Line, linesOf } from './lines.ts';
import type { StoredEventLog } from './log/event-log.ts';
import { erasedRecord, leafOf, liveRecord, toHex } from './log/record.ts';
import { inBatches } from './migrate.ts';

export interface ImportOptions {
  /** Called after every durable batch. */
  readonly progress?: () => void;
}

/** The object around an event's data does not count against the nesting limit of the data. */
const ENVELOPE_LEVELS = 1;

/**
 * Imports from chunks of UTF-8 and resolves with the log's head. Rejects with `STORAGE_VALUE_INVALID` for a line that
 * does not fit, and with `STORAGE_TARGET` for the line of another log.
 */
export async function importLines(log: StoredEventLog, chunks: Chunks, options: ImportOptions = {}): Promise<LogHead> {
  for await (const batch of inBatches(newRecords(log, chunks))) {
    await log.copy(batch.map(({ record }) => record));
    options.progress?.();
  }
  return log.head();
}

/** The records that the log lacks, checked one by one. */
async function* newRecords(log: StoredEventLog, chunks: Chunks): AsyncGenerator<LineRecord> {
  const known = log.head().position;
  let last = known;
  for await (const line of linesOf(chunks)) {
    const { position, record } = recordOf(line);
    if (position <= known && last === known) {
      checkSame(log, { position, record, line: line.number });
      continue;
    }
    if (position !== last + 1) {
      throw valueInvalid(`Line ${line.number} holds position ${position}; the one after ${last} must come next.`);
    }
    last = position;
    yield { position, record };
  }
}

/** Checks a line whose position the log already holds: it must be the same event. */
function checkSame(
  log: StoredEventLog,
  { position, record, line }: { readonly position: number; readonly record: Buffer; readonly line: number },
): void {
  if (log.at(position)?.leafHash === toHex(leafOf(record))) return;
  const what = `Line ${line} is another event than this log holds at position ${position}`;
  throw new StorageError('STORAGE_TARGET', `${what}; import into an empty directory.`);
}

interface LineRecord {
  readonly position: number;
  readonly record: Buffer;
}

/** The record of a line, with its hash checked. */
function recordOf({ text, number }: Line): LineRecord {
  const { leaf_hash: leafHash, erased, ...event } = parseLine(text, number);
  const position = Number(event.position);
  if (typeof leafHash !== 'string' || !/^[0-9a-f]{64}$/.test(leafHash)) {
    throw valueInvalid(`Line ${number} has no leaf_hash of 64 hex digits.`);
  }
  if (erased === true) {
    const { data, ...metadata } = event;
    return { position, record: erasedRecord(Buffer.from(leafHash, 'hex'), canonicalJson(metadata)) };
  }
  const { record, leaf } = liveRecord(canonicalJson(event, ENVELOPE_LEVELS));
  if (toHex(leaf) === leafHash) return { position, record };
  throw valueInvalid(`Line ${number} does not match its leaf hash: it was changed, or cut.`);
}

function parseLine(text: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through to the refusal.
  }
  throw valueInvalid(`Line ${number} is no JSON object.`);
}
