/** The sets of unsynced writes that may have reached the disk at a power cut; a `FaultDisk` makes an image of each. */
import { type Pending, sizeOnly } from './fault-disk-bytes.ts';

const SECTOR_BYTES = 512;

/** A write to a file that is not synced; `at` orders them in time. */
export interface Unsynced<Inode> {
  readonly inode: Inode;
  readonly at: number;
  readonly change: Pending;
}

export interface DataChoice<Inode> {
  readonly story: string;
  readonly changes: readonly Unsynced<Inode>[];
}

/** For a sequence of writes: none, sizes only, prefixes, each alone, all but one, the last one torn at every sector. */
export function dataChoices<Inode>(writes: readonly Unsynced<Inode>[]): DataChoice<Inode>[] {
  const choices: DataChoice<Inode>[] = [{ story: 'no unsynced data', changes: [] }];
  if (writes.length === 0) return choices;
  choices.push({
    story: 'sizes only',
    changes: writes.map((write) => ({ ...write, change: sizeOnly(write.change) })),
  });
  for (let count = 1; count <= writes.length; count += 1) {
    choices.push({ story: `first ${count} of ${writes.length} writes`, changes: writes.slice(0, count) });
    choices.push({ story: `only write ${count}`, changes: [writes[count - 1]!] });
    choices.push({ story: `all but write ${count}`, changes: writes.filter((_, at) => at !== count - 1) });
  }
  return [...choices, ...tornChoices(writes)];
}

function tornChoices<Inode>(writes: readonly Unsynced<Inode>[]): DataChoice<Inode>[] {
  const last = writes.at(-1)!;
  if (last.change.kind !== 'write') return [];
  const { offset, bytes } = last.change;
  const earlier = writes.slice(0, -1);
  const choices: DataChoice<Inode>[] = [];
  for (let cut = SECTOR_BYTES - (offset % SECTOR_BYTES); cut < bytes.length; cut += SECTOR_BYTES) {
    const head = { ...last, change: { ...last.change, bytes: bytes.subarray(0, cut) } };
    const tail = { ...last, change: { ...last.change, offset: offset + cut, bytes: bytes.subarray(cut) } };
    choices.push({ story: `last write torn after ${cut} bytes`, changes: [...earlier, head] });
    choices.push({ story: `last write without its first ${cut} bytes`, changes: [...earlier, tail] });
    choices.push({ story: `only the first ${cut} bytes of the last write`, changes: [head] });
  }
  return choices;
}
