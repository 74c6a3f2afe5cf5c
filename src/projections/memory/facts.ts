/** Queries of the facts table. */
import type { FactBody } from '../../events/memory/facts.ts';
import type { Views } from '../views.ts';

export interface FactRow extends Readonly<Omit<FactBody, 'object_key'>> {
  readonly stream: string;
  /** Unix seconds, as `valid_from`. */
  readonly valid_to: number | null;
  /** Unix milliseconds. */
  readonly recorded_at: number;
  /** The log position of the event that holds the text. */
  readonly text_position: number;
}

export interface FactPage {
  /** Only facts that held at this moment, Unix seconds. */
  readonly valid_at?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

const HELD = 'valid_from <= ? AND (valid_to IS NULL OR ? < valid_to)';

/** The most recently recorded first. */
export function factRows(views: Views, { valid_at, limit, offset }: FactPage): readonly FactRow[] {
  const order = 'ORDER BY recorded_at DESC, id DESC LIMIT ? OFFSET ?';
  if (valid_at === undefined) return views.all<FactRow>(`SELECT * FROM memory_facts ${order}`, limit, offset);
  return views.all<FactRow>(`SELECT * FROM memory_facts WHERE ${HELD} ${order}`, valid_at, valid_at, limit, offset);
}

export function factRow(views: Views, id: string): FactRow | undefined {
  return views.get<FactRow>('SELECT * FROM memory_facts WHERE id = ?', id);
}

export function factCount(views: Views, valid_at: number | undefined): number {
  const sql = 'SELECT count(*) AS n FROM memory_facts';
  if (valid_at === undefined) return views.get<{ n: number }>(sql)!.n;
  return views.get<{ n: number }>(`${sql} WHERE ${HELD}`, valid_at, valid_at)!.n;
}

/** Facts that are not encrypted. */
export function plainFacts(views: Views): readonly FactRow[] {
  return views.all<FactRow>('SELECT * FROM memory_facts WHERE sealed IS NULL ORDER BY recorded_at, id');
}
