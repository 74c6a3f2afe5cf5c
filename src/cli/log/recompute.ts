/** Computes the tree of a log from its events alone, and compares it with a head that was noted or signed earlier. */
import type { Envelope } from '../../events/envelope.ts';
import { StorageError } from '../../storage/errors.ts';
import { createVerifier, type Problem } from './verifier.ts';

export interface Head {
  readonly position: number;
  readonly tree_hash: string;
}

/** A head that was noted earlier, by hand or in a signed checkpoint. */
export interface TrustedHead extends Head {
  readonly isSigned: boolean;
}

interface RecomputeOptions {
  readonly trusted: TrustedHead | null;
  readonly progress: { at(done: number, total: number): void };
  /** Number of events, 0 when it is not known. */
  readonly total: number;
}

interface Recomputed {
  readonly size: number;
  readonly treeHash: string;
  readonly problems: readonly Problem[];
}

/**
 * Computes the tree of the events and lists their problems. Rejects when the source fails or is out of reach; an event
 * that the storage cannot read is a problem of the log.
 */
export async function recompute(
  events: AsyncIterable<Envelope>,
  { trusted, progress, total }: RecomputeOptions,
): Promise<Recomputed> {
  const verifier = createVerifier();
  let hashAtTrusted = trusted?.position === 0 ? verifier.treeHash() : null;
  const unreadable: Problem[] = [];
  try {
    for await (const envelope of events) {
      verifier.add(envelope);
      if (verifier.size === trusted?.position) hashAtTrusted = verifier.treeHash();
      progress.at(verifier.size, total);
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === 'STORAGE_UNAVAILABLE') throw error;
    unreadable.push({ position: verifier.size + 1, what: error.message });
  }
  const problems = [...verifier.problems(), ...unreadable];
  if (trusted !== null && hashAtTrusted !== trusted.tree_hash) {
    problems.push({ position: null, what: mismatchText(trusted, hashAtTrusted, verifier.size) });
  }
  return { size: verifier.size, treeHash: verifier.treeHash(), problems };
}

/** `hash`: the tree hash at the position of the trusted head; null when the log is shorter. */
function mismatchText({ position, isSigned }: TrustedHead, hash: string | null, size: number): string {
  const events = isSigned ? `${position} events that the checkpoint was signed for` : `trusted ${position} events`;
  const what =
    hash === null
      ? `the log is shorter than that, it was cut or rolled back to ${size} events`
      : `events before that were changed, its tree hash there is ${hash}`;
  return `the log does not begin with the ${events}: ${what}`;
}
