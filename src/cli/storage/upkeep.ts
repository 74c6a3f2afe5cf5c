/** `daybook storage detect|stats|compact|replay-wal|reduce-cache`: a store's state, and its upkeep. */
import { z } from 'zod';
import { detectBackend } from '../../storage/marker.ts';
import { type FullStats, fullStats } from '../../storage/ops/stats.ts';
import { UsageError } from '../failures.ts';
import { whole } from '../numbers.ts';
import { createProgress } from '../progress.ts';
import { print } from '../text.ts';
import { askFor, holderOf } from './holder.ts';
import { type Place, type PlaceOptions, placeOf, storeIn, withStore } from './place.ts';
import { printFacts, printJson } from './verb.ts';
import { walRecords } from './wal-files.ts';

/** Which engine wrote the directory. */
export async function detect(options: PlaceOptions): Promise<void> {
  const { directory } = placeOf(options);
  const backend = detectBackend(directory);
  if (options.json === true) await printJson({ directory, backend });
  else await print(`${backend ?? 'none'}\n`);
}

export async function stats(options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  storeIn(place.directory);
  const holder = holderOf(place);
  const found =
    holder === null
      ? await withStore(place, async (storage) => fullStats(storage))
      : await holder.request('/v1/storage/stats', { schema: zStats });
  if (options.json === true) return printJson(found);
  const { levels, ...facts } = found;
  await printFacts(facts);
  for (const [level, { tables, bytes }] of levels.entries()) {
    await print(`level ${level}: ${tables} tables, ${bytes} bytes\n`);
  }
}

const zStats = z.looseObject({
  levels: z.array(z.object({ tables: z.number(), bytes: z.number() })),
}) as unknown as z.ZodType<FullStats>;

export async function compact(options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  storeIn(place.directory);
  const holder = holderOf(place);
  const facts = holder === null ? await compactHere(place) : await askFor(holder, { kind: 'compact' });
  await (options.json === true ? printJson(facts) : printFacts(facts));
}

async function compactHere(place: Place): Promise<Readonly<Record<string, unknown>>> {
  const progress = createProgress('compacting');
  try {
    return await withStore(place, async ({ engine }) => {
      const before = engine.stats().diskBytes;
      await engine.compact((done, total) => progress.at(done, total));
      return { disk_bytes_before: before, disk_bytes: engine.stats().diskBytes };
    });
  } finally {
    progress.end();
  }
}

/** Opening replays what the log holds beyond the store, closing moves it there: then there is nothing to replay. */
export async function replayWal(options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  const backend = storeIn(place.directory);
  const found = walRecords(place.directory);
  const facts = await withStore(place, async ({ log }) => {
    const { position, treeHash } = log.head();
    return { backend, wal_records: found.records, wal_bytes: found.bytes, position, tree_hash: treeHash };
  });
  await (options.json === true ? printJson(facts) : printFacts(facts));
}

export async function reduceCache(options: PlaceOptions & { readonly blockCacheMb: string }): Promise<void> {
  const megabytes = whole(options.blockCacheMb, '--block-cache-mb');
  const place = placeOf(options);
  const backend = storeIn(place.directory);
  if (backend !== 'lsm') {
    throw new UsageError(`Only an lsm store has a block cache; ${place.directory} is ${backend}.`);
  }
  const holder = holderOf(place);
  if (holder === null) {
    const what = `Nothing runs on ${place.directory}, so there is no cache to reduce`;
    throw new UsageError(`${what}; for the next start set lsm_config.block_cache_mb in storage.json.`);
  }
  const schema = z.object({ block_cache_mb: z.number() });
  const answer = await holder.request('/v1/storage/cache', {
    method: 'POST',
    body: { block_cache_mb: megabytes },
    schema,
  });
  if (options.json === true) await printJson(answer);
  else await print(`The block cache is ${answer.block_cache_mb} MB now.\n`);
}
