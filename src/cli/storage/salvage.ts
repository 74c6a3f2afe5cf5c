/** `daybook storage salvage`: copies the readable events of a damaged store to a new one, and lists the losses. */
import { join, resolve } from 'node:path';
import { StorageError } from '../../storage/errors.ts';
import { liesIn } from '../../storage/files.ts';
import { BEHIND_FILE, type Salvage, salvageStorage } from '../../storage/salvage.ts';
import { UsageError } from '../errors.ts';
import { createProgress } from '../progress.ts';
import { counted, print, printJson } from '../text.ts';
import { locateStore, requireStore, type StoreOptions } from './store-location.ts';

/** Exit code 1 when anything was lost. The damaged store stays as it is. */
export async function salvage(options: StoreOptions & { readonly to: string }): Promise<void> {
  const { directory, config } = locateStore(options);
  requireStoreFiles(directory);
  const target = resolve(options.to);
  if (liesIn(target, directory)) {
    throw new UsageError(`${target} lies in the data directory itself; name a folder outside it.`);
  }
  using progress = createProgress('salvaging');
  const progressed = (done: number, total: number) => progress.at(done, total);
  const found = await salvageStorage({ directory, target, config: config.engines, progress: progressed });
  progress.end();
  // Before the faults are printed, so that the code holds without a reader, too.
  if (found.lost.length > 0 || found.cuts.length > 0 || found.errors.length > 0) process.exitCode = 1;
  if (options.json === true) await printJson(jsonOf(target, found));
  else await print(textOf(target, found));
}

/** A damaged marker is no reason not to try. */
function requireStoreFiles(directory: string): void {
  try {
    requireStore(directory);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'STORAGE_CORRUPT') throw error;
  }
}

function jsonOf(target: string, { backend, events, treeHash, lost, behind, cuts, errors }: Salvage) {
  return { to: target, backend, events, tree_hash: treeHash, lost, behind, cuts, errors };
}

function textOf(target: string, { events, treeHash, lost, behind, cuts, errors }: Salvage): string {
  const lines = [
    `${target}: ${counted(events, 'event')}, tree hash ${treeHash}`,
    ...cuts.map(({ file, offset, bytes }) => `cut: ${file} at offset ${offset}, ${bytes} bytes`),
    ...lost.map(({ from, to }) => `lost: ${from === to ? `position ${from}` : `positions ${from} to ${to}`}`),
    ...(behind === 0 ? [] : [`after the first lost one: ${counted(behind, 'event')}, in ${join(target, BEHIND_FILE)}`]),
    ...errors.map(({ file, what }) => `fault in ${file}: ${what}`),
  ];
  return `${lines.join('\n')}\n`;
}
