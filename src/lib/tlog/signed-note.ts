/**
 * Signed notes (c2sp.org/signed-note): a text, and under it one line for each signature.
 *
 * - A verifier ignores signatures of keys that it does not know. When a signature of a known key is wrong, the whole
 *   note is refused.
 * - Reading is strict: a text has one encoding, so that two readers never take one note for two.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Ed25519 over the text of the note. */
export const ED25519 = 0x01;
/** Ed25519 over the text and a time (c2sp.org/tlog-cosignature). */
export const COSIGNATURE = 0x04;

export const SEED_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;
export const PUBLIC_KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NOTE_CHARACTERS_MAX = 1_000_000;
/** Twice what the format asks readers to accept, and room for a witness list of the largest size. */
export const SIGNATURES_MAX = 100;

/** The key that a signature names. Its text is `<name>+<id>+<type and public key>`. */
export interface VerifierKey {
  readonly name: string;
  /** Unsigned, 32 bits. */
  readonly id: number;
  readonly type: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  readonly id: number;
  /** Without the key id. */
  readonly signature: Uint8Array;
}

export interface Note {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A text is no note, key or checkpoint; the message is a sentence. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}

/** A name of keys and logs: no spaces, no plus sign, no control characters. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\s+\u0085\p{Cc}]/u.test(name);
}

export function verifierKey(name: string, type: number, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new NoteError('The name of a key has no spaces, no plus sign and no control characters.');
  const id = createHash('sha256').update(name).update(Buffer.of(0x0a, type)).update(publicKey).digest().readUInt32BE(0);
  return { name, id, type, publicKey };
}

export function formatVerifierKey({ name, id, type, publicKey }: VerifierKey): string {
  const key = Buffer.concat([Buffer.of(type), publicKey]).toString('base64');
  return `${name}+${id.toString(16).padStart(8, '0')}+${key}`;
}

/** Reads a verifier key of one of the types. Throws `NoteError`. */
export function parseVerifierKey(text: string, types: readonly number[] = [ED25519]): VerifierKey {
  const [, name = '', hash = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (name === '' || bytes === null) throw new NoteError('A verifier key is <name>+<8 hex digits>+<base64>.');
  const type = bytes[0] ?? 0;
  if (!types.includes(type)) {
    const wanted = types.map((each) => `0x${each.toString(16).padStart(2, '0')}`).join(' or ');
    throw new NoteError(`The verifier key has signature type 0x${type.toString(16).padStart(2, '0')}, not ${wanted}.`);
  }
  if (bytes.length !== 1 + PUBLIC_KEY_BYTES) throw new NoteError('The verifier key holds no Ed25519 public key.');
  const key = verifierKey(name, type, bytes.subarray(1));
  if (key.id !== Number.parseInt(hash, 16)) throw new NoteError('The verifier key does not fit its own hash.');
  return key;
}

/** An Ed25519 key that signs. */
export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The bytes before the seed in a PKCS #8 encoding of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function signingKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { publicKey: Buffer.from(x, 'base64url'), sign: (message) => sign(null, message, key) };
}

export function verifies(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== ED25519_SIGNATURE_BYTES) return false;
  return verify(null, message, publicKeyOf(publicKey), signature);
}

function publicKeyOf(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** A signature of type Ed25519 over the text of a note. */
export function signText(key: SigningKey, name: string, text: string): NoteSignature {
  const { id } = verifierKey(name, ED25519, key.publicKey);
  return { name, id, signature: key.sign(Buffer.from(text)) };
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** One line, with its newline. */
export function formatSignature({ name, id, signature }: NoteSignature): string {
  const bytes = Buffer.alloc(KEY_ID_BYTES + signature.length);
  bytes.writeUInt32BE(id, 0);
  bytes.set(signature, KEY_ID_BYTES);
  return `\u2014 ${name} ${bytes.toString('base64')}\n`;
}

/** Splits a note; nothing is verified. Throws `NoteError`. */
export function parseNote(note: string): Note {
  if (note.length > NOTE_CHARACTERS_MAX) throw new NoteError('The note is too long.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the format forbids them.
  if (!note.isWellFormed() || /[\u0000-\u0009\u000b-\u001f]/.test(note)) {
    throw new NoteError('The note has control characters or halves of characters.');
  }
  const split = note.lastIndexOf('\n\n');
  const lines = split < 0 ? '' : note.slice(split + 2);
  if (lines === '') throw new NoteError('The note has no signature.');
  return { text: note.slice(0, split + 1), signatures: parseSignatures(lines) };
}

/** Reads signature lines, each with its newline. Throws `NoteError`. */
export function parseSignatures(lines: string): readonly NoteSignature[] {
  const rows = lines.split('\n');
  if (rows.pop() !== '') throw new NoteError('The last signature of the note has no end of line.');
  if (rows.length > SIGNATURES_MAX) throw new NoteError('The note has too many signatures.');
  return rows.map((row) => {
    const [, name = '', encoded = ''] = /^\u2014 (\S+) (\S+)$/.exec(row) ?? [];
    const bytes = fromBase64(encoded);
    if (!isKeyName(name) || bytes === null || bytes.length <= KEY_ID_BYTES) {
      throw new NoteError('A line under the note is no signature.');
    }
    return { name, id: bytes.readUInt32BE(0), signature: bytes.subarray(KEY_ID_BYTES) };
  });
}

/** Checks one signature of a note's text with the key that it names. */
export type SignatureCheck = (key: VerifierKey, text: string, signature: Uint8Array) => boolean;

/** The keys, of those given, that signed the note. Throws `NoteError` when a signature of one of them is wrong. */
export function verifyNote(note: Note, keys: readonly VerifierKey[], check: SignatureCheck): readonly VerifierKey[] {
  const signers = new Set<VerifierKey>();
  for (const { name, id, signature } of note.signatures) {
    const key = keys.find((each) => each.name === name && each.id === id);
    if (key === undefined || signers.has(key)) continue;
    if (!check(key, note.text, signature)) throw new NoteError(`The signature of ${name} is wrong.`);
    signers.add(key);
  }
  return [...signers];
}

/** The check for keys of type Ed25519. */
export function checkText({ publicKey }: VerifierKey, text: string, signature: Uint8Array): boolean {
  return verifies(publicKey, Buffer.from(text), signature);
}

/** The bytes of canonical base64, null for any other text. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : null;
}
