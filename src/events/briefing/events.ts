/**
 * The morning briefing: its settings, and the events of each briefing.
 *
 * - `settings-briefing` is written by the settings route. `briefing-<id>` is one briefing: requested by a person or by
 *   the schedule, continued by the reactor. A request appends to `briefing_turn-all` in the same commit, so there is
 *   one briefing at a time and one for each scheduled time.
 * - The model call is recorded like every model call: the request hash and the frames of the answer.
 */
import { z } from 'zod';
import { define, ERASED_TEXT, type EventIn, zChangesOf } from '../define.ts';
import { zFinishReason, zFrame, zModelErrorKind, zUsage } from '../run/events.ts';
import { zBriefingFacts } from './facts.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const BRIEFING_SECTIONS = [
  'runs',
  'approvals',
  'goals',
  'engagements',
  'reviews',
  'repositories',
  'memory',
  'index',
  'storage',
] as const;

export const BRIEFING_LENGTHS = ['short', 'medium', 'long'] as const;
export const BRIEFING_WRITERS = ['model', 'computed'] as const;

export const zBriefingSettings = z.object({
  enabled: z.boolean().describe('Made by itself at `time` on `days`.'),
  time: z.string().describe('HH:MM on the clocks of `timezone`.'),
  days: z.array(z.enum(WEEKDAYS)),
  timezone: z.string().nullable().describe("IANA name; null is the machine's own."),
  sections: z.array(z.enum(BRIEFING_SECTIONS)),
  writer: z
    .enum(BRIEFING_WRITERS)
    .describe('`model`: a model words the facts. `computed`: sentences are made without one.'),
  provider: z.string().nullable().describe("Both or neither; null is the daemon's own model."),
  model: z.string().nullable().describe('Model of `provider`; null exactly when that is.'),
  language: z.string().describe('Language code of the text, such as `en`.'),
  length: z.enum(BRIEFING_LENGTHS).describe('How much of the facts the text has.'),
  workspace: z.string().nullable().describe('Restricts the briefing to this folder; null for all folders.'),
  repositories: z.array(z.string()).describe("Folders of git repositories; empty is the workspace's."),
  hours: z.int().positive().nullable().describe('Covers so many hours; null is all since the briefing before.'),
  keep: z.int().positive().describe('Briefings in the history.'),
});
z.globalRegistry.add(zBriefingSettings, { id: 'BriefingSettings' });
export type BriefingSettings = Readonly<z.infer<typeof zBriefingSettings>>;

/** The fields that changed, with their new values. */
const zChanges = zChangesOf(zBriefingSettings);
export type BriefingChanges = Readonly<z.infer<typeof zChanges>>;

export const briefingSettingsEvents = {
  BriefingSettingsChanged: define('BriefingSettingsChanged', z.object({ changes: zChanges }), {
    whenErased: { changes: { enabled: false } },
  }),
} as const;
export type BriefingSettingsEvent = EventIn<typeof briefingSettingsEvents>;

export const briefingTurnEvents = {
  BriefingTurnTaken: define(
    'BriefingTurnTaken',
    z.object({ briefing_id: z.string(), scheduled_for: z.int().nullable() }),
  ),
} as const;
export type BriefingTurnEvent = EventIn<typeof briefingTurnEvents>;

const zRequest = z.object({
  scheduled_for: z.int().nullable().describe('The scheduled time, Unix milliseconds; null for a request by a person.'),
  settings: zBriefingSettings.describe('The settings in force at the request.'),
});
export type BriefingRequest = Readonly<z.infer<typeof zRequest>>;

const zWriter = z.object({
  kind: z.enum(BRIEFING_WRITERS).describe('Who worded the text: a model, or Daybook itself.'),
  provider: z.string().nullable().describe('Provider of that model; null for `computed`.'),
  model: z.string().nullable().describe('That model; null for `computed`.'),
});

export const zBriefingText = z.object({
  headline: z.string(),
  markdown: z.string().describe('The text, in Markdown.'),
  writer: zWriter.describe('Who worded it.'),
  dropped: z
    .array(z.string())
    .describe('Sentences of the model that the facts do not support; they are not in `markdown`.'),
  notes: z.array(z.string()).describe('Notes for the reader about the making of the briefing.'),
});
export type BriefingText = Readonly<z.infer<typeof zBriefingText>>;

export const briefingEvents = {
  BriefingRequested: define('BriefingRequested', zRequest),
  BriefingStarted: define('BriefingStarted', z.object({ attempt: z.int().positive() })),
  /** The facts, and the briefing as they alone make it. */
  BriefingGathered: define(
    'BriefingGathered',
    z.object({ facts: zBriefingFacts, headline: z.string(), markdown: z.string() }),
  ),
  BriefingModelAsked: define(
    'BriefingModelAsked',
    z.object({
      call: z.int().positive(),
      provider: z.string(),
      model: z.string(),
      request_hash: z.string().describe('SHA-256 of the RFC 8785 bytes of the whole request.'),
    }),
  ),
  BriefingModelAnswered: define(
    'BriefingModelAnswered',
    z.object({ call: z.int(), frames: z.array(zFrame), finish_reason: zFinishReason, usage: zUsage }),
  ),
  BriefingModelFailed: define(
    'BriefingModelFailed',
    z.object({
      call: z.int(),
      kind: zModelErrorKind,
      message: z.string(),
      status: z.int().nullable(),
    }),
  ),
  BriefingInterrupted: define('BriefingInterrupted', z.object({ attempt: z.int(), reason: z.string() })),
  BriefingWritten: define('BriefingWritten', zBriefingText, {
    whenErased: {
      headline: ERASED_TEXT,
      markdown: ERASED_TEXT,
      writer: { kind: 'computed', provider: null, model: null },
      dropped: [],
      notes: [],
    },
  }),
  BriefingFailed: define('BriefingFailed', z.object({ message: z.string() }), {
    whenErased: { message: ERASED_TEXT },
  }),
} as const;
export type BriefingEvent = EventIn<typeof briefingEvents>;
