/** Backup of a `cow` store: a consistent copy of the newest state in another directory, while commits continue. */
import { dirname, join } from 'node:path';
import { diskError } from '../disk-error.ts';
import { StorageError } from '../errors.ts';
import { abandonDraft, DRAFT_FILE, type Place, publish } from './open.ts';
import { PageFile } from './page-file.ts';
import { type Rebuild, rebuild } from './rebuild.ts';
import type { Store } from './store.ts';

/** The log of a backup is empty, so the smallest segment suffices. */
const SEGMENT_BYTES = 65_536;

/**
 * Resolves with the files and bytes written, all of them durable. Rejects with `STORAGE_TARGET` if not empty, and with
 * what `check` throws, which is called between the parts of the copy.
 */
export async function backupStore(
  store: Store,
  place: Place,
  check: () => void,
): Promise<{ files: number; bytes: number }> {
  const { directory, disk, config } = place;
  if (disk.exists(directory) && disk.list(directory).length > 0) {
    throw new StorageError('STORAGE_TARGET', `The backup target ${directory} is not empty; name a new directory.`);
  }
  const reader = store.acquireReader();
  try {
    disk.makeDirectory(directory);
    await writeDraft({ from: store, state: reader, progress: check }, place);
    await publish({ ...place, config: { ...config, wal_buffer_size: SEGMENT_BYTES } });
    disk.syncDirectory(dirname(directory));
    return sizeOf(place);
  } catch (error) {
    abandonDraft(place);
    throw diskError(error, `Cannot write the backup to ${directory}`);
  } finally {
    store.releaseReader(reader);
  }
}

async function writeDraft(
  source: Pick<Rebuild, 'from' | 'state' | 'progress'>,
  { directory, disk, config }: Place,
): Promise<void> {
  using to = new PageFile(disk, { directory, name: DRAFT_FILE, mode: 'create' });
  await rebuild({ ...source, to, keysMax: config.max_keys_per_node, sequence: 0 });
}

function sizeOf({ directory, disk }: Place): { files: number; bytes: number } {
  const names = disk.list(directory);
  let bytes = 0;
  for (const name of names) {
    using file = disk.openFile(join(directory, name), 'read');
    bytes += file.size();
  }
  return { files: names.length, bytes };
}
