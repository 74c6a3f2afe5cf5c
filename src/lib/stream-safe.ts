/**
 * Text that can be normalised in linear time. Normalisation sorts each run of combining marks, and takes quadratic time
 * for a run.
 */

/** No script has longer runs. */
const MARKS_MAX = 128;
const JOINER = '\u034f';
/** The two last characters become marks in the compatibility forms. */
const RUN = new RegExp(`[\\p{M}\\uff9e\\uff9f]{${MARKS_MAX}}`, 'gu');

/** Cuts longer runs with combining grapheme joiners, as the Stream-Safe Text Process of UAX #15 does. */
export function streamSafe(text: string): string {
  return text.replace(RUN, `$&${JOINER}`);
}
