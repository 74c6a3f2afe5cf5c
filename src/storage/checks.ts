/** What every engine refuses before it writes anything: keys, values and range options outside their limits. */
import { type Bytes, type Change, KEY_BYTES_MAX, type RangeOptions, VALUE_BYTES_MAX } from './engine.ts';
import { StorageError } from './errors.ts';

export function checkKey(key: Bytes): void {
  if (!(key instanceof Uint8Array)) throw new StorageError('STORAGE_KEY_INVALID', 'A key must be bytes (Uint8Array).');
  if (key.length === 0) throw new StorageError('STORAGE_KEY_INVALID', 'A key must hold at least one byte.');
  if (key.length > KEY_BYTES_MAX) {
    throw new StorageError('STORAGE_KEY_INVALID', `A key holds ${key.length} bytes; the limit is ${KEY_BYTES_MAX}.`);
  }
}

export function checkBatch(batch: readonly Change[]): void {
  for (const { key, value } of batch) {
    checkKey(key);
    if (value !== undefined) checkValue(value);
  }
}

export function checkRange(options: RangeOptions): void {
  const { limit } = options;
  if (limit !== undefined && !(limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 0))) {
    throw new RangeError(`A range limit must be a whole number from 0; it is ${limit}.`);
  }
}

function checkValue(value: Bytes): void {
  if (!(value instanceof Uint8Array)) {
    throw new StorageError('STORAGE_VALUE_INVALID', 'A value must be bytes (Uint8Array) or undefined to delete.');
  }
  if (value.length > VALUE_BYTES_MAX) {
    throw new StorageError(
      'STORAGE_VALUE_INVALID',
      `A value holds ${value.length} bytes; the limit is ${VALUE_BYTES_MAX}.`,
    );
  }
}
