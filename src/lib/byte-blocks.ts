/** Many small byte strings collected in few large blocks, which costs little memory beside the bytes themselves. */

export interface ByteBlocks {
  /** Bytes collected so far. */
  readonly bytes: number;
  /** Copies the bytes. */
  push(bytes: Uint8Array): void;
  /** The collected bytes, in order. */
  blocks(): readonly Uint8Array<ArrayBuffer>[];
}

const BLOCK_BYTES = 1024 * 1024;

export function createByteBlocks(): ByteBlocks {
  const full: Uint8Array<ArrayBuffer>[] = [];
  let open = new Uint8Array(BLOCK_BYTES);
  let used = 0;
  return {
    get bytes() {
      return full.length * BLOCK_BYTES + used;
    },
    push(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const part = bytes.subarray(from, from + BLOCK_BYTES - used);
        open.set(part, used);
        used += part.length;
        from += part.length;
        if (used < BLOCK_BYTES) continue;
        full.push(open);
        open = new Uint8Array(BLOCK_BYTES);
        used = 0;
      }
    },
    blocks: () => [...full, open.subarray(0, used)],
  };
}
