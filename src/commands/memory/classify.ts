/**
 * Classifies a text into one of the five sectors by its words, without a model.
 *
 * - Deterministic. The result is recorded with the memory.
 * - A text without any sign counts as knowledge: semantic 0.6, the others 0.1 each.
 */
import { stemmer } from 'stemmer';
import { SECTOR_TRAITS, SECTORS, type Sector } from '../../events/memory/events.ts';
import { SIGNALS } from './signals.ts';

export interface Classification {
  readonly sector: Sector;
  /** Share of the evidence by sector; they sum up to 1. */
  readonly confidence: Readonly<Record<Sector, number>>;
  /** The other sectors with more than a tenth of the evidence, strongest first. */
  readonly secondary: readonly (readonly [Sector, number])[];
  /** Whether the text has no sign of any sector. */
  readonly isGuess: boolean;
}

const STRONG = 3;
const PLAIN = 1;
const PHRASE = 2.5;
/** A date or a time of day is a sign of an event. */
const MOMENT = 2;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.replaceAll(' ', '|');
const MOMENT_PATTERN = new RegExp(
  String.raw`\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}\b|\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${MONTHS})`,
  'giu',
);
/** A code span or a command line is a sign of instructions. */
const COMMAND = 2;
const COMMAND_PATTERN = /`[^`]+`|(?:^|\n)[^\S\n]*(?:\$ |\d+[.)] )|\s--?[a-z][\w-]+/giu;
const SECONDARY_MIN = 0.1;
/** Only this beginning of a longer text is classified. */
const CHARACTERS_MAX = 20_000;
const WITHOUT_SIGNS = { semantic: 0.6, other: 0.1 };

type Scores = Record<Sector, number>;

export function classify(text: string): Classification {
  const head = text.slice(0, CHARACTERS_MAX);
  const scores = weighted(scoresOf(head));
  const sum = SECTORS.reduce((total, sector) => total + scores[sector], 0);
  const share = (sector: Sector): number => {
    if (sum === 0) return sector === 'semantic' ? WITHOUT_SIGNS.semantic : WITHOUT_SIGNS.other;
    return scores[sector] / sum;
  };
  const confidence = Object.fromEntries(SECTORS.map((sector) => [sector, share(sector)])) as Scores;
  const sector = SECTORS.reduce((best, each) => (confidence[each] > confidence[best] ? each : best));
  const secondary = SECTORS.filter((each) => each !== sector && confidence[each] > SECONDARY_MIN)
    .sort((a, b) => confidence[b] - confidence[a])
    .map((each) => [each, confidence[each]] as const);
  return { sector, confidence, secondary, isGuess: sum === 0 };
}

/** The sector of a name in any case, or undefined. */
export function sectorNamed(name: string): Sector | undefined {
  return SECTORS.find((sector) => sector === name.trim().toLowerCase());
}

function scoresOf(text: string): Scores {
  const { signs } = table();
  const scores = zero();
  const words = wordsOf(text);
  /** The end of the last match of a phrase, before which the phrase is not matched again. */
  const ends = new Map<Phrase, number>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    const sign = signs.get(word) ?? signOf(word);
    if (sign === NOTHING) continue;
    for (const [sector, strength] of sign.strengths) scores[sector] += strength;
    for (const phrase of sign.phrases) {
      if (at < (ends.get(phrase) ?? 0) || !phrase.words.every((each, place) => words[at + place] === each)) continue;
      ends.set(phrase, at + phrase.words.length);
      scores[phrase.sector] += PHRASE;
    }
  }
  scores.episodic += MOMENT * (text.match(MOMENT_PATTERN)?.length ?? 0);
  scores.procedural += COMMAND * (text.match(COMMAND_PATTERN)?.length ?? 0);
  return scores;
}

function weighted(scores: Scores): Scores {
  return Object.fromEntries(SECTORS.map((sector) => [sector, scores[sector] * SECTOR_TRAITS[sector].weight])) as Scores;
}

function zero(): Scores {
  return { episodic: 0, semantic: 0, procedural: 0, emotional: 0, reflective: 0 };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/** Short words and words with other characters stay unchanged, because stems would confuse them. */
function stemOf(word: string): string {
  return /^[a-z]+$/.test(word) && word.length > 3 ? stemmer(word) : word;
}

interface Phrase {
  readonly words: readonly string[];
  readonly sector: Sector;
}

/** The evidence of a word: by itself, and as the first word of phrases. */
interface Sign {
  readonly strengths: readonly (readonly [Sector, number])[];
  readonly phrases: readonly Phrase[];
}

/** The sign of most words. */
const NOTHING: Sign = { strengths: [], phrases: [] };

interface Table {
  /** By stem. */
  readonly strengths: ReadonlyMap<string, readonly (readonly [Sector, number])[]>;
  /** By first word. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** A cache by word. */
  readonly signs: Map<string, Sign>;
}

/** Limit of cached words; a full cache is emptied. */
const SIGNS_MAX = 50_000;
/** No signal is longer; longer words are not cached. */
const WORD_CHARACTERS_MAX = 40;

let made: Table | undefined;

/** Built when the first text is classified, so that the start does not wait for it. */
function table(): Table {
  made ??= makeTable();
  return made;
}

function signOf(word: string): Sign {
  const { strengths, phrases, signs } = table();
  const [byWord, asFirst] = [strengths.get(stemOf(word)), phrases.get(word)];
  const hasSign = byWord !== undefined || asFirst !== undefined;
  const sign = hasSign ? { strengths: byWord ?? [], phrases: asFirst ?? [] } : NOTHING;
  if (word.length > WORD_CHARACTERS_MAX) return sign;
  if (signs.size >= SIGNS_MAX) signs.clear();
  // A slice keeps its whole string in memory, so the key is copied.
  signs.set([...word].join(''), sign);
  return sign;
}

function makeTable(): Table {
  const words = new Map<string, Map<Sector, number>>();
  const phrases = new Map<string, Phrase[]>();
  for (const sector of SECTORS) {
    const { strong, plain, phrases: list } = SIGNALS[sector];
    for (const [text, strength] of [[plain, PLAIN] as const, [strong, STRONG] as const]) {
      for (const word of wordsOf(text)) {
        const entry = words.get(stemOf(word)) ?? new Map<Sector, number>();
        words.set(stemOf(word), entry.set(sector, strength));
      }
    }
    for (const text of list.split(';')) {
      const phrase = { words: wordsOf(text), sector };
      const [first] = phrase.words;
      if (first !== undefined) phrases.set(first, [...(phrases.get(first) ?? []), phrase]);
    }
  }
  return { strengths: new Map([...words].map(([stem, entry]) => [stem, [...entry]])), phrases, signs: new Map() };
}
