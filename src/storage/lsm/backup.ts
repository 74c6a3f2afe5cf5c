/**
 * Backup of an `lsm` store while commits continue: the tables of one state, an empty log, and the manifest last.
 *
 * - The tables are pinned while they are copied; later commits are not part of the backup.
 * - Without its manifest the target is not a store, so an unfinished backup does not open.
 */
import { diskError } from '../disk-error.ts';
import { StorageError } from '../errors.ts';
import { openWal } from '../wal.ts';
import type { Background } from './background.ts';
import { encodeManifest } from './manifest.ts';
import type { ManifestEditor } from './manifest-editor.ts';
import type { StorePlace } from './open.ts';

/** The log of a backup is empty; later segments have the configured size. */
const BACKUP_SEGMENT_BYTES = 65_536;

export interface StoreParts {
  readonly place: StorePlace;
  readonly background: Background;
  readonly editor: ManifestEditor;
}

/** Resolves with the files and bytes written, all durable. Rejects with `STORAGE_TARGET` when `target` is not empty. */
export async function backupStore(
  parts: StoreParts,
  target: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { place, background, editor } = parts;
  const { disk, directory } = place;
  const levels = editor.levels.pin();
  const manifest = editor.manifest();
  try {
    if (disk.exists(target) && disk.list(target).length > 0) {
      throw new StorageError('STORAGE_TARGET', `${target} is not empty. A backup needs a new or empty directory.`);
    }
    disk.makeDirectory(target);
    const tables = manifest.levels.flat();
    await background.run({ kind: 'copy', directory, target, tables });
    const log = { disk, directory: target, segmentBytes: BACKUP_SEGMENT_BYTES, after: manifest.lastSequence };
    const wal = openWal({ ...log, create: true, visit: () => undefined });
    const logBytes = wal.diskBytes;
    await wal.close();
    const bytes = encodeManifest(manifest);
    await background.run({ kind: 'edit', directory: target, manifest: bytes });
    const tableBytes = tables.reduce((sum, meta) => sum + meta.fileBytes, 0);
    return { files: disk.list(target).length, bytes: tableBytes + logBytes + bytes.length };
  } catch (error) {
    throw diskError(error, `Cannot write the backup to ${target}`);
  } finally {
    levels.unpin();
  }
}
