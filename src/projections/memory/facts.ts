/** What is asked of the facts table. */
import type { Views } from '../views.ts';

export interface FactRow {
  readonly id: string;
  readonly stream: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly sealed: string | null;
  readonly line_key: string;
  /** Unix seconds, as `valid_to`. */
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly confidence: number;
  /** Unix milliseconds. */
  readonly recorded_at: number;
}

export interface FactPage {
  /** Only what held at this moment, Unix seconds. */
  readonly at?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Newest told first. */
export function factRows(views: Views, { at, limit, offset }: FactPage): readonly FactRow[] {
  const order = 'ORDER BY recorded_at DESC, id DESC LIMIT ? OFFSET ?';
  if (at === undefined) return views.all<FactRow>(`SELECT * FROM memory_facts ${order}`, limit, offset);
  const held = 'valid_from <= ? AND (valid_to IS NULL OR ? < valid_to)';
  return views.all<FactRow>(`SELECT * FROM memory_facts WHERE ${held} ${order}`, at, at, limit, offset);
}

export function factRow(views: Views, id: string): FactRow | undefined {
  return views.get<FactRow>('SELECT * FROM memory_facts WHERE id = ?', id);
}

export function factCount(views: Views, at: number | undefined): number {
  if (at === undefined) return views.get<{ n: number }>('SELECT count(*) AS n FROM memory_facts')?.n ?? 0;
  const sql = 'SELECT count(*) AS n FROM memory_facts WHERE valid_from <= ? AND (valid_to IS NULL OR ? < valid_to)';
  return views.get<{ n: number }>(sql, at, at)?.n ?? 0;
}

/** Streams with facts that are not sealed. */
export function plainFacts(views: Views, limit: number): readonly FactRow[] {
  return views.all<FactRow>('SELECT * FROM memory_facts WHERE sealed IS NULL ORDER BY recorded_at, id LIMIT ?', limit);
}
