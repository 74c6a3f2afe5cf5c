/** Cuts a stream into fields that end in NUL, and every so many of them into a record. */

/** The rest of a longer field is left out, so that one huge message cannot fill the memory. */
export const FIELD_BYTES_MAX = 65_536;

export interface FieldReader {
  readonly push: (chunk: Buffer) => void;
}

export function createFieldReader(width: number, record: (fields: readonly Buffer[]) => void): FieldReader {
  let fields: Buffer[] = [];
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const keep = (part: Buffer): void => {
    const room = FIELD_BYTES_MAX - pendingBytes;
    if (room <= 0 || part.length === 0) return;
    const kept = part.subarray(0, room);
    pending.push(kept);
    pendingBytes += kept.length;
  };
  const finish = (last: Buffer): void => {
    keep(last);
    fields.push(pending.length === 1 ? pending[0]! : Buffer.concat(pending));
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
