/** Proofs of inclusion as one text (c2sp.org/tlog-proof): the index, the audit path and the signed checkpoint. */
import { parseHash, parseSize } from './checkpoint.ts';
import { NoteError } from './signed-note.ts';

const HEADER = 'c2sp.org/tlog-proof@v1';
/** More levels than a tree can have. */
const PATH_MAX = 63;

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

/** Reads a proof; extra data is skipped, and nothing is verified. Throws `NoteError`. */
export function parseTlogProof(text: string): TlogProof {
  const split = text.indexOf('\n\n');
  const [header, ...lines] = split < 0 ? [] : text.slice(0, split).split('\n');
  if (header !== HEADER) throw new NoteError(`The proof does not begin with ${HEADER}.`);
  if (lines[0]?.startsWith('extra ') === true) lines.shift();
  const [indexLine = '', ...path] = lines;
  if (!indexLine.startsWith('index ') || path.length > PATH_MAX) throw new NoteError('The proof has no index line.');
  return {
    index: parseSize(indexLine.slice('index '.length)),
    path: path.map(parseHash),
    checkpoint: text.slice(split + 2),
  };
}
