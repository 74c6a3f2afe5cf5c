/**
 * How wide texts are on a terminal, in columns: ideographs, kana, hangul and emoji take two, combining marks none. What
 * a person sees as one character is measured, and cut, as one.
 */

/** Terminals show these two columns wide (East Asian Wide and Fullwidth, emoji). */
const IDEOGRAPHS_AND_SYLLABLES = [
  '\\u1100-\\u115F\\u2E80-\\u303E\\u3041-\\u33FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uA000-\\uA4CF\\uA960-\\uA97F',
  '\\uAC00-\\uD7A3\\uF900-\\uFAFF\\uFE30-\\uFE6F\\uFF01-\\uFF60\\uFFE0-\\uFFE6\\u{1B000}-\\u{1B2FF}\\u{20000}-\\u{3FFFD}',
].join('');
const EMOJI = '\\p{Emoji_Presentation}|\\p{Extended_Pictographic}\\uFE0F|[\\u{1F1E6}-\\u{1F1FF}]{2}';
const WIDE = new RegExp(`^(?:${EMOJI}|[${IDEOGRAPHS_AND_SYLLABLES}])`, 'u');
const MARKS_ONLY = /^[\p{M}\p{Cf}]+$/u;
const PLAIN = /^[\x20-\x7E]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The segmenter is made for the first text that needs it: it takes 10 ms, also of the start of a daemon. */
function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function widthOf(character: string): number {
  if (WIDE.test(character)) return 2;
  return MARKS_ONLY.test(character) ? 0 : 1;
}

/** Columns of a text without control characters. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) width += widthOf(segment);
  return width;
}

/** The longest beginning of a text that takes at most so many columns. */
export function cutToWidth(text: string, columnsMax: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columnsMax));
  let width = 0;
  for (const { segment, index } of charactersOf(text)) {
    width += widthOf(segment);
    if (width > columnsMax) return text.slice(0, index);
  }
  return text;
}
