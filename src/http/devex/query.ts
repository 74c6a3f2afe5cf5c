/** What every route of the metrics is asked with. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';

const WINDOW_DAYS_MAX = 1_825;
const WINDOW_DAYS_DEFAULT = 90;
const PATH_CHARACTERS_MAX = 4_096;
const BRANCH_CHARACTERS_MAX = 1_024;

const MARKERS = {
  tags: 'version-tags',
  'version-tags': 'version-tags',
  merges: 'release-branch-merges',
  'release-branch-merges': 'release-branch-merges',
} as const;

export const zQuery = z.object({
  path: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? 'is required: the repository to measure; it is never guessed'
          : 'must be given once, as one absolute path',
    })
    .max(PATH_CHARACTERS_MAX, `must be at most ${PATH_CHARACTERS_MAX} characters long`)
    .refine((path) => path.trim() !== '', { error: 'must not be empty: the repository to measure', abort: true })
    .refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be an absolute path: it is never guessed'),
  marker: z
    .string({ error: 'must be given once: tags|merges' })
    .optional()
    .transform((marker, context) => {
      const name = marker?.trim() || 'tags';
      if (Object.hasOwn(MARKERS, name)) return MARKERS[name as keyof typeof MARKERS];
      context.addIssue('must be one of tags|merges');
      return z.NEVER;
    }),
  window: z
    .string({ error: 'must be given once' })
    .default(String(WINDOW_DAYS_DEFAULT))
    .transform((text, context) => {
      const days = Number(text);
      if (!/^\d+$/.test(text) || days < 1 || days > WINDOW_DAYS_MAX) {
        context.addIssue(`must be a whole number of days from 1 to ${WINDOW_DAYS_MAX}`);
      }
      return days;
    }),
  branch: z
    .string({ error: 'must be given once' })
    .max(BRANCH_CHARACTERS_MAX, `must be at most ${BRANCH_CHARACTERS_MAX} characters long`)
    .optional()
    .transform((branch) => branch?.trim() || 'HEAD'),
});
export type DevexQuery = z.infer<typeof zQuery>;
