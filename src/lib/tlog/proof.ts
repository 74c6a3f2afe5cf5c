/** Proofs of inclusion as one text (c2sp.org/tlog-proof): the index, the audit path and the signed checkpoint. */

const HEADER = 'c2sp.org/tlog-proof@v1';

export interface TlogProof {
  /** From 0. */
  readonly index: number;
  /** From the sibling of the leaf upward. */
  readonly path: readonly Uint8Array[];
  /** The signed note, as the log issued it. */
  readonly checkpoint: string;
}

export function formatTlogProof({ index, path, checkpoint }: TlogProof): string {
  const hashes = path.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `${HEADER}\nindex ${index}\n${hashes.join('')}\n${checkpoint}`;
}
