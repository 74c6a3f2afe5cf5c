/** Stored harness overrides by key `<provider>/<model>` or `<provider>/*`. */
import { type HarnessEvent, type HarnessPatch, zHarnessPatch } from '../events/harness.ts';
import { handlers, type Projection } from './projection.ts';
import type { Views } from './views.ts';

export const harness: Projection = {
  name: 'harness',
  version: 1,
  tables: ['harness_overrides'],
  create: 'CREATE TABLE harness_overrides (key TEXT PRIMARY KEY, patch TEXT NOT NULL) WITHOUT ROWID;',
  on: handlers<HarnessEvent>({
    HarnessOverrideSet: (views, event) =>
      views.run(
        'INSERT OR REPLACE INTO harness_overrides VALUES (?, ?)',
        event.data.key,
        JSON.stringify(event.data.patch),
      ),
    HarnessOverrideRemoved: (views, event) => views.run('DELETE FROM harness_overrides WHERE key = ?', event.data.key),
  }),
};

/** Every valid override; an override that cannot be read is skipped. */
export function harnessOverrides(views: Views): Readonly<Record<string, HarnessPatch>> {
  const rows = views.all<{ key: string; patch: string }>('SELECT key, patch FROM harness_overrides ORDER BY key');
  return Object.fromEntries(
    rows.flatMap(({ key, patch }) => {
      const parsed = zHarnessPatch.safeParse(JSON.parse(patch));
      return parsed.success ? [[key, parsed.data] as const] : [];
    }),
  );
}
