/**
 * A cheap fingerprint of the refs: the metadata of the files that git keeps them in.
 *
 * - Equal fingerprints mean equal refs once the files are older than the resolution of the file system's clock
 *   (`isSettled`). Before that, and where refs are stored in another way (null), git must be asked.
 */
import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { LocatedRepository } from './locate.ts';

export interface RefFingerprint {
  readonly text: string;
  /** No file changed recently. */
  readonly isSettled: boolean;
}

/** For more loose refs, asking git is as fast. */
const LOOSE_REFS_MAX = 5_000;
const SETTLED_AFTER_MS = 2_000;
const ENTRIES_PER_TURN = 500;

export async function refFingerprint(place: LocatedRepository): Promise<RefFingerprint | null> {
  if (statOf(join(place.commonDir, 'reftable')) !== null) return null;
  const hash = createHash('sha1');
  let newest = 0;
  let entries = 0;
  const note = (path: string): void => {
    const stats = statOf(path);
    hash.update(`${path}\0${stats === null ? '' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join()}\n`);
    newest = Math.max(newest, stats?.mtimeMs ?? 0, stats?.ctimeMs ?? 0);
  };
  note(join(place.gitDir, 'HEAD'));
  for (const name of ['packed-refs', 'shallow']) note(join(place.commonDir, name));
  const folders = [join(place.commonDir, 'refs')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    note(folder);
    for (const entry of listOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else note(path);
      entries += 1;
      if (entries > LOOSE_REFS_MAX) return null;
      if (entries % ENTRIES_PER_TURN === 0) await yieldToOthers();
    }
  }
  return { text: hash.digest('hex'), isSettled: newest < Date.now() - SETTLED_AFTER_MS };
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** At most `LOOSE_REFS_MAX` + 1 entries. */
function listOf(folder: string): readonly Dirent[] {
  const found: Dirent[] = [];
  try {
    const directory = opendirSync(folder, { bufferSize: 256 });
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        found.push(entry);
        if (found.length > LOOSE_REFS_MAX) break;
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    // The folder is gone; its own metadata shows that.
  }
  return found;
}
