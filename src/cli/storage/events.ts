/** `daybook storage read|export|import|erase`: events of a store that nobody has open. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { StorageError } from '../../storage/errors.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import { exportLines } from '../../storage/export.ts';
import { importLines } from '../../storage/import.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { CommandError, UsageError } from '../failures.ts';
import { removeViewFiles } from '../log/rebuild.ts';
import { envelopeLine } from '../log/show.ts';
import { whole } from '../numbers.ts';
import { createProgress } from '../progress.ts';
import { print } from '../text.ts';
import { type PlaceOptions, placeOf, withStore, withStoreOrNew } from './place.ts';
import { printFacts, printJson } from './verb.ts';

interface ReadOptions extends PlaceOptions {
  /** A position, or with `stream` still a position of the log. */
  readonly from: string;
  readonly limit?: string;
  readonly stream?: string;
}

export async function read(options: ReadOptions): Promise<void> {
  const from = whole(options.from, '--from');
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : whole(options.limit, '--limit');
  await withStore(placeOf(options), async ({ log }) => {
    const { stream } = options;
    const after = Math.max(0, from - 1);
    const events: Iterable<RecordedEvent> = stream === undefined ? log.readAll({ after }) : log.readStream(stream);
    let count = 0;
    for (const event of events) {
      if (event.position < from) continue;
      if (count >= limit) return;
      count += 1;
      await print(envelopeLine(envelopeOf(event), options.json === true));
    }
  });
}

export async function exportEvents(options: PlaceOptions & { readonly out?: string }): Promise<void> {
  await withStore(placeOf(options), async ({ log }) => {
    const { position, treeHash } = log.head();
    const target = options.out === undefined ? { write: print, end: async () => {} } : newFile(resolve(options.out));
    const progress = createProgress('exporting');
    try {
      let bytes = 0;
      for (const chunk of exportLines(log)) {
        await target.write(chunk);
        bytes += chunk.length;
        progress.at(bytes, bytes);
      }
      await target.end();
    } finally {
      progress.end();
    }
    process.stderr.write(`${position} events exported; tree hash ${treeHash}\n`);
  });
}

/** Never over an existing file; nothing of it stays when it cannot be written whole. */
function newFile(path: string) {
  if (existsSync(path)) throw new UsageError(`${path} already exists; name a new file.`);
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  let failure: NodeJS.ErrnoException | null = null;
  let isOurs = false;
  file.once('open', () => {
    isOurs = true;
  });
  file.on('error', (error) => {
    failure = error;
  });
  const check = (): void => {
    if (failure === null) return;
    const what = `${path} cannot be written: ${failure.message}.`;
    if (!isOurs) throw new UsageError(what);
    rmSync(path, { force: true });
    throw new CommandError(what);
  };
  return {
    async write(bytes: Uint8Array): Promise<void> {
      check();
      if (!file.write(bytes)) await once(file, 'drain').catch(() => undefined);
    },
    async end(): Promise<void> {
      file.end();
      await finished(file).catch(() => undefined);
      check();
    },
  };
}

/** Continues a log where an earlier import stopped; every line is checked before it counts. */
export async function importEvents(options: PlaceOptions & { readonly from?: string }): Promise<void> {
  const path = options.from === undefined ? null : resolve(options.from);
  if (path !== null && !existsSync(path)) throw new UsageError(`There is no file ${path} to import.`);
  await withStoreOrNew(placeOf(options), async ({ log }) => {
    const progress = createProgress('importing');
    try {
      const chunks = path === null ? process.stdin : createReadStream(path);
      const head = await importLines(log, chunks, { progress: (events) => progress.at(events, events) });
      const facts = { position: head.position, tree_hash: head.treeHash };
      await (options.json === true ? printJson(facts) : printFacts(facts));
    } catch (error) {
      throw importFault(error, path ?? 'standard input');
    } finally {
      progress.end();
    }
  });
}

/** A line that does not fit is a fault of what is imported; a log of something else is the wrong one to ask for. */
function importFault(error: unknown, source: string): unknown {
  if (!(error instanceof StorageError) || error.code === 'STORAGE_TARGET') return error;
  return new CommandError(`${source} cannot be imported: ${error.message} What came before it is imported.`);
}

/** The views in the home hold what was folded from the payloads, so they go too; the daemon folds them anew. */
export async function erase(options: PlaceOptions & { readonly position: readonly string[] }): Promise<void> {
  const positions = options.position.map((text) => whole(text, '--position'));
  const place = placeOf(options);
  await withStore(place, async ({ log, engine }) => {
    await log.erase(positions).catch((error: unknown) => {
      throw error instanceof RangeError ? new UsageError(error.message) : error;
    });
    removeViewFiles(place.home);
    await engine.compact();
    const { position, treeHash } = log.head();
    const facts = { erased: positions, position, tree_hash: treeHash };
    await (options.json === true ? printJson(facts) : printFacts(facts));
  });
}
