/** Splits a stream into fields that end in NUL, and groups `width` fields into a record. */

/**
 * A longer field loses its middle, so that a huge message cannot fill the memory. The subject of a commit message is at
 * its beginning, its trailers are at its end.
 */
export const FIELD_BYTES_MAX = 131_072;

export interface FieldReader {
  readonly push: (chunk: Buffer) => void;
}

export function createFieldReader(width: number, record: (fields: readonly Buffer[]) => void): FieldReader {
  let fields: Buffer[] = [];
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const keep = (part: Buffer): void => {
    if (part.length === 0) return;
    pending.push(part);
    pendingBytes += part.length;
    // At twice the limit, so that each byte is copied only a few times.
    if (pendingBytes > 2 * FIELD_BYTES_MAX) {
      pending = [withoutMiddle(Buffer.concat(pending))];
      pendingBytes = FIELD_BYTES_MAX;
    }
  };
  const finish = (last: Buffer): void => {
    keep(last);
    fields.push(withoutMiddle(pending.length === 1 ? pending[0]! : Buffer.concat(pending)));
    pending = [];
    pendingBytes = 0;
    if (fields.length < width) return;
    record(fields);
    fields = [];
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
        finish(chunk.subarray(from, at));
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
  };
}

function withoutMiddle(field: Buffer): Buffer {
  if (field.length <= FIELD_BYTES_MAX) return field;
  return Buffer.concat([field.subarray(0, FIELD_BYTES_MAX / 2), field.subarray(-FIELD_BYTES_MAX / 2)]);
}
