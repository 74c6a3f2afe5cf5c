/** Shapes that several memory routes share. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { SECTORS, zSector } from '../../events/memory/events.ts';
import { zError } from '../server/errors.ts';

/** Text that says something. */
export const zText = z.string().refine((text) => !isBlank(text), 'must not be blank');

/** Any text: one that is no id matches nothing. */
export const zId = z.string();

/** A sector's name in any case. */
export const zSectorName = z
  .string()
  .transform((name) => name.trim().toLowerCase())
  .pipe(z.enum(SECTORS, `must be one of ${SECTORS.join(', ')}`));

interface Bounds {
  readonly min: number;
  readonly max?: number;
}

function wholeFrom({ min, max }: Bounds): string {
  return `must be a whole number from ${min}${max === undefined ? '' : ` to ${max}`}`;
}

/** A whole number in a body. */
export function whole(bounds: Bounds) {
  const sentence = wholeFrom(bounds);
  return z
    .int({ error: sentence, abort: true })
    .min(bounds.min, sentence)
    .max(bounds.max ?? Number.MAX_SAFE_INTEGER, sentence);
}

/** A whole number in a query string. */
export function wholeText(bounds: Bounds) {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  const sentence = wholeFrom(bounds);
  return z
    .string(sentence)
    .regex(/^\d{1,15}$/, sentence)
    .transform(Number)
    .refine((number) => number >= min && number <= max, sentence);
}

const SHARE = 'must be a number from 0 to 1';
export const zShare = z.number(SHARE).min(0, SHARE).max(1, SHARE);

export const zMemoryView = z.object({
  id: z.string(),
  content: z.string(),
  sector: zSector,
  salience: z.number(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  created_at: z.int(),
});

export const zDone = z.object({ ok: z.boolean(), error: z.string().optional() });

export const common = { tag: 'memory', auth: 'bearer' } as const;

export const refused = {
  400: { description: 'A field is missing or not allowed; the error names it.', schema: zError },
};
