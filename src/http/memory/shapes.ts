/** Shapes that several memory routes share. */
import { z } from 'zod';
import { SECTORS, zSector } from '../../events/memory.ts';
import { zError } from '../errors.ts';

/** Text that says something. */
export const zText = z.string().refine((text) => text.trim() !== '', 'must not be blank');

export const zId = z.string().min(1, 'must not be empty').max(255);

/** A sector's name in any case. */
export const zSectorName = z
  .string()
  .transform((name) => name.trim().toLowerCase())
  .pipe(z.enum(SECTORS, `must be one of ${SECTORS.join(', ')}`));

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
