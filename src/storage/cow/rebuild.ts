/** Writes the entries of one state to a new page file, for backup and compaction. */
import type { Branch, NodeRef } from './branch.ts';
import { TreeBuilder } from './builder.ts';
import type { TreeState } from './epochs.ts';
import type { Leaf } from './leaf.ts';
import type { PageFile } from './page-file.ts';
import type { Store } from './store.ts';
import { TimeSlice } from './time-slice.ts';

export interface Rebuild {
  readonly from: Store;
  readonly state: TreeState;
  readonly to: PageFile;
  readonly keysMax: number;
  readonly sequence: number;
  /** Called with the number of keys done and of all keys. */
  readonly progress: (done: number, total: number) => void;
}

/** Resolves with the bytes written, once they are durable. */
export async function rebuild({ from, state, to, keysMax, sequence, progress }: Rebuild): Promise<number> {
  const builder = new TreeBuilder(to, keysMax);
  const slice = new TimeSlice();
  let done = 0;
  for (const leaf of leavesOf(from, state.root)) {
    builder.add(leaf, (value) => from.readValue(value));
    done += leaf.count;
    progress(done, state.keys);
    const pause = slice.pause();
    if (pause !== null) await pause;
  }
  await builder.finish(sequence);
  return builder.bytesWritten;
}

/** The leaves in key order. Reads bypass the cache: one pass over everything would evict all that is in use. */
function* leavesOf(store: Store, ref: NodeRef): Generator<Leaf> {
  const node = ref.node ?? store.file.readNode(ref);
  if (node.level === 0) yield node as Leaf;
  else for (const child of (node as Branch).children) yield* leavesOf(store, child);
}
