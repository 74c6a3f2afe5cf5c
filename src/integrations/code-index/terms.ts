/**
 * Tokenises code and prose for the index: identifiers as a whole and in parts, lower case, stemmed. `parseHTTPHeaders`
 * also gives `parse`, `http` and `headers`.
 */
import { createHash } from 'node:crypto';
import { stemmer } from 'stemmer';

/** Longer tokens are data, not words. */
const WORD_CHARACTERS_MAX = 64;
const STEMS_KEPT_MAX = 100_000;
const HASHES_KEPT_MAX = 200_000;

const WORD = /[\p{L}\p{N}_$]+/gu;
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu;
const LATIN = /^[a-z]+$/;

/** Stop words of questions. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on ' +
    'or our she should so such that the their them then there these they this those to us was we were what when where which who ' +
    'why will with would you your'
  ).split(' '),
);

const stems = new Map<string, string>();
const hashes = new Map<string, bigint>();

/** Adds the number of occurrences of every word to `into`. */
export function countWords(text: string, into: Map<string, number> = new Map()): Map<string, number> {
  for (const [word] of text.matchAll(WORD)) {
    if (word.length > WORD_CHARACTERS_MAX) continue;
    const whole = word.toLowerCase();
    const parts = word.match(PARTS) ?? [];
    if (parts.length !== 1) add(into, whole);
    for (const part of parts) add(into, stem(part.toLowerCase()));
  }
  return into;
}

/**
 * The distinct words of a question without stop words; all of them when it has only stop words. Each is also there
 * without its stem, as an identifier is that has parts: `getusers` finds `getUsers`. Stop words are recognised before
 * they are stemmed: the stem of `used` is `us`, that of `this` is none.
 */
export function questionWords(text: string): readonly string[] {
  const words = [...text.matchAll(WORD)].map(([word]) => word).filter(({ length }) => length <= WORD_CHARACTERS_MAX);
  const tells = (word: string): boolean => !STOP_WORDS.has(word.toLowerCase());
  const telling = words.filter(tells);
  const counted = new Map<string, number>();
  for (const word of telling.length === 0 ? words : telling) {
    const parts = word.match(PARTS) ?? [];
    for (const part of telling.length === 0 ? parts : parts.filter(tells)) add(counted, stem(part.toLowerCase()));
    add(counted, word.toLowerCase());
  }
  return [...counted.keys()];
}

/** The first 8 bytes of SHA-256, by which the index sorts terms. */
export function wordHash(word: string): bigint {
  const known = hashes.get(word);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(word).digest().readBigUInt64LE(0);
  if (hashes.size >= HASHES_KEPT_MAX) hashes.clear();
  hashes.set(word, hash);
  return hash;
}

function add(into: Map<string, number>, word: string): void {
  if (word.length > 1) into.set(word, (into.get(word) ?? 0) + 1);
}

function stem(word: string): string {
  if (!LATIN.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stemmed = stemmer(word);
  if (stems.size >= STEMS_KEPT_MAX) stems.clear();
  stems.set(word, stemmed);
  return stemmed;
}
