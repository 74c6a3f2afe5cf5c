/** Cuts the power at every call of a store's life, and yields the disk image of that moment. */
import { expect } from 'vitest';
import { FaultDisk, kindOfCall, MUTATING } from '../storage/fault-disk.ts';
import { sampled } from '../support/depth.ts';

export interface Cut<Ledger> {
  /** The acknowledged commits at the cut. */
  readonly ledger: Ledger;
  readonly disk: FaultDisk;
  readonly story: string;
}

/**
 * The life must be long enough to give segments of the log back. Of the calls of one kind, one in `every` is cut off, the
 * first and the last.
 */
export async function* cuts<Ledger>(
  life: (disk: FaultDisk) => Promise<Ledger>,
  imagesPerCut: number,
  every: number,
): AsyncGenerator<Cut<Ledger>> {
  const rehearsal = new FaultDisk();
  await life(rehearsal);
  const segments = rehearsal.history.filter(({ kind, path }) => kind === 'rename' && path.endsWith('.log'));
  expect(segments.length, 'segments must be given back').toBeGreaterThan(2);
  for (const { index, kind, path } of sampled(rehearsal.history, kindOfCall, every)) {
    if (!MUTATING.has(kind) || kind === 'makeDirectory' || isCommit(kind, path)) continue;
    const disk = new FaultDisk();
    disk.failAt(index, 'cut');
    const ledger = await life(disk);
    for (const image of disk.crashImages(imagesPerCut)) {
      yield { ledger, disk: new FaultDisk(image), story: `cut at ${index} (${kind} ${path}): ${image.story}` };
    }
  }
}

/** Cut in many other tests; here they would only take time. */
function isCommit(kind: string, path: string): boolean {
  return path.endsWith('.log') && (kind === 'write' || kind === 'sync' || kind === 'syncNow');
}
