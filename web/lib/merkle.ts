/**
 * The checks of RFC 9162 §2.1 with the browser's own cryptography. Nothing here trusts the daemon: it supplies the
 * paths, and these functions compute the hashes that they lead to.
 */
const HASH_BYTES = 32;
const LEAF = 0;
const NODE = 1;

/** Browsers have SubtleCrypto only on localhost and over TLS. */
export const canHash = (): boolean => crypto.subtle !== undefined;

async function hashed(prefix: number, ...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(1 + parts.reduce((sum, { length }) => sum + length, 0));
  bytes[0] = prefix;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

function bytesOf(hex: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('A hash has 64 hexadecimal digits.');
  return Uint8Array.from({ length: HASH_BYTES }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** SHA-256(0x00 ‖ the UTF-8 bytes of the text), in hex. */
export async function leafHash(text: string): Promise<string> {
  return hexOf(await hashed(LEAF, new TextEncoder().encode(text)));
}

const isOdd = (value: number): boolean => value % 2 === 1;
/** Sizes are below 2^53, so shift operators cannot be used. */
const half = (value: number): number => Math.floor(value / 2);

export interface Inclusion {
  readonly leaf: string;
  /** From 1. */
  readonly position: number;
  readonly size: number;
  readonly path: readonly string[];
}

/**
 * The tree hash that an audit path leads to (RFC 9162 §2.1.3.2); null if the path has the wrong length for such a tree.
 */
export async function rootOf({ leaf, position, size, path }: Inclusion): Promise<string | null> {
  let index = position - 1;
  let last = size - 1;
  let root = bytesOf(leaf);
  for (const step of path) {
    if (last === 0) return null;
    if (isOdd(index) || index === last) {
      root = await hashed(NODE, bytesOf(step), root);
      while (!isOdd(index) && index !== 0) {
        index = half(index);
        last = half(last);
      }
    } else {
      root = await hashed(NODE, root, bytesOf(step));
    }
    index = half(index);
    last = half(last);
  }
  return last === 0 ? hexOf(root) : null;
}

export interface Growth {
  readonly from: { readonly size: number; readonly hash: string };
  readonly to: { readonly size: number; readonly hash: string };
  readonly path: readonly string[];
}

/** Whether the path proves that the smaller tree is a prefix of the larger one (RFC 9162 §2.1.4.2). */
export async function isGrowth({ from, to, path }: Growth): Promise<boolean> {
  if (from.size === to.size) return from.hash === to.hash && path.length === 0;
  if (from.size === 0 || from.size > to.size) return from.size === 0;
  const isPower = Number.isInteger(Math.log2(from.size));
  const [first, ...rest] = isPower ? [from.hash, ...path] : path;
  if (first === undefined) return false;
  let index = from.size - 1;
  let last = to.size - 1;
  while (isOdd(index)) {
    index = half(index);
    last = half(last);
  }
  let older = bytesOf(first);
  let newer = older;
  for (const step of rest) {
    if (last === 0) return false;
    if (isOdd(index) || index === last) {
      older = await hashed(NODE, bytesOf(step), older);
      newer = await hashed(NODE, bytesOf(step), newer);
      while (!isOdd(index) && index !== 0) {
        index = half(index);
        last = half(last);
      }
    } else {
      newer = await hashed(NODE, newer, bytesOf(step));
    }
    index = half(index);
    last = half(last);
  }
  return last === 0 && hexOf(older) === from.hash && hexOf(newer) === to.hash;
}
