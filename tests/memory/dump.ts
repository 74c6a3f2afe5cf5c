/** The memories in the views of a stopped daemon: every row of every table, and the index by key. */
import { join } from 'node:path';
import { MEMORY_TABLES } from '../../src/projections/memory/tables.ts';
import { openViews, type Row } from '../../src/projections/views.ts';

/** Row numbers and revisions of the index count what happened, not what is there. */
const INDEX = `SELECT key, docs.kind, docs.source, docs.wing, docs.at, hex(terms) AS terms, hex(code) AS code, self
  FROM recall_docs AS docs LEFT JOIN recall_tail AS tail ON tail.kind = docs.kind AND tail.id = docs.id ORDER BY key`;

export function dumpViews(home: string): Readonly<Record<string, readonly Row[]>> {
  const views = openViews(join(home, 'views.db'));
  try {
    const tables = MEMORY_TABLES.map((table) => {
      const rows = views.all(`SELECT * FROM ${table}`).map((row) => JSON.stringify(row));
      return [table, rows.sort().map((row) => JSON.parse(row) as Row)] as const;
    });
    return Object.fromEntries([...tables, ['index', views.all(INDEX)]]);
  } finally {
    views.close();
  }
}
