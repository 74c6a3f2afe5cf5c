/** What the engagement routes share: their declaration, request fields with their limits, and answers. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { PHASES, type Phase } from '../../events/engagement/events.ts';
import type { AsOf } from '../../queries/as-of/past-views.ts';
import { type Answer, ok, routesOf, value } from '../server/route.ts';

const NAME_CHARACTERS_MAX = 500;
const TEXT_CHARACTERS_MAX = 100_000;
const PATH_CHARACTERS_MAX = 4_096;

export const zName = z.string().max(NAME_CHARACTERS_MAX);
export const zText = z.string().max(TEXT_CHARACTERS_MAX);
export const zPath = z
  .string()
  .max(PATH_CHARACTERS_MAX)
  .refine((path) => !path.includes('\0'), 'must not hold a NUL character');
/** A name that must not be blank. */
export const zFilled = zName.refine((text) => !isBlank(text), 'must not be blank');

/** Absent: empty. */
export const zOptionalText = zText.nullish().transform((text) => text ?? '');
export const zReason = zOptionalText.describe('Why the caller asks for the change; it is recorded with the event.');
export const zReasonQuery = z.object({ reason: zReason });

export const zId = z.object({ id: z.string() });
export const zDid = zId.extend({ did: z.string() });

/** `?phase=`: absent, empty and `all` select every phase. */
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

export const badRequest = { 400: 'A field that is missing or not allowed; the message names it.' };

export const deleted = ok('Removed.', { deleted: z.boolean().describe('Always true: what is not there is 404.') });

/** An answer with `as_of` when the request had an `at`. */
export function valueAsOf(of: object, asOf: AsOf | null): Answer {
  return value(asOf === null ? of : { ...of, as_of: asOf });
}

/** Declares routes about one engagement: paths are relative to the engagement. */
export const ofEngagement = routesOf({
  tag: 'engagements',
  prefix: '/engagements/{id}',
  responses: { ...badRequest, 404: 'It does not exist, or did not exist at that time.' },
});
