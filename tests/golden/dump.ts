/** Every row of the read models in a `views.db`, in a deterministic order. */
import Database from 'better-sqlite3';

type Row = Readonly<Record<string, unknown>>;

/** The search index numbers its rows as they come and merges them on its own; `tests/recall` checks it. */
const INDEX = /^recall_/;

export function dumpTables(path: string): Readonly<Record<string, readonly Row[]>> {
  const database = new Database(path, { readonly: true });
  try {
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .pluck()
      .all() as string[];
    const shown = names.filter((name) => name !== 'checkpoints' && !INDEX.test(name));
    return Object.fromEntries(shown.map((name) => [name, rowsOf(database, name)]));
  } finally {
    database.close();
  }
}

/** A row a line, so that a difference shows as one. */
export function viewsText(views: ReturnType<typeof dumpTables>): string {
  const tables = Object.entries(views).map(([name, rows]) => {
    const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
    return `  ${JSON.stringify(name)}: [${lines === '' ? '' : `\n${lines}\n  `}]`;
  });
  return `{\n${tables.join(',\n')}\n}\n`;
}

function rowsOf(database: Database.Database, name: string): readonly Row[] {
  const rows = database.prepare(`SELECT * FROM ${name}`).all() as Row[];
  const texts = rows.map((row) =>
    JSON.stringify(row, (_, value) => (isBytes(value) ? Buffer.from(value).toString('base64') : value)),
  );
  return texts.sort().map((text) => JSON.parse(text) as Row);
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
