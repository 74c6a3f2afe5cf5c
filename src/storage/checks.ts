/** Validation of keys, values and range options, which every engine runs before it reads or writes. */
import { type Bytes, type Change, KEY_BYTES_MAX, type RangeOptions, VALUE_BYTES_MAX } from './engine.ts';
import { StorageError, valueInvalid } from './errors.ts';

/** Throws `STORAGE_KEY_INVALID` unless the key holds 1 to `KEY_BYTES_MAX` bytes. */
export function checkKey(key: Bytes): void {
  if (!(key instanceof Uint8Array)) throw new StorageError('STORAGE_KEY_INVALID', 'A key must be bytes (Uint8Array).');
  if (key.length === 0) throw new StorageError('STORAGE_KEY_INVALID', 'A key must hold at least one byte.');
  if (key.length > KEY_BYTES_MAX) {
    throw new StorageError('STORAGE_KEY_INVALID', `A key holds ${key.length} bytes; the limit is ${KEY_BYTES_MAX}.`);
  }
}

/** Throws `STORAGE_KEY_INVALID` or `STORAGE_VALUE_INVALID` for the first invalid key or value. */
export function checkBatch(batch: readonly Change[]): void {
  for (const { key, value } of batch) {
    checkKey(key);
    if (value !== undefined) checkValue(value);
  }
}

/** Throws `RangeError` unless the limit is absent, infinite or a whole number from 0. */
export function checkRange(options: RangeOptions): void {
  const { limit } = options;
  if (limit !== undefined && !(limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 0))) {
    throw new RangeError(`A range limit must be a whole number from 0; it is ${limit}.`);
  }
}

function checkValue(value: Bytes): void {
  if (!(value instanceof Uint8Array)) throw valueInvalid('A value must be bytes (Uint8Array) or undefined to delete.');
  if (value.length > VALUE_BYTES_MAX) {
    throw valueInvalid(`A value holds ${value.length} bytes; the limit is ${VALUE_BYTES_MAX}.`);
  }
}
