/** Verification of an open `lsm` store: the manifest and the log here, the tables in the background. */
import { faultOf } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import type { Wal } from '../wal.ts';
import type { StoreParts } from './backup.ts';
import { MANIFEST, readManifest } from './manifest.ts';
import type { VerifyTask } from './verify-tables.ts';

/** The faults of the manifest, of the tables of the current state, and of the log. */
export async function verifyStore(
  parts: StoreParts & { readonly wal: Wal },
  progress?: (done: number, total: number) => void,
): Promise<Fault[]> {
  const { place, background, editor, wal } = parts;
  const levels = editor.levels.pin();
  try {
    const faults: Fault[] = [];
    const metas = levels.tables.map((tables) => tables.map((table) => table.meta));
    const total = metas.flat().reduce((sum, meta) => sum + meta.fileBytes, 0);
    try {
      if (readManifest(place.disk, place.directory) === undefined) {
        faults.push({ file: MANIFEST, offset: null, what: 'the manifest is missing' });
      }
    } catch (error) {
      faults.push(faultOf(error, MANIFEST));
    }
    const task: VerifyTask = { kind: 'verify', directory: place.directory, levels: metas };
    faults.push(...(await background.run(task, (done) => progress?.(done, total))));
    faults.push(...(await wal.verify()));
    progress?.(total, total);
    return faults;
  } finally {
    levels.unpin();
  }
}
