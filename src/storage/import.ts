/**
 * Reads the lines of an export into a log, checking every one.
 *
 * - Each leaf hash is computed anew from the line and must be the one it carries; positions and versions must continue
 *   the log. A line that does not fit stops the import with its number; the batches before it stay, so it can be
 *   resumed.
 */
import { canonicalJson } from './canonical-json.ts';
import { StorageError } from './errors.ts';
import type { LogHead } from './event-log.ts';
import type { StoredEventLog } from './log/event-log.ts';
import { erasedRecord, liveRecord, toHex } from './log/record.ts';

export interface ImportOptions {
  /** What the log must be in the end: the head of the log that was exported. */
  readonly expected?: { readonly position: number; readonly treeHash: string };
  /** Called after every durable batch with the events imported so far. */
  readonly progress?: (events: number) => void;
}

const BATCH_EVENTS_MAX = 4_096;
const BATCH_BYTES_MAX = 4_194_304;
const LINE_CHARACTERS_MAX = 33_554_432;

/** Imports from chunks of text; answers the head the log has in the end. */
export async function importLines(
  log: StoredEventLog,
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: ImportOptions = {},
): Promise<LogHead> {
  let batch: Buffer[] = [];
  let bytes = 0;
  let events = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    await log.copy(batch);
    events += batch.length;
    batch = [];
    bytes = 0;
    options.progress?.(events);
  };
  let number = 0;
  for await (const line of linesOf(chunks)) {
    number += 1;
    if (line.trim() === '') continue;
    const record = recordOf(line, number);
    batch.push(record);
    bytes += record.length;
    if (batch.length >= BATCH_EVENTS_MAX || bytes >= BATCH_BYTES_MAX) await flush();
  }
  await flush();
  const head = log.head();
  checkExpected(head, options.expected);
  return head;
}

async function* linesOf(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of chunks) {
    rest += typeof chunk === 'string' ? chunk : decode(decoder, chunk);
    const lines = rest.split('\n');
    rest = lines.pop()!;
    if (rest.length > LINE_CHARACTERS_MAX) throw refused(`A line holds more than ${LINE_CHARACTERS_MAX} characters.`);
    yield* lines;
  }
  rest += decode(decoder);
  if (rest !== '') yield rest;
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw refused('The import holds bytes that are not UTF-8.');
  }
}

/** The record a line stands for, its hash checked. */
function recordOf(line: string, number: number): Buffer {
  const { leaf_hash: leafHash, erased, ...event } = parseLine(line, number);
  if (typeof leafHash !== 'string' || !/^[0-9a-f]{64}$/.test(leafHash)) {
    throw refused(`Line ${number} has no leaf_hash of 64 hex digits.`);
  }
  if (erased === true) {
    const { data, ...metadata } = event;
    return erasedRecord(Buffer.from(leafHash, 'hex'), canonicalJson(metadata));
  }
  const { record, leaf } = liveRecord(canonicalJson(event));
  if (toHex(leaf) === leafHash) return record;
  throw refused(`Line ${number} does not match its leaf hash: it was changed, or cut.`);
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through: a line that is no JSON object is refused by its number.
  }
  throw refused(`Line ${number} is no JSON object.`);
}

function checkExpected(head: LogHead, expected: ImportOptions['expected']): void {
  if (expected === undefined) return;
  if (head.position === expected.position && head.treeHash === expected.treeHash) return;
  throw new StorageError(
    'STORAGE_CORRUPT',
    `The imported log ends at ${head.position} with tree hash ${head.treeHash}; ` +
      `expected ${expected.position} with ${expected.treeHash}.`,
  );
}

function refused(what: string): StorageError {
  return new StorageError('STORAGE_VALUE_INVALID', what);
}
