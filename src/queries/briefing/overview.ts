/** The briefings for clients: the overview, and one briefing in full. */
import { z } from 'zod';
import { nextTime } from '../../commands/briefing/schedule.ts';
import { type BriefingSettings, zBriefingSettings, zBriefingText } from '../../events/briefing/events.ts';
import { zBriefingFacts } from '../../events/briefing/facts.ts';
import { type BriefingRow, endedBriefings, runningBriefing } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';

const zEntry = z.object({
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
  writer: zBriefingText.shape.writer.nullable().describe('Who worded it; null before it is written.'),
  dropped: zBriefingText.shape.dropped,
  notes: zBriefingText.shape.notes,
  error: z.string().nullable().describe('Why it failed; null when it did not.'),
});
z.globalRegistry.add(zEntry, { id: 'BriefingEntry' });

const zStage = z.enum(['waiting', 'gathering', 'writing']);

export const zDetail = zEntry.extend({
  stage: zStage.nullable().describe('What is done at this moment; null once it has ended.'),
  settings: zBriefingSettings.describe('The settings in force at the request.'),
  computed_markdown: z
    .string()
    .nullable()
    .describe('The text as the facts alone make it; null before they are gathered.'),
  facts: zBriefingFacts.nullable().describe('What the text rests on; null before it is gathered.'),
});
z.globalRegistry.add(zDetail, { id: 'Briefing' });

const zCurrent = z.object({
  id: zEntry.shape.id.describe('Id of the briefing.'),
  stage: zStage.describe('What is done at this moment.'),
  requested_at: zEntry.shape.requested_at,
  scheduled_for: zEntry.shape.scheduled_for,
});

export const zOverview = z.object({
  settings: zBriefingSettings.describe('The settings in force.'),
  history: z.array(zEntry).describe('Ended briefings, the newest first.'),
  routine: z
    .object({
      enabled: z.boolean().describe('Whether briefings are made by themselves.'),
      running: z.boolean().describe('Whether one is being made.'),
      current: zCurrent.nullable().describe('The one that is being made; null when none is.'),
      last_error: z.string().nullable().describe('Why the newest ended one failed; null when it did not.'),
      last_run_at: z.int().nullable(),
      next_run_at: z.int().nullable(),
    })
    .describe('What is done and when.'),
  running: z.boolean().describe('The same as in `routine`.'),
  last_error: z.string().nullable().describe('The same as in `routine`.'),
});

/** At most `limit` briefings, and at most as many as the settings keep. `now` is in Unix milliseconds. */
export function briefingOverview(
  views: Views,
  {
    settings,
    now,
    limit,
  }: { readonly settings: BriefingSettings; readonly now: number; readonly limit: number | undefined },
): z.infer<typeof zOverview> {
  const current = runningBriefing(views) ?? null;
  const [newest] = endedBriefings(views, 1);
  const running = current !== null;
  const last_error = newest?.error ?? null;
  return {
    settings,
    history: endedBriefings(views, Math.min(settings.keep, limit ?? settings.keep)).map(entryOf),
    routine: {
      enabled: settings.enabled,
      running,
      current: current && { ...current, stage: current.stage ?? 'waiting' },
      last_error,
      last_run_at: newest?.finished_at ?? null,
      next_run_at: settings.enabled ? nextTime(now, settings) : null,
    },
    running,
    last_error,
  };
}

export function briefingDetail(row: BriefingRow): z.infer<typeof zDetail> {
  return {
    ...entryOf(row),
    stage: row.stage,
    settings: JSON.parse(row.settings) as z.infer<typeof zBriefingSettings>,
    computed_markdown: row.computed,
    facts: row.facts === null ? null : (JSON.parse(row.facts) as z.infer<typeof zBriefingFacts>),
  };
}

function entryOf(row: Omit<BriefingRow, 'facts' | 'computed'>): z.infer<typeof zEntry> {
  const { id, status, scheduled_for, requested_at, finished_at, from_position, to_position } = row;
  return {
    ...{ id, status, scheduled_for, requested_at, finished_at, from_position, to_position },
    trigger: scheduled_for === null ? 'asked' : 'scheduled',
    headline: row.headline,
    markdown: row.markdown,
    writer: row.writer === null ? null : (JSON.parse(row.writer) as z.infer<typeof zEntry>['writer']),
    dropped: JSON.parse(row.dropped) as string[],
    notes: JSON.parse(row.notes) as string[],
    error: row.error,
  };
}
