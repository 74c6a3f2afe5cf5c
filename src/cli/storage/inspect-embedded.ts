/** The pages and tables of an `embedded_kv` store, as SQLite counts them. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DATABASE_FILE } from '../../storage/embedded-kv/errors.ts';

type Row = Readonly<Record<string, string | number | null>>;

const PAGE_FACTS = ['page_size', 'page_count', 'freelist_count', 'application_id', 'user_version', 'journal_mode'];

export function embeddedRows(store: string, subject: string): Row[] {
  const database = new Sqlite(join(store, DATABASE_FILE), { readonly: true });
  try {
    if (subject === 'pages') {
      return PAGE_FACTS.map((fact) => ({ fact, value: database.pragma(fact, { simple: true }) as string | number }));
    }
    const tables = database.prepare('SELECT name, rootpage AS root_page, sql FROM sqlite_schema');
    return tables.all() as Row[];
  } finally {
    database.close();
  }
}
