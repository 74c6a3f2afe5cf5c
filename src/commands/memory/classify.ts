/**
 * Classifies a text into one of the five sectors by its words, without a model.
 *
 * - Deterministic. The result is recorded with the memory.
 * - A text without any sign counts as knowledge: semantic 0.6, the others 0.1 each.
 */
import { stemmer } from 'stemmer';
import { SECTOR_TRAITS, SECTORS, type Sector } from '../../events/memory/events.ts';

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
  const scores: Scores = { episodic: 0, semantic: 0, procedural: 0, emotional: 0, reflective: 0 };
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

interface Signals {
  readonly strong: string;
  readonly plain: string;
  /** Separated by semicolons. */
  readonly phrases: string;
}

export const SIGNALS: Readonly<Record<Sector, Signals>> = {
  episodic: {
    strong: `yesterday tonight ago monday tuesday wednesday thursday friday saturday sunday happened attended visited
      met arrived meeting standup appointment birthday wedding trip holiday vacation interview outage incident
      anniversary lunch dinner breakfast`,
    plain: `today morning afternoon evening night weekend january february april june july august september october
      november december week month session event call called went came saw told said asked talked spoke discussed
      moved joined left started finished bought ordered travelled flew watched deployed released noon midnight
      cancelled conference party concert demo review retrospective decided agreed booked scheduled`,
    phrases: `last week; last month; last year; last night; this morning; this afternoon; the other day; next week;
      earlier today; the day before; on the phone; in the meeting; we met; i met; i went; we went; for the first time`,
  },
  semantic: {
    strong: `definition defined means meaning denotes synonym consists comprises specification protocol standard
      theorem taxonomy capital population formula encoding format schema algorithm`,
    plain: `api type class interface concept term theory fact property version language library framework database
      supports requires contains includes uses called known named based equals unit constant default limit port
      license architecture endpoint prefers preference favourite favorite model structure component located belongs
      written element`,
    phrases: `is a; is an; is the; are a; are the; stands for; refers to; is called; is defined as; is known as;
      is part of; consists of; is used for; is used to; is based on; is written in; depends on; belongs to; such as;
      in general; by default; is located in; lives in; works at; works for; runs on`,
  },
  procedural: {
    strong: `install configure step steps procedure recipe instructions workflow checkout compile restart rollback
      sudo npm docker kubectl chmod git bake preheat stir knead tighten unscrew recompile redeploy rebase`,
    plain: `run build deploy execute command script click open press type enter select create update upgrade remove
      delete copy paste commit push pull merge start stop set add use enable disable export import test check verify
      first then next finally before after until ensure repeat mix pour cut heat wait turn save backup restore
      migrate generate download upload edit rename replace apply append`,
    phrases: `how to; step by step; in order to; make sure; make sure to; to do this; first of all; after that;
      and then; run the; open the; click on; go to; you need to; you must; remember to; be sure to; set the; use the;
      to fix; to install; to build; to start; to reset; to restart; to deploy; to release`,
  },
  emotional: {
    strong: `happy happiness sad sadness angry anger frustrated frustrating afraid scared fear anxious anxiety worried
      love loved hate hated joy excited thrilled delighted upset miserable lonely proud ashamed embarrassed grateful
      thankful relieved nervous stressed stressful overwhelmed disappointed disappointing annoyed annoying jealous
      heartbroken terrified cheerful hopeful hopeless depressed furious guilty adore dread mood emotion feeling`,
    plain: `feel felt enjoy enjoyed tired exhausted exhausting glad sorry hurt cry cried laugh laughed smile smiled
      miss missed wonderful awful terrible horrible amazing fantastic worst best fun calm peaceful shocked surprised
      bored boring comfortable uncomfortable pain trust crush tears heart like dislike`,
    phrases: `i feel; i felt; makes me; made me; i am so; i was so; i love; i hate; can not stand; can't stand;
      cheered me up; broke my heart; looking forward to; fed up; burned out; burnt out; scared of; afraid of;
      proud of; sick of; in a good mood; in a bad mood; could not stop smiling`,
  },
  reflective: {
    strong: `lesson insight hindsight realised realized realise realize principle takeaway pattern tendency learned
      learnt wisdom philosophy reflection reflecting perspective mindset retrospectively tradeoff conclusion rule`,
    plain: `should shouldn always never usually often tend understand understood believe noticed notice better worse
      matter matters value values important worth mistake habit improve improvement growth goal purpose
      experience consider rather instead judgement attitude truth simple simplicity overall`,
    phrases: `in hindsight; looking back; i learned; we learned; lesson learned; i realised; i realized; we realised;
      we realized; i noticed that; it turns out; the lesson; next time; in the long run; over time; more important
      than; rule of thumb; i tend to; we tend to; it is better to; it pays to; what matters; i should have;
      we should have; the key is; from now on; i understand now; every time`,
  },
};
