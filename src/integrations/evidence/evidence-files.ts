/**
 * Local files as evidence: fingerprints when they are attached, and whether the files still match them.
 *
 * - A file in a credential store or in Daybook's own home gets no fingerprint, and no walk visits it.
 * - A path may lead through a link, as after a move of the workspace: the hash tells whether the file is the recorded
 *   one.
 * - Hashes are cached with the times and the identity of their file, so an unchanged file is read once. The hash of a
 *   file that has just changed is not cached: a second change within the same clock tick would go unnoticed.
 */
import { createHash } from 'node:crypto';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '../../events/engagement/events.ts';
import { isInside, realOrAbsolute } from '../../lib/paths.ts';
import type { EvidenceFiles, FileStanding, Visitor, Walk } from '../../ports/evidence-files.ts';
import { forbiddenName, openFile } from '../tools/confine.ts';
import { walk } from './walk.ts';

/** Larger files have a size but no hash. */
const HASHED_BYTES_MAX = 268_435_456;
/** Bytes that one comparison reads at most; further files are `unchecked`. */
const COMPARED_BYTES_MAX = 268_435_456;
const CACHED_FILES_MAX = 10_000;
const COMPARED_AT_ONCE = 32;
const READ_BYTES = 262_144;
/** Two changes within one tick of the file system's clock have equal times. */
const SETTLED_MS = 100;

/** Identity and times of a file, which show a change without reading the file. */
interface FileState {
  readonly size: bigint;
  readonly identity: string;
  readonly changedMs: number;
}

export function createEvidenceFiles({ home }: { readonly home: string }): EvidenceFiles {
  const hashes = createHashCache();

  async function fingerprint(path: string): Promise<Fingerprint | null> {
    try {
      const real = await realpath(path);
      if (await offLimits(home, path, real)) return null;
      const stats = await lstat(real);
      if (!stats.isFile()) return null;
      if (stats.size > HASHED_BYTES_MAX) return { path: real, size_bytes: stats.size, sha256: null };
      const { size, sha256 } = await hashes.read(real);
      return { path: real, size_bytes: size, sha256 };
    } catch {
      return null;
    }
  }

  async function compareOne(file: Fingerprint, budget: { bytes: number }): Promise<FileStanding> {
    try {
      const now = await stateOf(file.path);
      if (Number(now.size) !== file.size_bytes) return 'changed';
      if (file.sha256 === null) return 'unchecked';
      const known = hashes.known(file.path, now);
      if (known !== undefined) return known === file.sha256 ? 'same' : 'changed';
      if (budget.bytes < file.size_bytes) return 'unchecked';
      budget.bytes -= file.size_bytes;
      return (await hashes.read(file.path)).sha256 === file.sha256 ? 'same' : 'changed';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
      return code === 'EACCES' || code === 'EPERM' || code === 'EIO' ? 'unchecked' : 'changed';
    }
  }

  return {
    walk: (root, visit) => walkOutside(home, root, visit),
    fingerprint,
    read: (file) => readUnchanged(home, file),
    async compare(files) {
      const budget = { bytes: COMPARED_BYTES_MAX };
      const standings: FileStanding[] = [];
      for (let from = 0; from < files.length; from += COMPARED_AT_ONCE) {
        const some = files.slice(from, from + COMPARED_AT_ONCE);
        standings.push(...(await Promise.all(some.map((file) => compareOne(file, budget)))));
      }
      return standings;
    },
  };
}

async function readUnchanged(home: string, file: Fingerprint): Promise<Uint8Array | null> {
  try {
    const real = await realpath(file.path);
    if (file.size_bytes > HASHED_BYTES_MAX || (await offLimits(home, file.path, real))) return null;
    await using handle = await openFile(real);
    if ((await handle.stat()).size !== file.size_bytes) return null;
    const content = await handle.readFile();
    return createHash('sha256').update(content).digest('hex') === file.sha256 ? content : null;
  } catch {
    return null;
  }
}

interface HashCache {
  /** Reads and hashes the file, and caches the hash when the file did not change meanwhile. */
  read(path: string): Promise<{ readonly size: number; readonly sha256: string }>;
  /** The cached hash, if it is of a file with this state. */
  known(path: string, now: FileState): string | undefined;
}

/** Hashes by path, with the identity of the hashed file; the oldest entry is dropped first. */
function createHashCache(): HashCache {
  const cached = new Map<string, { readonly identity: string; readonly sha256: string }>();
  return {
    async read(path) {
      const before = await stateOf(path);
      const read = await readHash(path);
      const after = await stateOf(path);
      const isSettled = Date.now() - after.changedMs > SETTLED_MS;
      if (before.identity === after.identity && isSettled) {
        cached.delete(path);
        cached.set(path, { identity: after.identity, sha256: read.sha256 });
        if (cached.size > CACHED_FILES_MAX) cached.delete(cached.keys().next().value!);
      }
      return read;
    },
    known(path, now) {
      const entry = cached.get(path);
      return entry?.identity === now.identity ? entry.sha256 : undefined;
    },
  };
}

async function offLimits(home: string, path: string, real: string): Promise<boolean> {
  if (forbiddenName(path, 'read') !== undefined || forbiddenName(real, 'read') !== undefined) return true;
  return isInside(await realOrAbsolute(home), real);
}

/** Walks the root without the files of Daybook's home. */
async function walkOutside(home: string, root: string, visit: Visitor): Promise<Walk | undefined> {
  const [realHome, realRoot] = await Promise.all([realOrAbsolute(home), realOrAbsolute(root)]);
  return walk(root, (relative) => (isInside(realHome, join(realRoot, relative)) ? 'skip' : visit(relative)));
}

async function stateOf(path: string): Promise<FileState> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  const newest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const identity = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  return { size, identity, changedMs: Number(newest / 1_000_000n) };
}

/** Reads in pieces, so that the event loop can serve other requests meanwhile. */
async function readHash(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
  await using handle = await openFile(await realpath(path));
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, size);
    if (bytesRead === 0) return { size, sha256: hash.digest('hex') };
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size > HASHED_BYTES_MAX) throw new Error('The file grew beyond what is hashed.');
  }
}
