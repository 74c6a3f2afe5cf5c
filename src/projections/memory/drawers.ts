/** Queries of drawers, their places and their texts. */
import type { ChunkedText, Place } from '../../events/memory/drawers.ts';
import { column, conditions } from '../rows.ts';
import type { Views } from '../views.ts';

export interface DrawerRow extends Readonly<Omit<Place, 'index' | 'of'>> {
  /** The number of the place in its text. */
  readonly place: number;
  readonly of_id: string | null;
  readonly created_at: number;
  /** The log position of the event that stored the place. */
  readonly position: number;
  /** The log position of the event that holds the text now: encryption appends another one. */
  readonly text_position: number;
}

export interface DrawerPage {
  readonly source_key?: string | undefined;
  readonly wing?: string | undefined;
  readonly room?: string | undefined;
  /** Only places after this log position. */
  readonly after: number;
  readonly limit: number;
}

/** In the order of storage: with `source_key` every place of the source, otherwise only drawers. */
export function drawerRows(views: Views, { source_key, wing, room, after, limit }: DrawerPage): readonly DrawerRow[] {
  const kind = source_key === undefined ? ` AND kind = 'new'` : '';
  const filter = conditions({ 'source_key = ?': source_key, 'wing = ?': wing, 'room = ?': room });
  const sql = `SELECT * FROM memory_drawers WHERE position > ?${filter.sql}${kind} ORDER BY position LIMIT ?`;
  return views.all<DrawerRow>(sql, after, ...filter.values, limit);
}

export function drawerRow(views: Views, id: string): DrawerRow | undefined {
  return views.get<DrawerRow>('SELECT * FROM memory_drawers WHERE id = ?', id);
}

/** The texts with a place that is this drawer or refers to it. */
export function textsWith(views: Views, id: string): readonly string[] {
  const sql = `SELECT DISTINCT text_id FROM memory_drawers WHERE id = ? OR (of_id = ? AND kind = 'exact') ORDER BY text_id`;
  return column(views, sql, id, id);
}

/** The id of the drawer with exactly these words. */
export function drawerWith(views: Views, content_key: string): string | undefined {
  const sql = `SELECT id FROM memory_drawers WHERE content_key = ? AND kind = 'new' ORDER BY position LIMIT 1`;
  return views.get<{ id: string }>(sql, content_key)?.id;
}

/** Newest first. */
export function newestDrawers(views: Views, limit: number): readonly DrawerRow[] {
  const sql = `SELECT * FROM memory_drawers WHERE kind = 'new' ORDER BY position DESC LIMIT ?`;
  return views.all<DrawerRow>(sql, limit);
}

/** The number of drawers that were stored from the first of these log positions to the last. */
export function drawersStored(views: Views, first: number, last: number): number {
  const sql = `SELECT count(*) AS n FROM memory_drawers WHERE kind = 'new' AND position BETWEEN ? AND ?`;
  return views.get<{ n: number }>(sql, first, last)!.n;
}

/** Every place of a text, in order. */
export function placesOf(views: Views, text_id: string): readonly DrawerRow[] {
  return views.all<DrawerRow>('SELECT * FROM memory_drawers WHERE text_id = ? ORDER BY place', text_id);
}

/** The number of stored places of a text. */
export function placeCount(views: Views, text_id: string): number {
  return views.get<{ n: number }>('SELECT count(*) AS n FROM memory_drawers WHERE text_id = ?', text_id)!.n;
}

export interface TextRow extends Readonly<ChunkedText> {
  readonly stream: string;
  /** Chunks of the same text that were offered again. */
  readonly repeated: number;
}

export function textOf(views: Views, stream: string, text_key: string): TextRow | undefined {
  return views.get<TextRow>('SELECT * FROM memory_texts WHERE stream = ? AND text_key = ?', stream, text_key);
}

/** Whether a text, or a place of one whose own event is erased, has this id. */
export function isTextId(views: Views, id: string): boolean {
  const sql =
    'SELECT 1 FROM memory_texts WHERE text_id = ? UNION ALL SELECT 1 FROM memory_drawers WHERE text_id = ? LIMIT 1';
  return views.get(sql, id, id) !== undefined;
}

/** The `text_key` of a text that the same text, stored again, does not repeat: it is not whole, or not the only one. */
export function keyOfPart(text_id: string): string {
  return `not whole ${text_id}`;
}

/** Texts with a place that is not encrypted. */
export function plainTexts(views: Views, limit: number): readonly TextRow[] {
  const sql = `SELECT * FROM memory_texts WHERE EXISTS (SELECT 1 FROM memory_drawers
    WHERE memory_drawers.text_id = memory_texts.text_id AND sealed IS NULL) ORDER BY text_id LIMIT ?`;
  return views.all<TextRow>(sql, limit);
}

export interface DrawerStats {
  readonly wings: readonly { readonly wing: string; readonly count: number }[];
  readonly rooms: readonly { readonly room: string; readonly count: number }[];
  /** Offered chunks, and those of them that repeat a drawer. */
  readonly chunks: number;
  readonly exact: number;
  readonly near: number;
}

export function drawerStats(views: Views): DrawerStats {
  const grouped = <Row>(column: 'wing' | 'room'): readonly Row[] =>
    views.all<Row>(
      `SELECT ${column}, count(*) AS count FROM memory_drawers WHERE kind = 'new'
       GROUP BY ${column} ORDER BY count DESC, ${column}`,
    );
  const sums = views.get<{ chunks: number; exact: number; near: number }>(
    `SELECT coalesce(sum(chunks - blank + repeated), 0) AS chunks, coalesce(sum(exact + repeated), 0) AS exact,
       coalesce(sum(near), 0) AS near FROM memory_texts`,
  )!;
  return { wings: grouped('wing'), rooms: grouped('room'), ...sums };
}
