/** What the memory routes share: request fields, and an answer. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { SECTORS } from '../../events/memory/events.ts';

export const badRequest = { 400: 'A field is missing or not allowed; the error names it.' };

export const zText = z.string().refine((text) => !isBlank(text), 'must not be blank');

/** Any text: an unknown id does not make a body invalid. */
export const zId = z.string();

/** A sector's name in any case. */
export const zSectorName = z
  .string()
  .transform((name) => name.trim().toLowerCase())
  .pipe(z.enum(SECTORS, `must be one of ${SECTORS.join(', ')}`));

const SHARE = 'must be a number from 0 to 1';
export const zShare = z.number(SHARE).min(0, SHARE).max(1, SHARE);

export const zDone = z.object({
  ok: z.boolean().describe('Whether it was done.'),
  error: z.string().optional().describe('Why not; absent when it was done.'),
});
