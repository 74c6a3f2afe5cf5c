/** Records of other logs, checked before a batch takes them over. */
import type { Bytes } from '../engine.ts';
import { StorageError, valueInvalid } from '../errors.ts';
import type { RecordedEvent } from '../event-log.ts';
import { envelopeFault } from './envelope.ts';
import { decodeEvent, isIntact, placeIn, type RecordPlace } from './record.ts';

/** Checks a record of another log that is to take `position`, and returns its event. */
export function checkCopied(record: Bytes, position: number): RecordedEvent {
  const event = intact(record, position, decodeEvent);
  const fault = envelopeFault(record, event);
  if (fault === undefined) return event;
  throw refused(position, `${fault}.`);
}

/** Like `checkCopied`, for a record whose envelope the other log has checked. */
export function intactPlace(record: Bytes, position: number): RecordPlace {
  return intact(record, position, placeIn);
}

function intact<Result>(record: Bytes, position: number, decode: (record: Bytes, position: number) => Result): Result {
  try {
    if (!isIntact(record)) throw valueInvalid('it does not match its leaf hash.');
    return decode(record, position);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw refused(position, error.message);
  }
}

function refused(position: number, reason: string): StorageError {
  return valueInvalid(`The event for position ${position} cannot be taken over: ${reason}`);
}
