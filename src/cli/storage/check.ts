/** `daybook storage verify|validate|validate-config`: is everything as it was written, is the configuration sound? */
import { resolve } from 'node:path';
import { z } from 'zod';
import { StorageError } from '../../storage/errors.ts';
import type { DiskBackend } from '../../storage/marker.ts';
import type { Storage } from '../../storage/open.ts';
import { configFacts, readStorageConfig } from '../../storage/ops/config.ts';
import { verificationFacts, verifyStorage } from '../../storage/ops/control.ts';
import { createProgress } from '../progress.ts';
import { print } from '../text.ts';
import { askFor, holderOf } from './holder.ts';
import { type Place, type PlaceOptions, placeOf, storeIn, withStore } from './place.ts';
import { foundFault, printJson } from './verb.ts';

const zVerification = z.object({
  ok: z.boolean(),
  head: z.number().nullable(),
  tree_hash: z.string().nullable(),
  errors: z.array(z.object({ file: z.string(), offset: z.number().nullable(), what: z.string() })).readonly(),
});

interface Verification extends z.infer<typeof zVerification> {
  /** Null when not even that can be told. */
  readonly backend: DiskBackend | null;
}

/** Reads every page and every event; what cannot even be opened is a fault like any other. */
export async function verify(options: PlaceOptions): Promise<void> {
  const { backend, ok, head, tree_hash, errors } = await verified(placeOf(options));
  if (options.json === true) {
    await printJson({ ok, head, tree_hash, backend, errors });
  } else if (ok) {
    await print(`ok: ${head} events, tree hash ${tree_hash}, ${backend}\n`);
  } else {
    for (const { file, offset, what } of errors) {
      await print(`fault in ${file}${offset === null ? '' : ` at offset ${offset}`}: ${what}\n`);
    }
  }
  if (!ok) foundFault();
}

async function verified(place: Place): Promise<Verification> {
  let backend: DiskBackend | null = null;
  const progress = createProgress('verifying');
  try {
    backend = storeIn(place.directory);
    const holder = holderOf(place);
    if (holder !== null) return { backend, ...zVerification.parse(await askFor(holder, { kind: 'verify' })) };
    const work = (storage: Storage) => verifyStorage(storage, (done, total) => progress.at(done, total));
    return { backend, ...verificationFacts(await withStore(place, work)) };
  } catch (error) {
    if (!isFault(error, backend)) throw error;
    const { file = 'store', offset = null, message } = error;
    return { backend, ok: false, head: null, tree_hash: null, errors: [{ file, offset, what: message }] };
  } finally {
    progress.end();
  }
}

/** Not what the caller did, but what the files are: a folder without our marker is only the wrong folder. */
function isFault(error: unknown, backend: DiskBackend | null): error is StorageError {
  if (!(error instanceof StorageError)) return false;
  return error.code === 'STORAGE_CORRUPT' || (error.code === 'STORAGE_FOREIGN' && backend !== null);
}

export async function validateConfig(options: PlaceOptions & { readonly config: string }): Promise<void> {
  const path = resolve(options.config);
  const facts = configFacts(readStorageConfig(path, { named: true }));
  if (options.json === true) await printJson(facts);
  else await print(`ok: ${path}\n${JSON.stringify(facts, null, 2)}\n`);
}
