/** `daybook storage detect|stats|compact|replay-wal|reduce-cache`: the state and the maintenance of a store. */
import { detectBackend } from '../../storage/marker.ts';
import { compactStorage } from '../../storage/ops/control.ts';
import { fullStats } from '../../storage/ops/stats.ts';
import { UsageError } from '../errors.ts';
import { wholeNumber } from '../options.ts';
import { createProgress } from '../progress.ts';
import { counted, print, printJson } from '../text.ts';
import { lockHolderClient, runOperation } from './lock-holder.ts';
import { readStore } from './read-store.ts';
import { printFacts } from './reporting.ts';
import {
  locateStore,
  requireStore,
  requireUnlocked,
  type StoreLocation,
  type StoreOptions,
  withStore,
} from './store-location.ts';
import { toReplay } from './wal-files.ts';

export async function detect(options: StoreOptions): Promise<void> {
  const { directory } = locateStore(options);
  const backend = detectBackend(directory);
  if (options.json === true) await printJson({ directory, backend });
  else await print(`${backend ?? 'none'}\n`);
}

export async function stats(options: StoreOptions): Promise<void> {
  const place = locateStore(options);
  requireStore(place.directory);
  const holder = lockHolderClient(place);
  const found =
    holder === null ? await readStore(place, async (storage) => fullStats(storage)) : await holder.api.storage.stats();
  if (options.json === true) return printJson(found);
  const { levels, ...facts } = found;
  await printFacts(facts);
  for (const [level, { tables, bytes }] of levels.entries()) {
    await print(`level ${level}: ${counted(tables, 'table')}, ${bytes} bytes\n`);
  }
}

export async function compact(options: StoreOptions): Promise<void> {
  const place = locateStore(options);
  requireStore(place.directory);
  const holder = lockHolderClient(place);
  const facts = holder === null ? await compactHere(place) : await runOperation(holder, { kind: 'compact' });
  await printFacts(facts, options);
}

async function compactHere(place: StoreLocation): Promise<Readonly<Record<string, unknown>>> {
  using progress = createProgress('compacting');
  return await withStore(place, (storage) => compactStorage(storage, (done, total) => progress.at(done, total)));
}

/** Opening replays the write-ahead log; then its content is written to the store, so that nothing is left to replay. */
export async function replayWal(options: StoreOptions): Promise<void> {
  const place = locateStore(options);
  const backend = requireStore(place.directory);
  requireUnlocked(place);
  const found = toReplay(place.directory);
  const facts = await withStore(place, async ({ log, engine }) => {
    await engine.settle?.();
    const { position, treeHash } = log.head();
    return { backend, wal_records: found.records, wal_bytes: found.bytes, position, tree_hash: treeHash };
  });
  await printFacts(facts, options);
}

export async function reduceCache(options: StoreOptions & { readonly blockCacheMb: string }): Promise<void> {
  const megabytes = wholeNumber(options.blockCacheMb, '--block-cache-mb');
  const place = locateStore(options);
  const backend = requireStore(place.directory);
  if (backend !== 'lsm') {
    throw new UsageError(`Only an lsm store has a block cache; ${place.directory} is ${backend}.`);
  }
  const holder = lockHolderClient(place);
  if (holder === null) {
    const what = `Nothing runs on ${place.directory}, so there is no cache to reduce`;
    throw new UsageError(`${what}; for the next start set lsm_config.block_cache_mb in storage.json.`);
  }
  const answer = await holder.api.storage.resizeCache({ block_cache_mb: megabytes });
  if (options.json === true) await printJson(answer);
  else await print(`The block cache is ${answer.block_cache_mb} MB now.\n`);
}
