/** What the engagement routes take and give: fields, their limits in characters, and the answers to unknown ids. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { PHASES, type Phase, zBlocker, zPhase } from '../../events/engagement/events.ts';
import type { Engagement } from '../../events/engagement/records.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { engagement } from '../../projections/engagement.ts';
import type { Views } from '../../projections/views.ts';
import { HttpError, zError } from '../server/errors.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly ids: IdGenerator;
  readonly views: Views;
}

const NAME_CHARACTERS_MAX = 500;
const TEXT_CHARACTERS_MAX = 100_000;
const PATH_CHARACTERS_MAX = 4_096;

export const zName = z.string().max(NAME_CHARACTERS_MAX);
export const zText = z.string().max(TEXT_CHARACTERS_MAX);
export const zPath = z
  .string()
  .max(PATH_CHARACTERS_MAX)
  .refine((path) => !path.includes('\0'), 'must not hold a NUL character');
/** A field that must say something. */
export const zFilled = zName.refine((text) => !isBlank(text), 'must not be blank');

/** Why, in the caller's words; it is kept with the event. */
export const zReason = zText.nullish().transform((reason) => reason ?? '');
export const zReasonQuery = z.object({ reason: zReason });

export const zId = z.object({ id: z.string() });

/** `?phase=`: absent, empty and `all` are no filter. */
export const zPhaseFilter = z
  .enum(['', 'all', ...PHASES], { error: `must be one of ${PHASES.join(', ')}, or all` })
  .optional();

export function inPhase<Row extends { readonly phase: Phase }>(
  rows: readonly Row[],
  filter: z.infer<typeof zPhaseFilter>,
): readonly Row[] {
  return filter === undefined || filter === '' || filter === 'all'
    ? rows
    : rows.filter(({ phase }) => phase === filter);
}

/** Present in answers to `?at=`: which moment was asked for, and the newest event of the engagement it includes. */
export const zAsOf = z.object({
  asked: z.string(),
  position: z.int(),
  at: z.int(),
  leaf_hash: z.string().length(64),
});
export type AsOf = Readonly<z.infer<typeof zAsOf>>;

export const zAt = z.string().optional();

const zCount = z.int().min(0);

export const zPhaseReadiness = z.object({
  phase: zPhase,
  title: z.string(),
  cadence: z.string().nullable(),
  deliverables: z.object({
    total: zCount,
    not_started: zCount,
    in_progress: zCount,
    ready: zCount,
    accepted: zCount,
    waived: zCount,
    claimed_without_evidence: zCount,
  }),
  gates: z.object({
    total: zCount,
    not_measured: zCount,
    pending: zCount,
    pass: zCount,
    fail: zCount,
    waived: zCount,
  }),
  completion: z.number().nullable(),
  blockers: z.array(zBlocker),
  can_exit: z.boolean(),
});

export const unknownId = { 404: { description: 'No such thing, or not at that time.', schema: zError } };
export const badRequest = {
  400: { description: 'A field that is missing or not allowed; the message names it.', schema: zError },
};

export function nothing(kind: string, id: string): HttpError {
  return new HttpError(404, `${kind} '${sanitiseEcho(id)}' not found`);
}

/** The engagement as it is now, or 404. */
export function known(deps: Dependencies, id: string): Engagement {
  const found = engagement(deps.views, id);
  if (found === undefined) throw nothing('Engagement', id);
  return found;
}

/** A fresh random id: engagements have UUIDs of version 4. */
export function freshId(deps: Dependencies): string {
  const hex = deps.ids.hex(16);
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
