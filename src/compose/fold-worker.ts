/**
 * A worker thread that folds records of the log into the file of the views, in long transactions: see `fold-thread.ts`.
 * Any error ends the thread; the views are then as its last commit left them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openViewsToFill } from '../projections/views.ts';
import { categoriesOf, eventsOf } from '../resource.ts';
import { resources } from '../resources.ts';
import { decodeEvent } from '../storage/log/record.ts';
import { Checkpoints } from '../streams/checkpoints.ts';
import { storedBatch } from '../streams/fold.ts';
import { ViewsTransaction } from '../streams/views-transaction.ts';
import type { FoldJob, FoldPart } from './fold-thread.ts';

/** Events per transaction. In a long transaction a page that many events change is written once. */
const COMMIT_EVENTS = 50_000;

const port = parentPort!;
const { path, positions } = workerData as FoldJob;
const projections = resources.flatMap((each) => each.projections);
const events = eventsOf(resources);
const categories = categoriesOf(resources);

const views = openViewsToFill(path);
const tree = { position: 0, hash: '' };
const checkpoints = new Checkpoints(views, {
  head: () => ({ position: tree.position, treeHash: tree.hash, at: null }),
  treeHash(position) {
    if (position === tree.position) return tree.hash;
    throw new Error(`The tree hash at position ${position} is not known.`);
  },
});
const transaction = new ViewsTransaction(views, checkpoints);
views.begin();
checkpoints.adopt(projections, positions);

port.on('message', (part: FoldPart | null) => {
  if (part === null) finish();
  else fold(part);
});

function fold({ after, starts, bytes, treeHash }: FoldPart): void {
  const recorded = Array.from(starts, (start, index) =>
    decodeEvent(bytes.subarray(start, starts[index + 1]), after + 1 + index),
  );
  transaction.fold(storedBatch(recorded, events, categories), projections);
  tree.position = after + recorded.length;
  tree.hash = treeHash;
  if (transaction.size >= COMMIT_EVENTS) transaction.commit(projections);
  port.postMessage(tree.position);
}

function finish(): void {
  if (transaction.size > 0) transaction.commit(projections);
  views.checkpoint();
  views.close();
  port.close();
}
