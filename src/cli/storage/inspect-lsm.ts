/** The tables of an `lsm` store as its manifest names them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../../storage/lsm/manifest.ts';
import { tableName } from '../../storage/lsm/table-format.ts';
import { nodeDisk } from '../../storage/node-disk.ts';

const KEY_BYTES_SHOWN = 24;

export function* lsmTables(store: string, limit: number) {
  const manifest = readManifest(nodeDisk, store);
  let count = 0;
  for (const [level, tables] of (manifest?.levels ?? []).entries()) {
    for (const { id, fileBytes, entries, tombstones, smallest, largest } of tables) {
      count += 1;
      if (count > limit) return;
      yield {
        file: tableName(id),
        level,
        bytes: fileBytes,
        entries,
        tombstones,
        smallest: shown(smallest),
        largest: shown(largest),
        note: existsSync(join(store, tableName(id))) ? '' : 'missing',
      };
    }
  }
}

function shown(key: Uint8Array): string {
  return Buffer.from(key.subarray(0, KEY_BYTES_SHOWN)).toString('hex');
}
