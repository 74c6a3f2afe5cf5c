/** The briefings as clients get them: the overview that they poll, and one briefing in full. */
import { z } from 'zod';
import { nextTime } from '../../commands/briefing/schedule.ts';
import { type BriefingSettings, zBriefingSettings, zBriefingText } from '../../events/briefing/events.ts';
import { zBriefingFacts } from '../../events/briefing/facts.ts';
import { type BriefingRow, endedBriefings, runningBriefing } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';

const zEntry = z.object({
  id: z.string(),
  status: z.enum(['running', 'written', 'failed']),
  trigger: z.enum(['asked', 'scheduled']),
  scheduled_for: z.int().nullable(),
  requested_at: z.int(),
  finished_at: z.int().nullable(),
  from_position: z.int().nullable(),
  to_position: z.int().nullable(),
  headline: zBriefingText.shape.headline.nullable(),
  markdown: zBriefingText.shape.markdown.nullable(),
  writer: zBriefingText.shape.writer.nullable(),
  dropped: zBriefingText.shape.dropped,
  notes: zBriefingText.shape.notes,
  error: z.string().nullable(),
});
z.globalRegistry.add(zEntry, { id: 'BriefingEntry' });

const zStage = z.enum(['waiting', 'gathering', 'writing']);

export const zDetail = zEntry.extend({
  stage: zStage.nullable(),
  settings: zBriefingSettings,
  computed_markdown: z.string().nullable(),
  facts: zBriefingFacts.nullable(),
});
z.globalRegistry.add(zDetail, { id: 'Briefing' });

const zCurrent = z.object({
  id: zEntry.shape.id,
  stage: zStage,
  requested_at: zEntry.shape.requested_at,
  scheduled_for: zEntry.shape.scheduled_for,
});

export const zOverview = z.object({
  settings: zBriefingSettings,
  history: z.array(zEntry),
  routine: z.object({
    enabled: z.boolean(),
    running: z.boolean(),
    current: zCurrent.nullable(),
    last_error: z.string().nullable(),
    last_run_at: z.int().nullable(),
    next_run_at: z.int().nullable(),
  }),
  running: z.boolean(),
  last_error: z.string().nullable(),
});

/** At most `limit` briefings, and never more than the settings keep. `now` in Unix milliseconds. */
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
