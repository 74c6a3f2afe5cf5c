/** A consistent copy of the newest state into another directory, while commits go on. */
import { dirname, join } from 'node:path';
import { diskError } from '../disk-error.ts';
import { StorageError } from '../errors.ts';
import { DRAFT_FILE, type Place, publish } from './open.ts';
import { PageFile } from './page-file.ts';
import { rebuild } from './rebuild.ts';
import type { Store } from './store.ts';

/** The log of a backup is empty: the smallest segment does. */
const SEGMENT_BYTES = 65_536;

export async function backupStore(store: Store, place: Place): Promise<{ files: number; bytes: number }> {
  const { directory, disk, config } = place;
  if (disk.exists(directory) && disk.list(directory).length > 0) {
    throw new StorageError('STORAGE_TARGET', `The backup target ${directory} is not empty; name a new directory.`);
  }
  const reader = store.hold();
  try {
    disk.makeDirectory(directory);
    const draft = new PageFile(disk, { directory, name: DRAFT_FILE, mode: 'create' });
    const keysMax = config.max_keys_per_node;
    await rebuild({ from: store, state: reader, to: draft, keysMax, sequence: 0, progress: () => {} });
    draft.close();
    await publish({ ...place, config: { ...config, wal_buffer_size: SEGMENT_BYTES } });
    disk.syncDirectory(dirname(directory));
    return sizeOf(place);
  } catch (error) {
    throw diskError(error, `Cannot write the backup to ${directory}`);
  } finally {
    store.letGo(reader);
  }
}

function sizeOf({ directory, disk }: Place): { files: number; bytes: number } {
  const names = disk.list(directory);
  let bytes = 0;
  for (const name of names) {
    const file = disk.openFile(join(directory, name), 'read');
    bytes += file.size();
    file.close();
  }
  return { files: names.length, bytes };
}
