/**
 * What was handed out before: how a text that comes back is recognised.
 *
 * - Only what was shown in a context block comes back as ours. Two people may well say the same.
 */
import type { Views } from '../views.ts';

export interface RecalledText {
  readonly store: 'memory' | 'drawer' | 'fact';
  readonly id: string;
}

/** The memory, drawer or fact with the marks of a text, whole or as a context block showed it, that was shown. */
export function recalledWith(
  views: Views,
  { fingerprint, exact }: { readonly fingerprint: string; readonly exact: string },
): RecalledText | undefined {
  const shown = 'EXISTS (SELECT 1 FROM memory_recalls WHERE memory_recalls.id = found.id AND shown_at IS NOT NULL)';
  return views.get<RecalledText>(
    `SELECT store, id FROM (
       SELECT 'memory' AS store, id FROM memories WHERE content_key = ?
       UNION ALL SELECT 'memory', id FROM memories WHERE line_key = ?
       UNION ALL SELECT 'drawer', id FROM memory_drawers WHERE kind = 'new' AND content_key = ?
       UNION ALL SELECT 'drawer', id FROM memory_drawers WHERE kind = 'new' AND line_key = ?
       UNION ALL SELECT 'fact', id FROM memory_facts WHERE line_key = ?
     ) AS found WHERE ${shown} ORDER BY store DESC, id LIMIT 1`,
    fingerprint,
    fingerprint,
    exact,
    fingerprint,
    fingerprint,
  );
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

/** Of these ids the ones that were not handed out this way since a moment. */
export function notRecalledSince(
  views: Views,
  ids: readonly string[],
  { via, since }: { readonly via: 'context' | 'query'; readonly since: number },
): readonly string[] {
  const at = via === 'context' ? 'shown_at' : 'recalled_at';
  const sql = `SELECT value AS id FROM json_each(?) WHERE NOT EXISTS
    (SELECT 1 FROM memory_recalls WHERE memory_recalls.id = value AND ${at} >= ?)`;
  return views.all<{ id: string }>(sql, JSON.stringify(ids), since).map((row) => row.id);
}
