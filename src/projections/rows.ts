/** Rows that are written from objects, so that a column and its value stand at one place, and columns as lists. */
import type { Value, Views } from './views.ts';

/** The values of the only column of a query. */
export function column<Result extends Value>(views: Views, sql: string, ...values: Value[]): Result[] {
  return views.all(sql, ...values).map((row) => Object.values(row)[0] as Result);
}

/** The conditions whose value is given, each with `AND` before it, and their values in order. A condition has one `?`. */
export function conditions(given: Readonly<Record<string, Value | undefined>>) {
  const chosen = Object.entries(given).filter((each): each is [string, Value] => each[1] !== undefined);
  return { sql: chosen.map(([condition]) => ` AND ${condition}`).join(''), values: chosen.map(([, value]) => value) };
}

/** A value for each column; columns that are left out get their default. */
export type NewRow = Readonly<Record<string, Value>>;

export function insertRow(views: Views, table: string, row: NewRow): void {
  write(views, `INSERT INTO ${table}`, row);
}

/** Takes the place of the row with the same primary key. */
export function replaceRow(views: Views, table: string, row: NewRow): void {
  write(views, `INSERT OR REPLACE INTO ${table}`, row);
}

/** Sets columns of the rows that have the values of `where`. */
export function updateRows(views: Views, table: string, { where, set }: { where: NewRow; set: NewRow }): void {
  const values = [...Object.values(set), ...Object.values(where)];
  views.run(`UPDATE ${table} SET ${equals(set).join(', ')} WHERE ${equals(where).join(' AND ')}`, ...values);
}

function equals(row: NewRow): readonly string[] {
  return Object.keys(row).map((column) => `${column} = ?`);
}

function write(views: Views, insert: string, row: NewRow): void {
  const columns = Object.keys(row);
  const placeholders = columns.map(() => '?').join(', ');
  views.run(`${insert} (${columns.join(', ')}) VALUES (${placeholders})`, ...Object.values(row));
}
