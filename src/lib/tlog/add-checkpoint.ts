/** The body of a request to a witness (c2sp.org/tlog-witness): the size it knows, a consistency proof, a checkpoint. */
import { parseHash, parseSize } from './checkpoint.ts';
import { NoteError } from './signed-note.ts';

const HASHES_MAX = 63;

export interface AddCheckpoint {
  /** Size of the newest checkpoint that the witness cosigned; 0 for none. */
  readonly old: number;
  readonly proof: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

export function formatAddCheckpoint({ old, proof, checkpoint }: AddCheckpoint): string {
  const hashes = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `old ${old}\n${hashes.join('')}\n${checkpoint}`;
}

/** Throws `NoteError`. */
export function parseAddCheckpoint(body: string): AddCheckpoint {
  const split = body.indexOf('\n\n');
  const [oldLine = '', ...proof] = split < 0 ? [] : body.slice(0, split).split('\n');
  if (!oldLine.startsWith('old ')) throw new NoteError('The body does not begin with the line old <size>.');
  if (proof.length > HASHES_MAX) throw new NoteError(`A consistency proof has at most ${HASHES_MAX} hashes.`);
  return {
    old: parseSize(oldLine.slice('old '.length)),
    proof: proof.map(parseHash),
    checkpoint: body.slice(split + 2),
  };
}
