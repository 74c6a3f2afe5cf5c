/**
 * Files as evidence: walking a workspace for what could be some, and saying whether a file is still the one that was
 * attached.
 *
 * - Nothing is opened but regular files; no symbolic link is followed while walking.
 * - Files in credential stores have no fingerprint.
 */
import type { Fingerprint } from '../events/engagement/events.ts';

/** A file that a visitor took. */
export interface WalkedFile {
  /** Real absolute path. */
  readonly path: string;
  /** From the root, with `/`, as it is spelled on disk. */
  readonly relative: string;
  readonly bytes: number;
}

export interface Walk {
  readonly filesScanned: number;
  readonly taken: readonly WalkedFile[];
  /** Why the walk saw less than everything, a sentence each; empty when it saw all. */
  readonly cutShort: readonly string[];
}

/** What to do with the file at this path from the root; `stop` leaves it and everything after it. */
export type Visitor = (relative: string) => 'take' | 'skip' | 'stop';

/** `unchecked`: too large, or too many, to be read for this answer. */
export type FileStanding = 'same' | 'changed' | 'missing' | 'unchecked';

export interface EvidenceFiles {
  /** Visits the regular files under a directory in a stable order. Undefined when the root is not a directory. */
  walk(root: string, visit: Visitor): Promise<Walk | undefined>;
  /** Size and SHA-256 of the regular file at an absolute path; null when there is none that may be read. */
  fingerprint(path: string): Promise<Fingerprint | null>;
  /** How each file stands to what it was; in the order given. */
  compare(files: readonly Fingerprint[]): Promise<readonly FileStanding[]>;
}
