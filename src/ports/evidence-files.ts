/**
 * Files as evidence: listing a workspace for candidates, and comparing files with their state when they were attached.
 *
 * - Only regular files are opened; the walk follows no symbolic link.
 * - Files in credential stores and in Daybook's home are not visited and have no fingerprint.
 */
import type { Fingerprint } from '../events/engagement/events.ts';

/** A file that the visitor took. */
export interface WalkedFile {
  /** Real absolute path. */
  readonly path: string;
  /** Relative to the root, with `/`, spelled as on disk. */
  readonly relative: string;
  readonly bytes: number;
}

export interface Walk {
  readonly filesScanned: number;
  readonly taken: readonly WalkedFile[];
  /** Why the walk is incomplete, a sentence each; empty when it is complete. */
  readonly cutShort: readonly string[];
}

/** Decides about the file at this path relative to the root; `stop` ends the walk before it. */
export type Visitor = (relative: string) => 'take' | 'skip' | 'stop';

/** `unchecked`: the file is too large, or too many files were compared already. */
export type FileStanding = 'same' | 'changed' | 'missing' | 'unchecked';

export interface EvidenceFiles {
  /** Visits the regular files below a directory in a stable order. Undefined when the root is not a directory. */
  walk(root: string, visit: Visitor): Promise<Walk | undefined>;
  /** Size and SHA-256 of a regular file by absolute path; null when there is none, or none that may be read. */
  fingerprint(path: string): Promise<Fingerprint | null>;
  /** Compares files with their fingerprints, in the order given. */
  compare(files: readonly Fingerprint[]): Promise<readonly FileStanding[]>;
  /** The content of a file that still has its fingerprint; null for any other, and for one that may not be read. */
  read(file: Fingerprint): Promise<Uint8Array | null>;
}
