/** RFC 9162, independent of the storage's code: tree hashes of leaves, and the verification of a consistency proof. */
import { createHash } from 'node:crypto';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const leafHash = (canonical: string): string => sha256(LEAF, Buffer.from(canonical)).toString('hex');

/** §2.1.1: the hash of a tree of leaf hashes, hex in and out. */
export function treeHash(leaves: readonly string[]): string {
  return hashOf(leaves.map((leaf) => Buffer.from(leaf, 'hex'))).toString('hex');
}

function hashOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0]!;
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return sha256(NODE, hashOf(leaves.slice(0, split)), hashOf(leaves.slice(split)));
}

export interface Consistency {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
  readonly from_hash: string;
  readonly to_hash: string;
}

/** §2.1.4.2: whether the path shows that the smaller tree is a beginning of the larger. */
export function isConsistent({ from, to, path, from_hash, to_hash }: Consistency): boolean {
  if (from === to) return path.length === 0 && from_hash === to_hash;
  const rest = path.map((node) => Buffer.from(node, 'hex'));
  if (Number.isInteger(Math.log2(from))) rest.unshift(Buffer.from(from_hash, 'hex'));
  let fn = from - 1;
  let sn = to - 1;
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  const first = rest.shift();
  if (first === undefined) return false;
  let fr: Buffer = first;
  let sr: Buffer = first;
  for (const node of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [sha256(NODE, node, fr), sha256(NODE, node, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    } else sr = sha256(NODE, sr, node);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && fr.toString('hex') === from_hash && sr.toString('hex') === to_hash;
}
