/**
 * The fingerprints of entries that a context block has shown, for recognising their texts when they are offered as new.
 *
 * - Only shown entries count. A text that equals an entry which was never shown is a second source, not a loop.
 */
import type { DataOf } from '../../events/define.ts';
import type { RecallEvent } from '../../events/memory/events.ts';
import { column } from '../rows.ts';
import type { Views } from '../views.ts';

export type RecalledText = Pick<DataOf<RecallEvent, 'RecallLoopRecognised'>, 'store' | 'id'>;

/** The shown memory, drawer or fact with one of these fingerprints, of the whole text or of its line in a block. */
export function recalledWith(
  views: Views,
  { loose, exact }: { readonly loose: string; readonly exact: string },
): RecalledText | undefined {
  return views.get<RecalledText>(
    `SELECT store, id FROM memory_shown WHERE (mark = ? AND is_exact = 0) OR (mark = ? AND is_exact = 1)
     ORDER BY store DESC, id LIMIT 1`,
    loose,
    exact,
  );
}

/** Whether any existing entry of the store, or of any store, was shown. */
export function anyShown(views: Views, store?: RecalledText['store']): boolean {
  const where = store === undefined ? '' : `WHERE store = '${store}'`;
  return views.get(`SELECT 1 AS found FROM memory_shown ${where} LIMIT 1`) !== undefined;
}

/** For folds: records the fingerprints of a shown entry. Does nothing for an unknown entry. */
export function markShown(views: Views, id: string): void {
  unmarkShown(views, id);
  views.run(
    `INSERT OR IGNORE INTO memory_shown
       SELECT content_key, 0, 'memory', id FROM memories WHERE id = ?
       UNION ALL SELECT line_key, 0, 'memory', id FROM memories WHERE id = ?
       UNION ALL SELECT content_key, 1, 'drawer', id FROM memory_drawers WHERE id = ? AND kind = 'new'
       UNION ALL SELECT line_key, 0, 'drawer', id FROM memory_drawers WHERE id = ? AND kind = 'new'
       UNION ALL SELECT line_key, 0, 'fact', id FROM memory_facts WHERE id = ?`,
    ...Array.from({ length: 5 }, () => id),
  );
}

/** For folds: replaces the fingerprints of a shown entry after they changed. */
export function remarkShown(views: Views, id: string): void {
  if (wasShown(views, id)) markShown(views, id);
}

/** For folds: removes the fingerprints of an entry. */
export function unmarkShown(views: Views, id: string): void {
  views.run("DELETE FROM memory_shown WHERE store IN ('memory', 'drawer', 'fact') AND id = ?", id);
}

/** Positions of the events that recognised a text as a repetition of this entry. */
export function loopPositions(views: Views, id: string): readonly number[] {
  return column(views, 'SELECT position FROM memory_loops WHERE id = ?', id);
}

export function wasShown(views: Views, id: string): boolean {
  return views.get('SELECT 1 AS found FROM memory_recalls WHERE id = ? AND shown_at IS NOT NULL', id) !== undefined;
}

export interface RecallMark {
  readonly recalled_at: number;
  readonly recalls: number;
}

export function recallMark(views: Views, id: string): RecallMark | undefined {
  return views.get<RecallMark>('SELECT recalled_at, recalls FROM memory_recalls WHERE id = ?', id);
}

/** The ids without such a recall since `since` (Unix milliseconds). */
export function notRecalledSince(
  views: Views,
  ids: readonly string[],
  { via, since }: { readonly via: 'context' | 'query'; readonly since: number },
): readonly string[] {
  const at = via === 'context' ? 'shown_at' : 'recalled_at';
  const sql = `SELECT value AS id FROM json_each(?) WHERE NOT EXISTS
    (SELECT 1 FROM memory_recalls WHERE memory_recalls.id = value AND ${at} >= ?)`;
  return column(views, sql, JSON.stringify(ids), since);
}
