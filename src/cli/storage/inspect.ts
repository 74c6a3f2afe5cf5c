/**
 * `daybook storage inspect pages|tables|wal|events`: the insides of a store, for somebody who looks for a fault.
 *
 * - Reads the files as they are, past the engine where it can, so that a store that does not open can be looked at.
 * - Needs a store that nobody has open: bytes under a writer would tell tales.
 */
import { join } from 'node:path';
import { type DiskBackend, readMarker } from '../../storage/marker.ts';
import { UsageError } from '../failures.ts';
import { whole } from '../numbers.ts';
import { print } from '../text.ts';
import { checkFree, type Place, type PlaceOptions, placeOf, storeIn, withStore } from './place.ts';
import { walFiles } from './wal-files.ts';

type Row = Readonly<Record<string, string | number | null>>;

interface InspectOptions extends PlaceOptions {
  readonly limit: string;
}

const SUBJECTS: Readonly<Record<string, readonly DiskBackend[]>> = {
  pages: ['cow', 'embedded_kv'],
  tables: ['lsm', 'embedded_kv'],
  wal: ['cow', 'lsm', 'embedded_kv'],
  events: ['cow', 'lsm', 'embedded_kv'],
};

export async function inspect(subject: string, options: InspectOptions): Promise<void> {
  const limit = whole(options.limit, '--limit');
  const engines = Object.hasOwn(SUBJECTS, subject) ? SUBJECTS[subject]! : [];
  if (engines.length === 0) throw new UsageError(`Inspect ${Object.keys(SUBJECTS).join(', ')}; not '${subject}'.`);
  const place = placeOf(options);
  const backend = storeIn(place.directory);
  if (!engines.includes(backend)) throw new UsageError(`A store of ${backend} has no ${subject}.`);
  checkFree(place);
  const isJson = options.json === true;
  if (subject === 'events') return withStore(place, async ({ log }) => show(eventRows(log, limit), isJson));
  await show(await rowsOf(subject, { place, backend, limit }), isJson);
}

interface Look {
  readonly place: Place;
  readonly backend: DiskBackend;
  readonly limit: number;
}

async function rowsOf(subject: string, { place, backend, limit }: Look): Promise<Iterable<Row>> {
  const store = join(place.directory, readMarker(place.directory)!.store);
  if (subject === 'wal')
    return walFiles(place.directory)
      .slice(0, limit)
      .map((file) => ({ ...file }));
  if (backend === 'cow') return (await import('./inspect-cow.ts')).cowPages(store, limit);
  if (backend === 'lsm') return (await import('./inspect-lsm.ts')).lsmTables(store, limit);
  return (await import('./inspect-embedded.ts')).embeddedRows(store, subject);
}

function* eventRows(log: Parameters<Parameters<typeof withStore>[1]>[0]['log'], limit: number): Generator<Row> {
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
      await print(`${JSON.stringify(row)}\n`);
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
