/** A text index in memory, for texts that are encrypted on the disk. */
import { RECALL_DDL } from '../recall/recall.ts';
import { openViews, type ViewsStore } from '../views.ts';

export function openSealedIndex(): ViewsStore {
  const index = openViews(null);
  index.exec(RECALL_DDL);
  return index;
}
