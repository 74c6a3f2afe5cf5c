/**
 * `daybook storage inspect pages|tables|wal|events`: the internals of a store, for finding faults.
 *
 * - Reads the files without the engine where it can, so that a store that does not open can be inspected.
 * - Needs a store that no process has open: bytes change under a writer.
 */
import { join } from 'node:path';
import { type DiskBackend, readMarker } from '../../storage/marker.ts';
import type { Storage } from '../../storage/open.ts';
import { UsageError } from '../errors.ts';
import { wholeNumber } from '../options.ts';
import { print, printJson } from '../text.ts';
import type { Row } from './inspect-engines.ts';
import { readStore } from './read-store.ts';
import { locateStore, requireStore, requireUnlocked, type StoreLocation, type StoreOptions } from './store-location.ts';
import { walFiles } from './wal-files.ts';

interface InspectOptions extends StoreOptions {
  readonly limit: string;
}

const SUBJECTS: Readonly<Record<string, readonly DiskBackend[]>> = {
  pages: ['cow', 'embedded_kv'],
  tables: ['lsm', 'embedded_kv'],
  wal: ['cow', 'lsm', 'embedded_kv'],
  events: ['cow', 'lsm', 'embedded_kv'],
};

export async function inspect(subject: string, options: InspectOptions): Promise<void> {
  const limit = wholeNumber(options.limit, '--limit');
  const engines = Object.hasOwn(SUBJECTS, subject) ? SUBJECTS[subject]! : [];
  if (engines.length === 0) throw new UsageError(`Inspect ${Object.keys(SUBJECTS).join(', ')}; not '${subject}'.`);
  const place = locateStore(options);
  const backend = requireStore(place.directory);
  if (!engines.includes(backend)) throw new UsageError(`A store of ${backend} has no ${subject}.`);
  requireUnlocked(place);
  const isJson = options.json === true;
  if (subject === 'events') return readStore(place, async ({ log }) => show(eventRows(log, limit), isJson));
  await show(await rowsOf(subject, { place, backend, limit }), isJson);
}

interface InspectedStore {
  readonly place: StoreLocation;
  readonly backend: DiskBackend;
  readonly limit: number;
}

async function rowsOf(subject: string, { place, backend, limit }: InspectedStore): Promise<Iterable<Row>> {
  const store = join(place.directory, readMarker(place.directory)!.store);
  if (subject === 'wal')
    return walFiles(place.directory)
      .slice(0, limit)
      .map((file) => ({ ...file }));
  const { cowPages, lsmTables, embeddedRows } = await import('./inspect-engines.ts');
  if (backend === 'cow') return cowPages(store, limit);
  return backend === 'lsm' ? lsmTables(store, limit) : embeddedRows(store, subject);
}

function* eventRows(log: Storage['log'], limit: number): Generator<Row> {
  let count = 0;
  for (const { position, record } of log.readRaw()) {
    count += 1;
    if (count > limit) return;
    const event = log.at(position)!;
    const { stream, version, type, leafHash, erased } = event;
    yield {
      position,
      stream,
      version,
      type,
      bytes: record.length,
      leaf_hash: leafHash,
      erased: erased === true ? 'erased' : '',
    };
  }
}

async function show(rows: Iterable<Row>, isJson: boolean): Promise<void> {
  let heading: readonly string[] | null = null;
  for (const row of rows) {
    if (isJson) {
      await printJson(row);
      continue;
    }
    const columns = Object.keys(row);
    if (heading === null) await print(`${columns.join('\t')}\n`);
    heading ??= columns;
    await print(
      `${Object.values(row)
        .map((value) => value ?? '-')
        .join('\t')}\n`,
    );
  }
}
