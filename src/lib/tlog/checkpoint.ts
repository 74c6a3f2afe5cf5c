/** Checkpoints (c2sp.org/tlog-checkpoint): the note text that states the size and the root hash of a log. */
import { fromBase64, NoteError } from './signed-note.ts';

export interface Checkpoint {
  /** The identity of the log. */
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

const HASH_BYTES = 32;

export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Reads the text of a note; lines after the third are extensions and are left alone. Throws `NoteError`. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', sizeLine = '', rootLine = '', ...rest] = text.split('\n');
  if (origin === '' || rest.pop() !== '' || rest.includes('')) {
    throw new NoteError('A checkpoint has the lines origin, size and root hash, and no empty line.');
  }
  return { origin, size: parseSize(sizeLine), root: parseHash(rootLine) };
}

/** A whole number in decimal, without leading zeros. Throws `NoteError`. */
export function parseSize(text: string): number {
  const size = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new NoteError('A tree size is a decimal number without leading zeros.');
  return size;
}

/** A SHA-256 hash in base64. Throws `NoteError`. */
export function parseHash(text: string): Uint8Array {
  const hash = fromBase64(text);
  if (hash?.length !== HASH_BYTES) throw new NoteError('A hash is 32 bytes in base64.');
  return hash;
}
