/** `daybook storage verify|validate|validate-config`: is everything as it was written, is the configuration sound? */
import { resolve } from 'node:path';
import { z } from 'zod';
import { StorageError } from '../../storage/errors.ts';
import type { Storage } from '../../storage/open.ts';
import { readStorageConfig } from '../../storage/ops/config.ts';
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
  errors: z.array(z.object({ file: z.string(), offset: z.number().nullable(), what: z.string() })),
});
type Verification = z.infer<typeof zVerification>;

/** Reads every page and every event; what cannot even be opened is a fault like any other. */
export async function verify(options: PlaceOptions): Promise<void> {
  const place = placeOf(options);
  const backend = storeIn(place.directory);
  const { ok, head, tree_hash, errors } = await verified(place);
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
  const holder = holderOf(place);
  if (holder !== null) return zVerification.parse(await askFor(holder, { kind: 'verify' }));
  const progress = createProgress('verifying');
  try {
    const work = (storage: Storage) => verifyStorage(storage, (done, total) => progress.at(done, total));
    return zVerification.parse(verificationFacts(await withStore(place, work)));
  } catch (error) {
    if (!isFault(error)) throw error;
    const { file = 'store', offset = null, message } = error;
    return { ok: false, head: null, tree_hash: null, errors: [{ file, offset, what: message }] };
  } finally {
    progress.end();
  }
}

/** Not what the caller did, but what the files are. */
function isFault(error: unknown): error is StorageError {
  return error instanceof StorageError && (error.code === 'STORAGE_CORRUPT' || error.code === 'STORAGE_FOREIGN');
}

export async function validateConfig(options: PlaceOptions & { readonly config: string }): Promise<void> {
  const path = resolve(options.config);
  const config = readStorageConfig(path, { named: true });
  if (options.json === true) await printJson(config);
  else await print(`ok: ${path}\n${JSON.stringify(config, null, 2)}\n`);
}
