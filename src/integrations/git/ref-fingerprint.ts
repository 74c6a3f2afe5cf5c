/**
 * A cheap sign of the refs' state: what the file system says about the files that git keeps them in. Equal stamps mean
 * equal refs once the files are older than the clock of the file system is coarse; before that, and wherever refs are
 * kept in another way, git itself has to be asked.
 */
import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LocatedRepository } from './locate.ts';

export interface RefFingerprint {
  readonly text: string;
  /** No file of it changed lately. */
  readonly isSettled: boolean;
}

/** With more loose refs than these git is asked: it is then about as fast. */
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
      if (entries % ENTRIES_PER_TURN === 0) await nextTurn();
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

/** At most one more than are looked at. */
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
    // A folder that went away, or never was: its stat says so.
  }
  return found;
}
