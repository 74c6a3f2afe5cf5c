/** `daybook storage verify|validate|validate-config`: checks every page and event, and a configuration file. */
import { resolve } from 'node:path';
import type { z } from 'zod';
import { readDiscovery } from '../../discovery.ts';
import { StorageError } from '../../storage/errors.ts';
import type { DiskBackend } from '../../storage/marker.ts';
import type { Storage } from '../../storage/open.ts';
import { configFacts, readStorageConfig } from '../../storage/ops/config.ts';
import { verificationFacts, verifyStorage } from '../../storage/ops/control.ts';
import { zVerification } from '../../storage/ops/operation.ts';
import { UsageError } from '../errors.ts';
import { daemonSource, directorySource } from '../log/source.ts';
import { viewsText } from '../log/verify.ts';
import { type ViewsResult, verifyViews } from '../log/verify-views.ts';
import { createProgress } from '../progress.ts';
import { counted, print, printJson } from '../text.ts';
import { lockHolderClient, runOperation } from './lock-holder.ts';
import { readStore } from './read-store.ts';
import { locateStore, requireStore, type StoreLocation, type StoreOptions } from './store-location.ts';

type Verified = z.infer<typeof zVerification>;

interface Verification extends Pick<Verified, 'ok'> {
  /** Null when the store does not open. */
  readonly head: number | null;
  readonly tree_hash: string | null;
  readonly errors: readonly Verified['errors'][number][];
  /** Null when the engine cannot be detected. */
  readonly backend: DiskBackend | null;
}

/** Reads every page and every event. A store that does not open is reported as a fault, too. */
export async function verify(options: StoreOptions & { readonly views?: boolean }): Promise<void> {
  const place = locateStore(options);
  const store = await verificationOf(place);
  const views = options.views === true && store.ok ? await viewsOf(place) : undefined;
  const differences = views?.differences.map((what) => ({ file: 'views.db', offset: null, what })) ?? [];
  const { backend, head, tree_hash } = store;
  const errors = [...store.errors, ...differences];
  const ok = errors.length === 0;
  // Before the faults are printed, so that the code holds without a reader, too.
  if (!ok) process.exitCode = 1;
  if (options.json === true) {
    await printJson({ ok, head, tree_hash, backend, errors, views });
  } else if (ok) {
    await print(`ok: ${counted(head ?? 0, 'event')}, tree hash ${tree_hash}, ${backend}\n${viewsText(views)}`);
  } else {
    for (const { file, offset, what } of errors) {
      await print(`fault in ${file}${offset === null ? '' : ` at offset ${offset}`}: ${what}\n`);
    }
  }
}

async function verificationOf(place: StoreLocation): Promise<Verification> {
  let backend: DiskBackend | null = null;
  using progress = createProgress('verifying');
  try {
    backend = requireStore(place.directory);
    const holder = lockHolderClient(place);
    if (holder !== null) return { backend, ...zVerification.parse(await runOperation(holder, { kind: 'verify' })) };
    const check = (storage: Storage) => verifyStorage(storage, (done, total) => progress.at(done, total));
    return { backend, ...verificationFacts(await readStore(place, check)) };
  } catch (error) {
    if (!isFault(error, backend)) throw error;
    const { file = 'store', offset = null, message } = error;
    return { backend, ok: false, head: null, tree_hash: null, errors: [{ file, offset, what: message }] };
  }
}

/** The views of the home, compared with its running daemon's log or with that of the data directory. */
async function viewsOf(place: StoreLocation): Promise<ViewsResult> {
  const holder = lockHolderClient(place);
  if (holder !== null && readDiscovery(place.home) === null) {
    throw new UsageError('--views needs the daemon, or a store that nobody has open: stop storage serve first.');
  }
  if (holder !== null) return verifyViews(place.home, daemonSource(holder));
  return readStore(place, (storage) => verifyViews(place.home, directorySource(storage)));
}

/** Whether the error is in the files. A folder without Daybook's marker is the wrong folder, so a usage error. */
function isFault(error: unknown, backend: DiskBackend | null): error is StorageError {
  if (!(error instanceof StorageError)) return false;
  return error.code === 'STORAGE_CORRUPT' || (error.code === 'STORAGE_FOREIGN' && backend !== null);
}

export async function validateConfig(options: StoreOptions & { readonly config: string }): Promise<void> {
  const path = resolve(options.config);
  const facts = configFacts(readStorageConfig(path, { named: true }));
  if (options.json === true) await printJson(facts);
  else await print(`ok: ${path}\n${JSON.stringify(facts, null, 2)}\n`);
}
