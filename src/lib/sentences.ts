/**
 * Splits a text into sentences while it arrives, for speech.
 *
 * - The sentences do not depend on how the text is cut into pieces, and together they are the text.
 * - A full stop ends a sentence only before white space, so it is undecided until the next character arrives.
 */

/** A longer sentence is cut at a pause, so that a listener does not wait for its end. */
export const SENTENCE_CHARACTERS_MAX = 400;

export interface Sentences {
  push(text: string): readonly string[];
  /** The remaining sentences, at the end of the text. */
  end(): readonly string[];
}

export function sentenceSplitter(): Sentences {
  let held = '';

  function take(): readonly string[] {
    const sentences: string[] = [];
    for (;;) {
      held = held.trimStart();
      const end = endOfFirst(held);
      if (end <= 0) return sentences;
      const sentence = held.slice(0, end).trim();
      held = held.slice(end);
      if (isSpeakable(sentence)) sentences.push(sentence);
    }
  }

  return {
    push(text) {
      held += text;
      return take();
    },
    // A line break ends a sentence as the end of the text does.
    end() {
      held += '\n';
      const sentences = take();
      held = '';
      return sentences;
    },
  };
}

export function sentencesOf(text: string): readonly string[] {
  const splitter = sentenceSplitter();
  return [...splitter.push(text), ...splitter.end()];
}

/** Whether the text has a letter or a digit; punctuation alone is not spoken. */
export function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

const CLOSERS = `["'”’»)\\]」』）]{0,3}`;
/**
 * The marks of every script end a sentence before white space; those of Chinese and Japanese also without it, unless
 * other marks follow that end it before white space.
 */
const END = new RegExp(
  `[\\p{STerm}…]{1,3}${CLOSERS}(?=\\s)|` +
    `[。！？]{1,3}${CLOSERS}(?=[^。！？"'”’»)\\]」』）])(?![\\p{STerm}…"'”’»)\\]」』）]*(?:\\s|$))|\\n`,
  'gu',
);
/** In a longer text, the marks and the space that end a sentence of the greatest length have all arrived. */
const UNDECIDED_CHARACTERS_MAX = SENTENCE_CHARACTERS_MAX + 8;
/** Abbreviations with a full stop, initials, and numbers of list items. */
const NO_END = /(?:(?:^|[\s(„“"'])(?:Mrs?|Ms|Dr|Prof|St|vs|bzw|ca|Nr|Abb|(?:\p{L}\.)*\p{L})|^\d{1,3})\.$/u;

/** The end of the first sentence, or 0 while it is undecided. */
function endOfFirst(text: string): number {
  for (const match of text.slice(0, UNDECIDED_CHARACTERS_MAX).matchAll(END)) {
    const end = match.index + match[0].length;
    if (end > SENTENCE_CHARACTERS_MAX) return pauseIn(text.slice(0, SENTENCE_CHARACTERS_MAX));
    if (match[0] === '\n' || !NO_END.test(text.slice(0, end))) return end;
  }
  return text.length > UNDECIDED_CHARACTERS_MAX ? pauseIn(text.slice(0, SENTENCE_CHARACTERS_MAX)) : 0;
}

/** Cuts after the last comma, else at the last space, else at the end, never inside a surrogate pair. */
function pauseIn(text: string): number {
  const comma = Math.max(...[', ', '; ', ': ', ' – ', '、', '，'].map((mark) => text.lastIndexOf(mark)));
  if (comma > 0) return comma + 1;
  const space = text.lastIndexOf(' ');
  if (space > 0) return space;
  return text.isWellFormed() ? text.length : text.length - 1;
}
