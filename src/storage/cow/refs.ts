/**
 * What stands for a page in memory. A reference object is one version of a node or value for ever: its place is
 * filled in once, when a checkpoint writes it, and its content may be dropped from memory from then on.
 */
import type { Branch } from './branch.ts';
import { PAGE_HEADER_BYTES, type Reference } from './format.ts';
import type { Leaf } from './leaf.ts';

export type TreeNode = Leaf | Branch;

export class NodeRef implements Reference {
  unit = 0;
  length = 0;
  crc = 0;
  /** Branches above a leaf. */
  readonly level: number;
  /** The node while it is in memory; always there as long as `unit` is 0. */
  node: TreeNode | null;
  /** The tree's epoch when this version was made: it may be changed in place until the epoch goes on. */
  epoch: number;
  /** Bytes of memory counted for `node`. */
  bytes = 0;
  /** The newest state has another version: only readers may still want this one. */
  isReplaced = false;
  /** Read since the cache last looked. */
  hot = true;

  constructor(level: number, node: TreeNode | null, epoch: number) {
    this.level = level;
    this.node = node;
    this.epoch = epoch;
  }

  static onDisk(reference: Reference, level: number): NodeRef {
    const ref = new NodeRef(level, null, -1);
    ref.unit = reference.unit;
    ref.length = reference.length;
    ref.crc = reference.crc;
    return ref;
  }
}

/** A value with a page of its own; its bytes are kept until they are written. */
export class ValueRef implements Reference {
  unit = 0;
  length: number;
  crc = 0;
  bytes: Uint8Array | null;

  constructor(bytes: Uint8Array | null, length: number) {
    this.bytes = bytes;
    this.length = length;
  }

  static of(bytes: Uint8Array): ValueRef {
    return new ValueRef(bytes, PAGE_HEADER_BYTES + bytes.length);
  }

  static onDisk(reference: Reference): ValueRef {
    const ref = new ValueRef(null, reference.length);
    ref.unit = reference.unit;
    ref.crc = reference.crc;
    return ref;
  }

  /** Bytes of the value. */
  get size(): number {
    return this.length - PAGE_HEADER_BYTES;
  }
}
