/** Checks whether a stored or imported record has exactly the bytes that this log writes for its event. */
import { canonicalJson } from '../canonical-json.ts';
import type { Bytes } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { RecordedEvent } from '../event-log.ts';
import { erasureFault } from './erase.ts';
import { canonicalEvent, checkedText, prepareEvent } from './prepare.ts';
import { isErased, textOf } from './record.ts';

/** The first fault in the envelope's fields or form, without full stop; undefined when there is none. */
export function envelopeFault(record: Bytes, event: RecordedEvent): string | undefined {
  const { stream, position, version } = event;
  try {
    const prepared = prepareEvent(event, checkedText('stream name', stream));
    const { leafHash, erased, data, ...metadata } = event;
    const expected = isErased(record) ? canonicalJson(metadata) : canonicalEvent(prepared, position, version);
    return textOf(record).toString() === expected ? erasureFault(event) : 'it is not in canonical form';
  } catch (error) {
    if (error instanceof StorageError) return error.message.replace(/\.$/, '');
    throw error;
  }
}
