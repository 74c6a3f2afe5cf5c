/** Whether a stored or imported record holds just the bytes that the writer of this log would have written for it. */
import { canonicalJson } from '../canonical-json.ts';
import type { Bytes } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { RecordedEvent } from '../event-log.ts';
import { canonicalEvent, checkedText, prepareEvent } from './prepare.ts';
import { isErased, textOf } from './record.ts';

/** What is wrong with the envelope, its fields or its form; undefined when nothing is. */
export function envelopeFault(record: Bytes, event: RecordedEvent): string | undefined {
  const { stream, position, version } = event;
  try {
    const prepared = prepareEvent(event, checkedText('stream name', stream));
    const { leafHash, erased, data, ...metadata } = event;
    const expected = isErased(record) ? canonicalJson(metadata) : canonicalEvent(prepared, position, version);
    return textOf(record).toString() === expected ? undefined : 'it is not in canonical form';
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}
