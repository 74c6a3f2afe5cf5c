/** `daybook storage detect|stats|compact|replay-wal|reduce-cache`: a store's state, and its upkeep. */
import { z } from 'zod';
import type { KeyValueEngine } from '../../storage/engine.ts';
import { detectBackend } from '../../storage/marker.ts';
import { compactStorage } from '../../storage/ops/control.ts';
import { type FullStats, fullStats } from '../../storage/ops/stats.ts';
import { UsageError } from '../failures.ts';
import { whole } from '../numbers.ts';
import { createProgress } from '../progress.ts';
import { print } from '../text.ts';
import { askFor, holderOf } from './holder.ts';
import { checkFree, type Place, type PlaceOptions, placeOf, storeIn, withStore } from './place.ts';
import { printFacts, printJson } from './verb.ts';
import { toReplay } from './wal-files.ts';

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

/** As `stats` of an open store: the same names in the same order, whoever is asked. */
const zStats: z.ZodType<FullStats> = z.object({
  backend: z.string(),
  events: z.number(),
  tree_hash: z.string(),
  keys: z.number().nullable(),
  disk_bytes: z.number(),
  live_bytes: z.number().nullable(),
  wal_bytes: z.number(),
  cache_bytes: z.number(),
  cache_hits: z.number(),
  cache_misses: z.number(),
  snapshots: z.number(),
  pending_compaction_bytes: z.number(),
  levels: z.array(z.object({ tables: z.number(), bytes: z.number() })),
  failure: z.string().nullable(),
});

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
    return await withStore(place, (storage) => compactStorage(storage, (done, total) => progress.at(done, total)));
  } finally {
    progress.end();
  }
}

/** Opening replays what the log holds beyond the store; it is moved there, so that nothing is left to replay. */
export async function replayWal(options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  const backend = storeIn(place.directory);
  checkFree(place);
  const found = toReplay(place.directory);
  const facts = await withStore(place, async ({ log, engine }) => {
    if ('settle' in engine) await (engine as KeyValueEngine & { settle(): Promise<void> }).settle();
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
