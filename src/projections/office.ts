/** The configured path of the office converter; no row while none is configured. */
import type { OfficeEvent } from '../events/office.ts';
import { handlers, type Projection } from './projection.ts';
import type { Views } from './views.ts';

export const office: Projection = {
  name: 'office',
  version: 1,
  tables: ['office_path'],
  create: 'CREATE TABLE office_path (only INTEGER PRIMARY KEY CHECK (only = 1), path TEXT NOT NULL);',
  on: handlers<OfficeEvent>({
    OfficePathSet: (views, event) => views.run('INSERT OR REPLACE INTO office_path VALUES (1, ?)', event.data.path),
    OfficePathCleared: (views) => views.run('DELETE FROM office_path'),
  }),
};

export function officePath(views: Views): string | null {
  return views.get<{ path: string }>('SELECT path FROM office_path')?.path ?? null;
}
