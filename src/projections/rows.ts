/** Rows that are written from objects, so that a column and its value stand at one place. */
import type { Value, Views } from './views.ts';

/** A value for each column; columns that are left out get their default. */
type NewRow = Readonly<Record<string, Value>>;

export function insertRow(views: Views, table: string, row: NewRow): void {
  write(views, `INSERT INTO ${table}`, row);
}

/** Takes the place of the row with the same primary key. */
export function replaceRow(views: Views, table: string, row: NewRow): void {
  write(views, `INSERT OR REPLACE INTO ${table}`, row);
}

function write(views: Views, insert: string, row: NewRow): void {
  const columns = Object.keys(row);
  const placeholders = columns.map(() => '?').join(', ');
  views.run(`${insert} (${columns.join(', ')}) VALUES (${placeholders})`, ...Object.values(row));
}
