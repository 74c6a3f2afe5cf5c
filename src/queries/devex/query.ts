/** The parameters of every report. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { numberText } from '../../lib/number-text.ts';

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

const DAYS = `must be a whole number of days from 1 to ${WINDOW_DAYS_MAX}`;
const zDays = z
  .int({ error: ({ input }) => (typeof input === 'number' ? DAYS : 'must be given once'), abort: true })
  .min(1, DAYS)
  .max(WINDOW_DAYS_MAX, DAYS)
  .describe('How far back to look, in days.');

const zParameters = z.object({
  path: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? 'is required: the repository to measure; it is never guessed'
          : 'must be given once, as one absolute path',
    })
    .describe('The repository to measure, or a directory or file in it. Absolute; it is never guessed.')
    .max(PATH_CHARACTERS_MAX, `must be at most ${PATH_CHARACTERS_MAX} characters long`)
    .refine((path) => path.trim() !== '', 'must not be empty: the repository to measure')
    .refine((path) => !path.includes('\0'), 'must not contain a zero byte'),
  marker: z
    .string({ error: 'must be given once: tags|merges' })
    .describe('What counts as a release: tags (named like versions, the default) or merges (on `branch`).')
    .optional()
    .transform((marker, context) => {
      const name = marker?.trim() || 'tags';
      if (Object.hasOwn(MARKERS, name)) return MARKERS[name as keyof typeof MARKERS];
      context.addIssue('must be one of tags|merges');
      return z.NEVER;
    }),
  window: numberText(/^\d+$/, zDays).default(WINDOW_DAYS_DEFAULT),
  branch: z
    .string({ error: 'must be given once' })
    .describe('With marker=merges the branch that is deployed; HEAD by default.')
    .max(BRANCH_CHARACTERS_MAX, `must be at most ${BRANCH_CHARACTERS_MAX} characters long`)
    .optional()
    .transform((branch) => branch?.trim() || 'HEAD'),
});

/** The path is checked last: a wrong parameter beside it is reported first. */
export const zQuery = zParameters.refine(({ path }) => isAbsolute(path), {
  error: 'must be an absolute path: it is never guessed',
  path: ['path'],
});
export type DevexQuery = z.infer<typeof zQuery>;
