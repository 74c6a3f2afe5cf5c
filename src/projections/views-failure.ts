/** Messages for views that cannot be read, and how to mend them. */

export const VIEWS_DAMAGED =
  'The file of the views is damaged. Start the daemon again: it folds them anew from the log, which has everything.';

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [
    /database or disk is full/,
    'The disk is full, the views cannot be written. Make room: then they follow the log again by themselves.',
  ],
  [/malformed|is not a database/, VIEWS_DAMAGED],
  [
    /disk I\/O error|is locked|readonly database|unable to open/,
    'The views cannot be written at the moment; as soon as they can, they follow the log again by themselves.',
  ],
];
const OTHER = 'A view could not be folded; see the daemon’s stderr, then run: daybook log rebuild.';

/**
 * The message for the reasons of failed folds, null without one. The reasons themselves may hold data, and `/health` is
 * public.
 */
export function viewsFailure(reasons: readonly string[]): string | null {
  if (reasons.length === 0) return null;
  const known = FAILURES.find(([pattern]) => reasons.some((reason) => pattern.test(reason)));
  return known?.[1] ?? OTHER;
}
