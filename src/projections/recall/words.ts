/**
 * Tokenises texts into words, with stem, hash, stop-word flag and concepts of each.
 *
 * - A word's number is the 32-bit hash of its stem. The index needs no dictionary, and numbers are equal on every
 *   machine.
 * - Scripts without spaces become overlapping pairs of characters.
 */
import { streamSafe } from '../../lib/stream-safe.ts';
import { LEXICON } from './lexicon.ts';

export interface Word {
  /** The word as it is written, in lower case and without accents. */
  readonly text: string;
  readonly stem: string;
  /** Hash of the stem. */
  readonly id: number;
  /** Whether it is a stop word, such as "the" or "what". */
  readonly stop: boolean;
  /** Hashes of the concepts that this word names, as "pet" does. */
  readonly names: readonly number[];
  /** Hashes of the concepts that this word exemplifies, as "dog" does, including those it names. */
  readonly kinds: readonly number[];
  /**
   * Hashes of the letter trigrams of the stem, with its edges marked. As signed numbers, which a list holds without an
   * object for each; a typed array for each word would take more than twice as much.
   */
  readonly parts: readonly number[];
}

/** Limit of cached words; a full cache is emptied. */
const WORDS_MAX = 50_000;
/** Longer runs of letters are cut, because they are data, not words. */
const WORD_CHARACTERS_MAX = 40;

const RUNS = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/u;
/** A stem without its final e, such as "hik" of "hiking". */
const CLIPPED = /^[^aeiou][aeiouy][^aeiouwxy]$/;
const MARKS = /\p{M}/gu;

const STOP = new Set(
  `a about above after again all also am an and any are aren as at b be because been before being below between
  both but by c can could couldn d did didn do does doesn doing don down during e each ever f few for from
  further g get got h had hadn has hasn have haven having he her here hers herself hey him himself his how i
  if in into is isn it its itself j just k kind l let like ll lot m many may me mention mentioned might more
  most much must my myself n name no nor not now o of off oh ok okay on once only or other our ours
  ourselves out over own p q r re really s same shall she should so some such t than that the their theirs
  them themselves then there these they thing things this those through to too type u under until up us v ve
  very w was wasn we were weren what when where which while who whom whose why will with won would wouldn
  wow x y yeah yes yet you your yours yourself yourselves z`.split(/\s+/),
);

const known = new Map<string, Word>();
let concepts: { names: Map<string, number[]>; kinds: Map<string, number[]> } | null = null;

/** The words of a text in order. */
export function words(text: string): readonly Word[] {
  const lower = text.toLowerCase();
  const result: Word[] = [];
  let from = -1;
  for (let at = 0; at < lower.length; at += 1) {
    const unit = lower.charCodeAt(at);
    if (unit > 0x7f) return anyWords(lower);
    const isInside = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
    if (isInside && from < 0) from = at;
    else if (!isInside && from >= 0) {
      result.push(word(lower.slice(from, at)));
      from = -1;
    }
  }
  if (from >= 0) result.push(word(lower.slice(from)));
  return result;
}

/** `words` for any script. Plain ASCII, the usual case, needs no normalisation. */
function anyWords(lower: string): readonly Word[] {
  const result: Word[] = [];
  for (const run of plain(lower).match(RUNS) ?? []) {
    if (UNSPACED.test(run)) pairs(run, result);
    else result.push(word(run));
  }
  return result;
}

/** 32-bit FNV-1a of UTF-16 units, with a finaliser, because vectors use few of the bits. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * A light English stemmer: forms of a word share a stem ("hike", "hiking", "hiked"), other words do not ("care",
 * "car"). A stem need not be a word. Indexes on disk depend on it; docs/decisions/0009 says why there is a second
 * stemmer.
 */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/.test(base) && !base.endsWith('is')) base = base.slice(0, -1);
  for (const ending of ['ingly', 'edly', 'ing', 'ed', 'ly']) {
    if (!base.endsWith(ending)) continue;
    const rest = base.slice(0, -ending.length);
    if (rest.length >= 3 && /[aeiouy]/.test(rest)) base = CLIPPED.test(rest) && ending !== 'ly' ? `${rest}e` : rest;
    break;
  }
  if (/[st]ion$/.test(base) && base.length > 6) base = base.slice(0, -3);
  else if (/(?:ment|ness|less)$/.test(base) && base.length > 7) base = base.slice(0, -4);
  else if (base.endsWith('ful') && base.length > 6) base = base.slice(0, -3);
  if (base.endsWith('e') && base.length > 4) base = base.slice(0, -1);
  if (/([^aeiouy])\1$/.test(base) && base.length > 3) base = base.slice(0, -1);
  return base.endsWith('y') && base.length > 3 ? `${base.slice(0, -1)}i` : base;
}

/** Letters without accents, in one Unicode form. */
function plain(lower: string): string {
  return streamSafe(lower).normalize('NFKD').replace(MARKS, '').normalize('NFC').toLowerCase();
}

function pairs(run: string, into: Word[]): void {
  const letters = [...run];
  if (letters.length === 1) into.push(word(run));
  for (let at = 1; at < letters.length; at += 1) into.push(word(`${letters[at - 1]}${letters[at]}`));
}

function word(run: string): Word {
  const cut = run.length > WORD_CHARACTERS_MAX ? run.slice(0, WORD_CHARACTERS_MAX) : run;
  const hit = known.get(cut);
  if (hit !== undefined) return hit;
  // A slice keeps its whole string alive, so the cache gets a copy.
  const own = [...cut].join('');
  const entry = make(own);
  if (known.size >= WORDS_MAX) known.clear();
  known.set(own, entry);
  return entry;
}

/** Shared, because most of the cached words are in no concept. */
const NONE: readonly number[] = [];

function make(run: string): Word {
  concepts ??= parseLexicon();
  const base = stem(run);
  return {
    text: run,
    stem: base,
    id: hash32(base),
    stop: STOP.has(run),
    names: concepts.names.get(base) ?? NONE,
    kinds: concepts.kinds.get(base) ?? NONE,
    parts: partsOf(base),
  };
}

function partsOf(base: string): readonly number[] {
  const edged = `<${base}>`;
  return Array.from({ length: edged.length - 2 }, (_, at) => hash32(`${edged.slice(at, at + 3)}/`) | 0);
}

function parseLexicon(): { names: Map<string, number[]>; kinds: Map<string, number[]> } {
  const names = new Map<string, number[]>();
  const kinds = new Map<string, number[]>();
  const put = (into: Map<string, number[]>, text: string, concept: number): void => {
    const base = stem(text);
    const list = into.get(base);
    if (list === undefined) into.set(base, [concept]);
    else if (!list.includes(concept)) list.push(concept);
  };
  for (const line of LEXICON.trim().replaceAll(/\n\s+/g, ' ').split('\n')) {
    const [named = '', examples = ''] = line.split('=');
    const concept = hash32(`#${named.trim()}`);
    for (const text of named.trim().split(/\s+/)) {
      put(names, text, concept);
      put(kinds, text, concept);
    }
    for (const text of examples.trim().split(/\s+/)) put(kinds, text, concept);
  }
  return { names, kinds };
}
