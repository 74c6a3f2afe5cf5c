/** Stores of texts, filled as the owner of memories and drawers fills them. */
import {
  indexText,
  RECALL_DDL,
  RECALL_TABLES,
  type RecallItem,
  searchTexts,
} from '../../src/projections/recall/recall.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';

/** How often a property is tried: more with DAYBOOK_LONG=1. */
export function runs(usual: number): number {
  return process.env.DAYBOOK_LONG === '1' ? usual * 20 : usual;
}

export function emptyStore(path: string | null = null): ViewsStore {
  const views = openViews(path);
  views.exec(RECALL_DDL);
  return views;
}

export function item(key: string, text: string, more: Partial<RecallItem> = {}): RecallItem {
  return { key, text, kind: 'memory', at: 0, source: null, wing: null, ...more };
}

/** A store of memories, keyed by their place. */
export function given(...texts: readonly string[]): ViewsStore {
  const views = emptyStore();
  for (const [at, text] of texts.entries()) indexText(views, item(`${at}`, text, { at: at * 86_400_000 }));
  return views;
}

export function ask(views: ViewsStore, text: string, k = 10): readonly string[] {
  return searchTexts(views, { text, kind: 'memory', k }).map(({ key }) => key);
}

/** As a projector does before it folds everything again. */
export function startOver(views: ViewsStore): void {
  for (const table of RECALL_TABLES) views.exec(`DROP TABLE IF EXISTS ${table}`);
  views.exec(RECALL_DDL);
}
