/** What the engagement routes share: the declaration of a route, request fields with their limits, and answers. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { PHASES, type Phase } from '../../events/engagement/events.ts';
import type { AsOf } from '../../queries/as-of/past-views.ts';
import { type Answer, value } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { type ResponseSpec, type RouteSpec, route } from '../server/route.ts';

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

export const zReason = zText
  .nullish()
  .transform((reason) => reason ?? '')
  .describe('Why the caller asks for the change; it is recorded with the event.');
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

/** An answer with `as_of` when the request had an `at`. */
export function valueAsOf(of: object, asOf: AsOf | null): Answer {
  return value(asOf === null ? of : { ...of, as_of: asOf });
}

const unknownId = { 404: { description: 'No such thing, or not at that time.', schema: zError } };
export const badRequest = {
  400: { description: 'A field that is missing or not allowed; the message names it.', schema: zError },
};

export const common = { tag: 'engagements', auth: 'bearer' } as const;

/** A route about one engagement: `path` is relative to the engagement, `ok` describes the answer with status 200. */
export function engagementRoute<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>({
  path,
  ok,
  failures = {},
  ...spec
}: Omit<RouteSpec<Params, Query, Body>, 'tag' | 'auth' | 'responses'> & {
  readonly ok: ResponseSpec;
  readonly failures?: Readonly<Record<number, ResponseSpec>>;
}): RouteSpec {
  const responses = { 200: ok, ...badRequest, ...unknownId, ...failures };
  return route({ ...common, ...spec, path: `/engagements/{id}${path}`, responses });
}
