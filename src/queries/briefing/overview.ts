/** The briefings for clients: the overview, and one briefing in full. */
import { z } from 'zod';
import { type BriefingSettings, zBriefingSettings } from '../../events/briefing/events.ts';
import { zBriefingFacts } from '../../events/briefing/facts.ts';
import {
  type BriefingRow,
  endedBriefings,
  runningBriefing,
  zBriefingEntry,
  zBriefingStage,
} from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';

export const zDetail = zBriefingEntry.extend({
  stage: zBriefingStage.nullable().describe('What is done at this moment; null once it has ended.'),
  settings: zBriefingSettings.describe('The settings in force at the request.'),
  computed_markdown: z
    .string()
    .nullable()
    .describe('The text as the facts alone make it; null before they are gathered.'),
  facts: zBriefingFacts.nullable().describe('What the text rests on; null before it is gathered.'),
});
z.globalRegistry.add(zDetail, { id: 'Briefing' });

const zCurrent = zBriefingEntry.pick({ id: true, requested_at: true, scheduled_for: true }).extend({
  stage: zBriefingStage.describe('What is done at this moment.'),
});

export const zOverview = z.object({
  settings: zBriefingSettings.describe('The settings in force.'),
  history: z.array(zBriefingEntry).describe('Ended briefings, the newest first.'),
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

/** At most `limit` briefings, and at most as many as the settings keep. `nextRunAt` is in Unix milliseconds. */
export function briefingOverview(
  views: Views,
  {
    settings,
    nextRunAt,
    limit,
  }: { readonly settings: BriefingSettings; readonly nextRunAt: number | null; readonly limit: number | undefined },
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
      next_run_at: nextRunAt,
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

function entryOf(row: Omit<BriefingRow, 'facts' | 'computed'>): z.infer<typeof zBriefingEntry> {
  const { id, status, scheduled_for, requested_at, finished_at, from_position, to_position } = row;
  return {
    id,
    status,
    scheduled_for,
    requested_at,
    finished_at,
    from_position,
    to_position,
    trigger: scheduled_for === null ? 'asked' : 'scheduled',
    headline: row.headline,
    markdown: row.markdown,
    writer: row.writer === null ? null : (JSON.parse(row.writer) as z.infer<typeof zBriefingEntry>['writer']),
    dropped: JSON.parse(row.dropped) as string[],
    notes: JSON.parse(row.notes) as string[],
    error: row.error,
  };
}
