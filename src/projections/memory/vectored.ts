/** The entries that get vectors: their ids and fingerprints, not their texts. */

import { column } from '../rows.ts';
import type { Views } from '../views.ts';

export interface EntryRef {
  readonly id: string;
  readonly content_key: string;
}

/** After an id, in the order of ids. */
export function memoryRefsAfter(views: Views, after: string, limit: number): readonly EntryRef[] {
  return views.all<EntryRef>('SELECT id, content_key FROM memories WHERE id > ? ORDER BY id LIMIT ?', after, limit);
}

/** After a position of the log, oldest first. */
export function drawerRefsAfter(
  views: Views,
  after: number,
  limit: number,
): readonly (EntryRef & { readonly position: number })[] {
  const sql = `SELECT id, content_key, position FROM memory_drawers WHERE kind = 'new' AND position > ?
    ORDER BY position LIMIT ?`;
  return views.all(sql, after, limit);
}

/** Those of the ids that exist as memories, or as drawers. */
export function existingKeys(views: Views, kind: 'memory' | 'drawer', ids: readonly string[]): ReadonlySet<string> {
  const table = kind === 'memory' ? 'memories' : "memory_drawers WHERE kind = 'new'";
  const sql = `SELECT id FROM (SELECT id FROM ${table}) WHERE id IN (SELECT value FROM json_each(?))`;
  return new Set(column<string>(views, sql, JSON.stringify(ids)));
}
