/** Many small byte strings as few large blocks, in the order they came. */

export interface Slab {
  readonly bytes: number;
  push(bytes: Uint8Array): void;
  blocks(): readonly Uint8Array[];
}

const BLOCK_BYTES = 1024 * 1024;

export function createSlab(): Slab {
  const full: Uint8Array[] = [];
  let open = new Uint8Array(BLOCK_BYTES);
  let used = 0;
  let total = 0;
  return {
    get bytes() {
      return total;
    },
    push(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const taken = Math.min(bytes.length - from, BLOCK_BYTES - used);
        open.set(bytes.subarray(from, from + taken), used);
        used += taken;
        from += taken;
        if (used < BLOCK_BYTES) continue;
        full.push(open);
        open = new Uint8Array(BLOCK_BYTES);
        used = 0;
      }
      total += bytes.length;
    },
    blocks: () => [...full, open.subarray(0, used)],
  };
}
