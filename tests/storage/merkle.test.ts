/**
 * RFC 9162 §2.1 against the published vectors of Certificate Transparency and against a second, naive implementation.
 */
import { describe, expect, it } from 'vitest';
import {
  consistencyPath,
  EMPTY_FRONTIER,
  EMPTY_TREE_HASH,
  frontierHash,
  GrowingFrontier,
  type Hash,
  inclusionPath,
  leafHash,
  type NodeReader,
  nodeHash,
  sha256,
  treeHash,
  verifyConsistency,
  verifyInclusion,
} from '../../src/storage/merkle.ts';

const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const NODES = {
  leaf1: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  leaf2: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  leaf5: 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  leaves34: '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  leaves56: '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  leaves78: 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  leaves1to2: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  leaves1to4: 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  leaves5to8: '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
};

const vectorLeaves = INPUTS.map((input) => leafHash(Buffer.from(input, 'hex')));

describe('Merkle tree: published vectors', () => {
  it.each(ROOTS.map((root, size) => [size, root] as const))('root of %i leaves', (size, root) => {
    expect(hex(treeHash(size, readerOf(vectorLeaves)))).toBe(root);
    expect(hex(frontierHash(grow(vectorLeaves.slice(0, size))))).toBe(root);
  });

  it.each([
    [1, 1, []],
    [1, 8, [NODES.leaf2, NODES.leaves34, NODES.leaves5to8]],
    [6, 8, [NODES.leaf5, NODES.leaves78, NODES.leaves1to4]],
    [3, 3, [NODES.leaves1to2]],
    [2, 5, [NODES.leaf1, NODES.leaves34, NODES.leaf5]],
  ])('inclusion of leaf %i in %i', (leaf, size, path) => {
    expect(inclusionPath(leaf - 1, size, readerOf(vectorLeaves)).map(hex)).toEqual(path);
  });

  it.each([
    [1, 1, []],
    [1, 8, [NODES.leaf2, NODES.leaves34, NODES.leaves5to8]],
    [6, 8, [NODES.leaves56, NODES.leaves78, NODES.leaves1to4]],
    [2, 5, [NODES.leaves34, NODES.leaf5]],
  ])('consistency of %i with %i', (from, to, path) => {
    expect(consistencyPath(from, to, readerOf(vectorLeaves)).map(hex)).toEqual(path);
  });
});

describe('Merkle tree: all sizes up to 70', () => {
  const leaves = Array.from({ length: 70 }, (_, index) => sha256(Buffer.from(`leaf ${index}`)));
  const read = readerOf(leaves);
  const roots = Array.from({ length: 71 }, (_, size) => naiveRoot(leaves.slice(0, size)));

  it('agrees with the definition, both as a growing frontier and read from nodes', () => {
    for (const [size, root] of roots.entries()) {
      expect(hex(treeHash(size, read))).toBe(hex(root));
      expect(hex(frontierHash(grow(leaves.slice(0, size))))).toBe(hex(root));
    }
  });

  it('proves the inclusion of every leaf, and accepts no wrong proof', () => {
    for (let size = 1; size <= 70; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const claim = { index, size, leaf: leaves[index]!, path: inclusionPath(index, size, read), root: roots[size]! };
        expect(verifyInclusion(claim)).toBe(true);
        expect(verifyInclusion({ ...claim, leaf: leaves[(index + 1) % 70]! })).toBe(false);
        expect(verifyInclusion({ ...claim, path: [...claim.path, leaves[0]!] })).toBe(false);
        expect(verifyInclusion({ ...claim, root: roots[size - 1]! })).toBe(false);
        if (size > 1) expect(verifyInclusion({ ...claim, path: claim.path.slice(1) })).toBe(false);
        if (size > 1) expect(verifyInclusion({ ...claim, index: (index + 1) % size })).toBe(false);
      }
    }
  });

  it('proves the consistency of every prefix, and accepts no wrong proof', () => {
    for (let to = 0; to <= 70; to += 1) {
      for (let from = 0; from <= to; from += 1) {
        const path = consistencyPath(from, to, read);
        const claim = { from, to, fromRoot: roots[from]!, toRoot: roots[to]!, path };
        expect(verifyConsistency(claim), `${from} to ${to}`).toBe(true);
        if (from === to) continue;
        expect(verifyConsistency({ ...claim, fromRoot: sha256(path[0] ?? Buffer.of(1)) })).toBe(false);
        if (from === 0) continue;
        expect(verifyConsistency({ ...claim, toRoot: roots[to - 1]! })).toBe(false);
        expect(verifyConsistency({ ...claim, path: path.slice(1) })).toBe(false);
        expect(verifyConsistency({ ...claim, path: [...path, leaves[0]!] })).toBe(false);
      }
    }
  });

  it('refuses impossible claims', () => {
    const root = roots[4]!;
    expect(verifyInclusion({ index: 4, size: 4, leaf: leaves[0]!, path: [], root })).toBe(false);
    expect(verifyInclusion({ index: 0, size: 8, leaf: leaves[0]!, path: inclusionPath(0, 4, read), root })).toBe(false);
    const short = { from: 3, to: 8, fromRoot: roots[3]!, toRoot: root, path: consistencyPath(3, 4, read) };
    expect(verifyConsistency({ ...short, to: 4 })).toBe(true);
    expect(verifyConsistency(short)).toBe(false);
    expect(verifyInclusion({ index: -1, size: 4, leaf: leaves[0]!, path: [], root })).toBe(false);
    expect(verifyConsistency({ from: 5, to: 4, fromRoot: root, toRoot: root, path: [] })).toBe(false);
    expect(verifyConsistency({ from: 0, to: 4, fromRoot: EMPTY_TREE_HASH, toRoot: root, path: [root] })).toBe(false);
  });
});

/** A direct implementation of the definition in RFC 9162 §2.1.1. */
function naiveRoot(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) return EMPTY_TREE_HASH;
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

function readerOf(leaves: readonly Hash[]): NodeReader {
  return (level, index) => naiveRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));
}

function grow(leaves: readonly Hash[]) {
  const growing = new GrowingFrontier(EMPTY_FRONTIER);
  for (const leaf of leaves) growing.append(leaf);
  return growing.frozen();
}

function hex(hash: Hash): string {
  return Buffer.from(hash).toString('hex');
}
