/**
 * Verifies a log from its envelopes alone, as an independent auditor would: canonical bytes, leaf hashes, the tree of
 * RFC 9162, positions and versions without gaps, recorded erasures.
 *
 * - It shares no code with the storage, so that it does not repeat a defect of the storage.
 * - The leaf hash of an event is computed from its fields, and the tree from the computed hashes.
 * - The leaf hash of an erased event cannot be computed, because its payload is gone. Its stated hash must match the
 *   event that recorded the erasure, whose seal covers all other fields of the erased event.
 */
import { createHash } from 'node:crypto';
import type { Envelope } from '../../events/envelope.ts';

export interface Problem {
  /** Null when it concerns the log as a whole. */
  readonly position: number | null;
  readonly what: string;
}

interface Verifier {
  /** The next envelope of the log, in order from position 1. */
  add(envelope: Envelope): void;
  readonly size: number;
  /** Tree hash over everything added so far, in hex. */
  treeHash(): string;
  /** At most `PROBLEMS_MAX`; complete after the last envelope. */
  problems(): readonly Problem[];
}

const PROBLEMS_MAX = 100;
const ERASURES_STREAM = 'log-erasures';

interface Erasure {
  readonly position: number;
  readonly leaf_hash: string;
  readonly seal: string;
}

export function createVerifier(): Verifier {
  const problems: Problem[] = [];
  /** The expected position. After an event at another position, counting continues from that position. */
  let next = 1;
  const versions = new Map<string, number>();
  const erased = new Map<number, { readonly leafHash: string; readonly seal: string }>();
  const recorded = new Map<number, Erasure>();
  const tree = createTree();

  function fault(position: number | null, what: string): void {
    if (problems.length < PROBLEMS_MAX) problems.push({ position, what });
  }

  function add(envelope: Envelope): void {
    if (envelope.position !== next) fault(next, `the event here says its position is ${envelope.position}`);
    const position = Number.isSafeInteger(envelope.position) ? envelope.position : next;
    next = position + 1;
    const version = (versions.get(envelope.stream) ?? 0) + 1;
    if (envelope.version !== version) {
      fault(position, `version ${envelope.version} of ${envelope.stream} stands where ${version} belongs`);
    }
    versions.set(envelope.stream, Number.isSafeInteger(envelope.version) ? envelope.version : version);
    const leaf = envelope.erased === true ? statedLeaf(envelope) : computedLeaf(envelope);
    if (leaf.toString('hex') !== envelope.leaf_hash) fault(position, 'its leaf hash is not the hash of its content');
    if (envelope.erased === true) {
      erased.set(position, { leafHash: envelope.leaf_hash, seal: sealOf(envelope) });
    } else if (envelope.stream === ERASURES_STREAM) {
      for (const erasure of erasuresIn(envelope)) recorded.set(erasure.position, erasure);
    }
    tree.add(leaf);
  }

  function checkErasures(): void {
    for (const [position, { leafHash, seal }] of erased) {
      const erasure = recorded.get(position);
      if (erasure === undefined) fault(position, 'its payload is gone and no event records that it was erased');
      else if (erasure.leaf_hash !== leafHash || erasure.seal !== seal) {
        fault(position, 'it differs from what was recorded when its payload was erased');
      }
    }
    for (const position of recorded.keys()) {
      if (!erased.has(position)) fault(position, 'its payload was recorded as erased but is there');
    }
  }

  let checked = -1;
  return {
    add,
    get size() {
      return tree.size;
    },
    treeHash: () => tree.hash().toString('hex'),
    problems() {
      if (checked !== tree.size) checkErasures();
      checked = tree.size;
      return problems;
    },
  };
}

/** The hashed bytes: RFC 8785 JSON of the eleven fields. */
function canonicalBytes(envelope: Envelope, withData: boolean): Buffer {
  const { leaf_hash: _hash, erased: _erased, data, ...metadata } = envelope;
  return Buffer.from(canonical(withData ? { ...metadata, data } : metadata));
}

/** JSON with sorted keys. RFC 8785 writes numbers and strings as ECMAScript does. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function computedLeaf(envelope: Envelope): Buffer {
  return sha256(Buffer.of(0), canonicalBytes(envelope, true));
}

function statedLeaf(envelope: Envelope): Buffer {
  return Buffer.from(envelope.leaf_hash, 'hex');
}

function sealOf(envelope: Envelope): string {
  return sha256(Buffer.of(2), statedLeaf(envelope), canonicalBytes(envelope, false)).toString('hex');
}

function erasuresIn(envelope: Envelope): readonly Erasure[] {
  const { erased } = (envelope.data ?? {}) as { erased?: unknown };
  return Array.isArray(erased) ? erased.filter((each) => Number.isSafeInteger(each?.position)) : [];
}

/** RFC 9162 §2.1.1: complete subtrees, largest first, merged as soon as two have the same size. */
function createTree() {
  const subtrees: { leaves: number; hash: Buffer }[] = [];
  let size = 0;
  const node = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.of(1), left, right);
  return {
    get size() {
      return size;
    },
    add(leaf: Buffer): void {
      size += 1;
      let grown = { leaves: 1, hash: leaf };
      while (subtrees.at(-1)?.leaves === grown.leaves) {
        grown = { leaves: grown.leaves * 2, hash: node(subtrees.pop()!.hash, grown.hash) };
      }
      subtrees.push(grown);
    },
    hash(): Buffer {
      const last = subtrees.at(-1);
      if (last === undefined) return sha256();
      return subtrees.slice(0, -1).reduceRight((right, left) => node(left.hash, right), last.hash);
    },
  };
}
