/**
 * Generated texts: word frequencies follow those of a natural language, and a seed makes every run and every candidate
 * use the same texts. They make no sense, but their numbers of postings, names and lines are realistic.
 */

const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gwen', 'Hugo', 'Iris', 'Jack', 'Kira', 'Liam'];
const COMMON = `the a to and of in it is was for on with that this my we you at be have not but so they he she from as
  by about what when who how one all time out just like get go up`.split(/\s+/);
const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** Distinct words in addition to the common ones. */
const VOCABULARY = 30_000;

export interface Texts {
  /** About this many characters, in lines of a conversation. */
  talk(characters: number): string;
  /** One sentence. */
  sentence(words: number): string;
  /** Words of a typical question: a few common ones around a few specific ones. */
  question(): string;
}

export function createTexts(seed: number): Texts {
  const chance = seeded(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)]!;
  const vocabulary = inventWords();
  // Zipf's law, by inverting 1/rank over the vocabulary.
  const telling = (): string => vocabulary[Math.floor(VOCABULARY ** chance()) - 1]!;
  const word = (): string => (chance() < 0.45 ? pick(COMMON) : telling());
  const sentence = (count: number): string => {
    const words = Array.from({ length: count }, word).join(' ');
    return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
  };
  return {
    sentence,
    talk(characters) {
      let text = '';
      while (text.length < characters) text += `${pick(NAMES)}: ${sentence(8 + Math.floor(chance() * 25))}\n`;
      return text.slice(0, characters);
    },
    question() {
      const count = 3 + Math.floor(chance() * 4);
      const asked = Array.from({ length: count }, telling).join(' ');
      return `What did ${pick(NAMES)} say about the ${asked}?`;
    },
  };
}

/** Mulberry32: small and portable. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same words for every seed: the vocabulary is shared. */
function inventWords(): readonly string[] {
  const chance = seeded(1);
  const letter = (letters: string): string => letters[Math.floor(chance() * letters.length)]!;
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const syllables = 2 + Math.floor(chance() * 2);
    let word = '';
    for (let at = 0; at < syllables; at += 1) word += letter(CONSONANTS) + letter(VOWELS);
    words.add(chance() < 0.4 ? word + letter(CONSONANTS) : word);
  }
  return [...words];
}
