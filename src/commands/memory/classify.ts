/**
 * Which of the five sectors a text belongs to, by its words alone: no model is asked.
 *
 * - Deterministic, and the same for every text ever: what it said of a memory is recorded with the memory.
 * - Without any sign a text is taken for knowledge: semantic 0.6, the others 0.1 each.
 */
import { stemmer } from 'stemmer';
import { SECTOR_TRAITS, SECTORS, type Sector } from '../../events/memory/events.ts';
import { SIGNALS } from './signals.ts';

export interface Classification {
  readonly sector: Sector;
  /** Share of the evidence by sector; they sum up to 1. */
  readonly confidence: Readonly<Record<Sector, number>>;
  /** The others with more than a tenth of the evidence, strongest first. */
  readonly secondary: readonly (readonly [Sector, number])[];
  /** No word says anything: the sector is the usual one. */
  readonly isGuess: boolean;
}

const STRONG = 3;
const PLAIN = 1;
const PHRASE = 2.5;
/** A date or a time of day is a sign of something that happened. */
const MOMENT = 2;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.replaceAll(' ', '|');
const MOMENT_PATTERN = new RegExp(
  String.raw`\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}\b|\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${MONTHS})`,
  'giu',
);
/** A code span or a command line is a sign of something to do. */
const COMMAND = 2;
const COMMAND_PATTERN = /`[^`]+`|(?:^|\n)\s*(?:\$ |\d+[.)] )|\s--?[a-z][\w-]+/giu;
const SECONDARY_MIN = 0.1;
/** Longer texts are classified by their beginning. */
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
  const spoken = wordsOf(text);
  /** A phrase that was found begins again behind its end only. */
  const ends = new Map<Phrase, number>();
  for (let at = 0; at < spoken.length; at += 1) {
    const word = spoken[at]!;
    const sign = signs.get(word) ?? remembered(word);
    if (sign === NOTHING) continue;
    for (const [sector, strength] of sign.strengths) scores[sector] += strength;
    for (const phrase of sign.phrases) {
      if (at < (ends.get(phrase) ?? 0) || !phrase.words.every((each, place) => spoken[at + place] === each)) continue;
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

/** Words that stems would mix up with others stay as they are: a standup is no stand, and news is not new. */
function stemOf(word: string): string {
  return /^[a-z]+$/.test(word) && word.length > 3 ? stemmer(word) : word;
}

interface Phrase {
  readonly words: readonly string[];
  readonly sector: Sector;
}

/** What a word says: by itself, and as the first of a phrase. */
interface Sign {
  readonly strengths: readonly (readonly [Sector, number])[];
  readonly phrases: readonly Phrase[];
}

/** Most words say nothing. */
const NOTHING: Sign = { strengths: [], phrases: [] };

interface Table {
  /** By stem. */
  readonly strengths: ReadonlyMap<string, readonly (readonly [Sector, number])[]>;
  /** By first word. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** By word, of the words met so far. */
  readonly signs: Map<string, Sign>;
}

/** Words remembered; beyond it the memory starts again. */
const SIGNS_MAX = 50_000;
/** No signal is longer; what a longer run of letters was is forgotten at once. */
const WORD_CHARACTERS_MAX = 40;

let made: Table | undefined;

/** Made when the first text is classified, not when the program starts. */
function table(): Table {
  made ??= makeTable();
  return made;
}

function remembered(word: string): Sign {
  const { strengths, phrases, signs } = table();
  const [said, begun] = [strengths.get(stemOf(word)), phrases.get(word)];
  const sign = said === undefined && begun === undefined ? NOTHING : { strengths: said ?? [], phrases: begun ?? [] };
  if (word.length > WORD_CHARACTERS_MAX) return sign;
  if (signs.size >= SIGNS_MAX) signs.clear();
  // A piece of a string keeps the whole string alive; what is remembered must be a string of its own.
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
