// Signed notes, verifier keys and proofs of inclusion (C2SP), with WebCrypto alone. Runs in browsers and in Node.
import { Fault } from './zip.js';

const KEY_BYTES = 32;
const ED25519 = 0x01;
const COSIGNATURE = 0x04;
const TIME_BYTES = 8;
const KEY_ID_BYTES = 4;

export const concat = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

export const bytesOf = (text) => new TextEncoder().encode(text);

/** In Node its own function, in browsers WebCrypto: the second takes some 30 µs for a hash, whatever its length. */
const hashInNode = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash;

export async function sha256(...parts) {
  const bytes = parts.length === 1 ? parts[0] : concat(...parts);
  if (hashInNode !== undefined) return hashInNode('sha256', bytes, 'buffer');
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** Of one part, in hex. */
export async function sha256Hex(bytes) {
  return hashInNode === undefined ? hexOf(await sha256(bytes)) : hashInNode('sha256', bytes);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function hexOf(bytes) {
  let hex = '';
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

export const bytesOfHex = (hex) => Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16));

export const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));

/** Null for a text that is no canonical Base64. */
export function fromBase64(text) {
  try {
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
    return base64Of(bytes) === text && text !== '' ? bytes : null;
  } catch {
    return null;
  }
}

/** Reads `<name>+<id>+<Base64>` of a log. Throws a `Fault`. */
export function readKey(text, where) {
  return readKeyOf(text, where, { type: ED25519, owner: 'a log' });
}

/** The same of a witness. */
export function readWitnessKey(text, where) {
  return readKeyOf(text, where, { type: COSIGNATURE, owner: 'a witness' });
}

async function readKeyOf(text, where, { type, owner }) {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = fromBase64(encoded ?? '');
  if (bytes === null || bytes.length !== 1 + KEY_BYTES || bytes[0] !== type) {
    throw new Fault('key', where, `${where} is no verifier key of ${owner}.`);
  }
  const hash = await sha256(bytesOf(`${name}\n`), bytes);
  if (hexOf(hash.subarray(0, KEY_ID_BYTES)) !== id) {
    throw new Fault('key', where, `${where} is no verifier key of ${owner}: its parts do not fit each other.`);
  }
  const publicKey = await crypto.subtle.importKey('raw', bytes.subarray(1), { name: 'Ed25519' }, false, ['verify']);
  return { text, name, id, publicKey };
}

/** The signed text of a note; null when the key did not sign it. */
export async function signedText(note, key) {
  const { text, signature } = signatureOf(note, key);
  return signature !== null && (await isSignedBy(key, signature, bytesOf(text))) ? text : null;
}

/** When a witness cosigned a note, in Unix seconds; null when it did not. */
export async function cosignedAt(note, key) {
  const { text, signature } = signatureOf(note, key);
  if (signature === null || signature.length <= TIME_BYTES) return null;
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  const message = bytesOf(`cosignature/v1\ntime ${seconds}\n${text}`);
  return (await isSignedBy(key, signature.subarray(TIME_BYTES), message)) ? seconds : null;
}

/** The text of a note, and the bytes of the first signature that names the key; null without one. */
function signatureOf(note, key) {
  const split = note.lastIndexOf('\n\n');
  const text = note.slice(0, split + 1);
  const rows = split < 0 || !note.endsWith('\n') ? [] : note.slice(split + 2, -1).split('\n');
  for (const row of rows) {
    const [, name, encoded] = /^\u2014 (\S+) (\S+)$/.exec(row) ?? [];
    const bytes = fromBase64(encoded ?? '');
    if (name !== key.name || bytes === null || hexOf(bytes.subarray(0, KEY_ID_BYTES)) !== key.id) continue;
    return { text, signature: bytes.subarray(KEY_ID_BYTES) };
  }
  return { text, signature: null };
}

function isSignedBy(key, signature, bytes) {
  return crypto.subtle.verify({ name: 'Ed25519' }, key.publicKey, signature, bytes);
}

const PROOF_HEADER = 'c2sp.org/tlog-proof@v1';
const HASH = /^[\w+/]{43}=$/;

/** The parts of a proof, its hashes in Base64; null for any other text. */
export function readProof(text) {
  const split = text.indexOf('\n\n');
  const [header, indexLine = '', ...path] = text.slice(0, Math.max(0, split)).split('\n');
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(indexLine) ?? [];
  const isProof = header === PROOF_HEADER && index !== undefined && path.every((hash) => HASH.test(hash));
  return isProof ? { index: Number(index), path, checkpoint: text.slice(split + 2) } : null;
}

/** Checks proofs of inclusion in one tree. Hashes in Base64. Proofs of one tree share most hashes: each is computed once. */
export function createTree(size, root) {
  /** Of each level, by the place of the left child: its children and their hash. */
  const levels = [];
  const parentOf = async (left, right, { level, at }) => {
    levels[level] ??= new Map();
    const known = levels[level].get(at);
    if (known?.left === left && known.right === right) return known.hash;
    const hash = base64Of(await sha256(Uint8Array.of(1), fromBase64(left) ?? [], fromBase64(right) ?? []));
    levels[level].set(at, { left, right, hash });
    return hash;
  };
  /** RFC 9162 §2.1.3.2. */
  return async function isIn(leaf, { index, path }) {
    let [node, at, last, level] = [leaf, index, size - 1, 0];
    if (at > last) return false;
    for (const sibling of path) {
      if (last === 0) return false;
      // A node without a right sibling moves up as it is.
      while (at === last && at % 2 === 0) [at, last, level] = [at / 2, last / 2, level + 1];
      const isRight = at % 2 === 1;
      const place = { level, at: isRight ? at - 1 : at };
      node = await (isRight ? parentOf(sibling, node, place) : parentOf(node, sibling, place));
      [at, last, level] = [Math.floor(at / 2), Math.floor(last / 2), level + 1];
    }
    return last === 0 && node === root;
  };
}

/**
 * The root of the tree that ended with a leaf, from the proof that the leaf is in a larger tree of `size`: the siblings on
 * the left of the path are the subtrees of the earlier tree.
 */
export async function rootBefore(leaf, { index, path }, size) {
  let [node, at, last] = [leaf, index, size - 1];
  for (const sibling of path) {
    while (at === last && at % 2 === 0) [at, last] = [at / 2, last / 2];
    if (at % 2 === 1) node = base64Of(await sha256(Uint8Array.of(1), fromBase64(sibling), fromBase64(node)));
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return node;
}
