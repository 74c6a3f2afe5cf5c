/** `daybook storage read|export|import|erase`: events of a store that no process has open. */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isHolding, overriddenBy } from '../../events/overrides.ts';
import { isFolder } from '../../lib/paths.ts';
import { StorageError } from '../../storage/errors.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { exportLines } from '../../storage/export.ts';
import { importLines } from '../../storage/import.ts';
import type { Storage } from '../../storage/open.ts';
import { compactStorage } from '../../storage/ops/control.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { CommandError, UsageError } from '../errors.ts';
import { standardInput } from '../input.ts';
import { envelopeLine, requireNames } from '../log/read.ts';
import { removeViewFiles } from '../log/rebuild.ts';
import { wholeNumber } from '../options.ts';
import { createProgress } from '../progress.ts';
import { exportTarget } from '../save-file.ts';
import { counted, print } from '../text.ts';
import { readStore } from './read-store.ts';
import { printFacts } from './reporting.ts';
import {
  locateStore,
  requireOwnLog,
  type StoreLocation,
  type StoreOptions,
  withStore,
  withStoreOrNew,
} from './store-location.ts';

interface ReadOptions extends StoreOptions {
  /** A position of the log, even with `stream`. */
  readonly from: string;
  readonly limit?: string;
  readonly stream?: string;
}

export async function read(options: ReadOptions): Promise<void> {
  requireNames(options);
  const from = wholeNumber(options.from, '--from');
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber(options.limit, '--limit');
  await readEvents(options, 'read', async ({ log }) => {
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

/** A store that a daemon holds is not opened; the refusal names the command that asks the daemon. */
async function readEvents(
  options: StoreOptions,
  command: 'read' | 'export',
  work: (storage: Storage) => Promise<void>,
): Promise<void> {
  try {
    await readStore(locateStore(options), work);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'STORAGE_LOCKED') throw error;
    throw new UsageError(`${error.message} While the daemon runs: daybook log ${command}`);
  }
}

export async function exportEvents(options: StoreOptions & { readonly out?: string }): Promise<void> {
  await readEvents(options, 'export', async ({ log }) => {
    const { position, treeHash } = log.head();
    await using target = exportTarget(options.out);
    using progress = createProgress('exporting');
    let events = 0;
    for (const chunk of exportLines(log)) {
      await target.write(chunk);
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', end + 1)) events += 1;
      progress.at(events, position);
    }
    await target.end();
    progress.end();
    process.stderr.write(`${counted(position, 'event')} exported; tree hash ${treeHash}\n`);
  });
}

/**
 * Continues a log where an earlier import stopped; every line is checked before it counts. The import of a file shows
 * its progress; how much a pipe holds is not known.
 */
export async function importEvents(options: StoreOptions & { readonly from?: string }): Promise<void> {
  const path = options.from === undefined ? null : resolve(options.from);
  const stdin = path === null ? standardInput() : null;
  if (path !== null && !existsSync(path)) throw new UsageError(`There is no file ${path} to import.`);
  if (path !== null && isFolder(path)) throw new UsageError(`${path} is a folder; a file is expected.`);
  const place = locateStore(options);
  requireOwnLog(place);
  await withStoreOrNew(place, async ({ log }) => {
    using progress = createProgress('importing');
    try {
      const chunks = stdin ?? createReadStream(path!);
      const size = path === null ? 0 : statSync(path).size;
      const report = () => size > 0 && progress.at(chunks.bytesRead, size);
      const head = await importLines(log, chunks, { progress: report });
      const facts = { position: head.position, tree_hash: head.treeHash };
      await printFacts(facts, options);
    } catch (error) {
      throw importFault(error, { source: path ?? 'standard input', events: log.head().position });
    }
  });
}

/** An invalid line is a fault of the import (exit code 1); a log with other events is a wrong target (exit code 2). */
function importFault(
  error: unknown,
  { source, events }: { readonly source: string; readonly events: number },
): unknown {
  if (!(error instanceof StorageError) || error.code === 'STORAGE_TARGET') return error;
  return new CommandError(`${source} cannot be imported: ${error.message} The log holds ${counted(events, 'event')}.`);
}

/** The views in the home contain data of the erased payloads, so they are deleted; the daemon rebuilds them. */
export async function erase(options: StoreOptions & { readonly position: readonly string[] }): Promise<void> {
  const positions = options.position.map((text) => wholeNumber(text, '--position'));
  const place = locateStore(options);
  requireOwnLog(place);
  await withStore(place, async (storage) => {
    const { log } = storage;
    refuseToBringBack(log, positions);
    refuseToLetGo(log, positions);
    await log.erase(positions).catch((error: unknown) => {
      throw error instanceof RangeError ? new UsageError(error.message) : error;
    });
    removeViewFiles(place.home);
    await compactStorage(storage, () => undefined);
    const { position, treeHash } = log.head();
    const facts = { erased: positions, position, tree_hash: treeHash };
    await printFacts(facts, options);
  });
  warnOfCopies(place);
}

/** Throws when earlier events would count again without the payloads at these positions. */
function refuseToBringBack(log: Pick<EventLog, 'at' | 'readStream'>, positions: readonly number[]): void {
  for (const position of positions) {
    const event = log.at(position);
    const overridden = event === undefined ? [] : overriddenBy(event, log.readStream(event.stream));
    const others = overridden.filter((each) => !positions.includes(each));
    if (event === undefined || others.length === 0) continue;
    const together = [...others, ...positions].sort((a, b) => a - b).join(' ');
    throw new UsageError(
      `Without the ${event.type} at position ${position}, what it ends or replaces would count again (position ` +
        `${others.join(', ')}). Erase them together: --position ${together}.`,
    );
  }
}

/** Throws when an event at these positions holds something, such as the title of a goal, and names ids only. */
function refuseToLetGo(log: Pick<EventLog, 'at' | 'readStream'>, positions: readonly number[]): void {
  for (const position of positions) {
    const event = log.at(position);
    if (event === undefined || !isHolding(event, log.readStream(event.stream))) continue;
    throw new UsageError(
      `The ${event.type} at position ${position} holds until a later event ends it, and names ids only. ` +
        'Erase the events that have the text instead.',
    );
  }
}

/** Earlier copies of the store still have the erased payloads. */
function warnOfCopies({ home, config }: StoreLocation): void {
  const folders = { backups: config.backup.directory ?? join(home, 'backups'), snapshots: join(home, 'snapshots') };
  for (const [copies, folder] of Object.entries(folders)) {
    if (!existsSync(folder) || readdirSync(folder).length === 0) continue;
    process.stderr.write(`daybook: ${folder} has ${copies} from before, which keep what was erased; delete them.\n`);
  }
}
