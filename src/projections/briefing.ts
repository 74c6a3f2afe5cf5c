/**
 * One row for each briefing: its stage, its facts and its text. The oldest rows are deleted. A briefing never ends
 * before it was requested, also when the clock is set back.
 */
import { z } from 'zod';
import { type BriefingEvent, type BriefingSettings, zBriefingText } from '../events/briefing/events.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import { column, type NewRow, replaceRow, updateRows } from './rows.ts';
import type { Views } from './views.ts';

/** Limit of rows; a setting limits how many are shown. */
export const BRIEFINGS_KEPT_MAX = 365;

export const briefings: Projection = {
  name: 'briefings',
  version: 4,
  tables: ['briefings'],
  create: `
CREATE TABLE briefings (
  id TEXT NOT NULL PRIMARY KEY, opened INTEGER NOT NULL, status TEXT NOT NULL, stage TEXT,
  scheduled_for INTEGER, settings TEXT NOT NULL, requested_at INTEGER NOT NULL, finished_at INTEGER,
  from_position INTEGER, to_position INTEGER, facts TEXT, computed TEXT,
  headline TEXT, markdown TEXT, writer TEXT, dropped TEXT NOT NULL DEFAULT '[]', notes TEXT NOT NULL DEFAULT '[]',
  error TEXT
);
CREATE INDEX briefings_newest ON briefings (opened DESC);
CREATE INDEX briefings_running ON briefings (opened) WHERE status = 'running';`,
  on: handlers<BriefingEvent>({
    BriefingRequested: (views, event) => {
      const { scheduled_for, settings } = event.data;
      replaceRow(views, 'briefings', {
        id: idOf(event.stream),
        opened: event.position,
        status: 'running',
        stage: 'waiting',
        scheduled_for,
        settings: JSON.stringify(settings),
        requested_at: event.at,
      });
      views.run(
        'DELETE FROM briefings WHERE opened <= (SELECT opened FROM briefings ORDER BY opened DESC LIMIT 1 OFFSET ?)',
        BRIEFINGS_KEPT_MAX,
      );
    },
    BriefingStarted: (views, event) =>
      views.run(
        `UPDATE briefings SET stage = CASE WHEN facts IS NULL THEN 'gathering' ELSE 'writing' END WHERE id = ?`,
        idOf(event.stream),
      ),
    BriefingGathered: (views, event) => {
      const { facts, headline, markdown } = event.data;
      const { from_position, to_position } = facts.period;
      const texts = { facts: JSON.stringify(facts), headline, computed: markdown };
      update(views, event, { stage: 'writing', from_position, to_position, ...texts });
    },
    BriefingInterrupted: (views, event) => update(views, event, { stage: 'waiting' }),
    BriefingWritten: (views, event) => {
      const { headline, markdown, dropped, notes } = event.data;
      const writer = event.erased === true ? null : JSON.stringify(event.data.writer);
      const lists = { dropped: JSON.stringify(dropped), notes: JSON.stringify(notes) };
      update(views, event, { headline, markdown, writer, ...lists });
      end(views, event, { status: 'written', error: null });
    },
    BriefingFailed: (views, event) => end(views, event, { status: 'failed', error: event.data.message }),
  }),
};

export const zBriefingStage = z.enum(['waiting', 'gathering', 'writing']);

export const zBriefingEntry = z.object({
  id: z.string().describe('Id of the briefing.'),
  status: z.enum(['running', 'written', 'failed']).describe('Whether it is being made, and how that ended.'),
  trigger: z.enum(['asked', 'scheduled']).describe('Asked for by somebody, or made at its time.'),
  scheduled_for: z.int().nullable(),
  requested_at: z.int(),
  finished_at: z.int().nullable(),
  from_position: z
    .int()
    .nullable()
    .describe('Position of the first covered event; null before the facts are gathered.'),
  to_position: z.int().nullable().describe('Position of the last covered event; null before the facts are gathered.'),
  headline: zBriefingText.shape.headline.nullable(),
  markdown: zBriefingText.shape.markdown.nullable().describe('The text, in Markdown; null before it is written.'),
  writer: zBriefingText.shape.writer
    .nullable()
    .describe('Who worded it; null before it is written, and when it is erased.'),
  dropped: zBriefingText.shape.dropped,
  notes: zBriefingText.shape.notes,
  error: z.string().nullable().describe('Why it failed; null when it did not.'),
});
z.globalRegistry.add(zBriefingEntry, { id: 'BriefingEntry' });

type Text = 'settings' | 'dropped' | 'notes';
type TextOrNull = 'facts' | 'computed' | 'writer';

/** The fields of an entry as they are stored, some as JSON text. */
export type BriefingRow = Readonly<Omit<z.infer<typeof zBriefingEntry>, 'trigger' | Text | TextOrNull>> & {
  /** Null unless the briefing is running. */
  readonly stage: z.infer<typeof zBriefingStage> | null;
} & Readonly<Record<Text, string> & Record<TextOrNull, string | null>>;

/** Ended briefings, newest first, without their facts. */
export function endedBriefings(views: Views, limit: number): readonly Omit<BriefingRow, 'facts' | 'computed'>[] {
  return views.all<Omit<BriefingRow, 'facts' | 'computed'>>(
    `SELECT id, status, stage, scheduled_for, settings, requested_at, finished_at, from_position, to_position, headline,
       markdown, writer, dropped, notes, error
     FROM briefings WHERE status <> 'running' ORDER BY opened DESC LIMIT ?`,
    limit,
  );
}

export function briefingRow(views: Views, id: string): BriefingRow | undefined {
  return views.get<BriefingRow>('SELECT * FROM briefings WHERE id = ?', id);
}

/** The briefing that is being made. */
export function runningBriefing(
  views: Views,
): Pick<BriefingRow, 'id' | 'stage' | 'requested_at' | 'scheduled_for'> | undefined {
  return views.get(
    `SELECT id, stage, requested_at, scheduled_for FROM briefings WHERE status = 'running' ORDER BY opened LIMIT 1`,
  );
}

export function runningBriefingIds(views: Views): readonly string[] {
  return column(views, `SELECT id FROM briefings WHERE status = 'running' ORDER BY opened`);
}

/**
 * The newest written briefing at whose end one with these settings begins: it has the same workspace, all of the
 * sections, and itself continues an earlier one. What a narrower briefing left out is still to be told. One whose facts
 * are erased has no known end. `to` is the end of its period, Unix milliseconds.
 */
export function lastWritten(
  views: Views,
  { workspace, sections }: Pick<BriefingSettings, 'workspace' | 'sections'>,
): { readonly id: string; readonly to_position: number; readonly to: number } | undefined {
  return views.get(
    `SELECT id, to_position, facts ->> '$.period.to' AS "to" FROM briefings
     WHERE status = 'written' AND facts IS NOT NULL AND settings ->> 'workspace' IS ? AND settings ->> 'hours' IS NULL
       AND NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted
         WHERE wanted.value NOT IN (SELECT value FROM json_each(settings, '$.sections')))
     ORDER BY opened DESC LIMIT 1`,
    workspace,
    JSON.stringify(sections),
  );
}

function update(views: Views, event: Seen, set: NewRow): void {
  updateRows(views, 'briefings', { where: { id: idOf(event.stream) }, set });
}

function end(views: Views, event: Seen, { status, error }: { status: string; error: string | null }): void {
  const sql =
    'UPDATE briefings SET status = ?, error = ?, stage = NULL, finished_at = max(?, requested_at) WHERE id = ?';
  views.run(sql, status, error, event.at, idOf(event.stream));
}
