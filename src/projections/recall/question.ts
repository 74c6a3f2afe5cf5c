/**
 * A question as weighted terms: its words, the concepts they name or exemplify, and who it is about.
 *
 * - A word's weight is its rarity among the documents; a word that says nothing counts little unless all do.
 * - A name that also speaks in the texts says who rather than what: it counts for less as a word.
 */
import { speakerTerm } from './analyse.ts';
import type { Loaded } from './loaded.ts';
import type { Span } from './parts.ts';
import type { Settings } from './settings.ts';
import { stem, type Word, words } from './words.ts';

export interface Term {
  readonly weight: number;
  /** Where it stands in each part. */
  readonly spans: readonly (Span | undefined)[];
}

export interface Question {
  readonly terms: readonly Term[];
  /** The terms of the speakers it is about, with how much more counts what they say. */
  readonly speakers: readonly Term[];
  /** Words that stand in no document. */
  readonly unknown: number;
  /** The weight of all its words, those in no document included: what a perfect match would have. */
  readonly weight: number;
}

/** Words of a question that are looked up, the rarest; the rest of a very long one is left to the vectors. */
const QUESTION_WORDS_MAX = 48;

/** A term with less than this share of the weight of all is not worth its many postings. */
const NEGLIGIBLE = 0.01;

/** Speakers that are roles, not names: as words they say what, not who. */
const ROLES = new Set(['user', 'assistant']);
const FIRST_PERSON = new Set(['i', 'me', 'my', 'mine', 'myself', 'we', 'our', 'us']);
const SECOND_PERSON = new Set(['you', 'your', 'yours', 'yourself']);
const POLITE = new Set(['can', 'could', 'would', 'will', 'do', 'may', 'thank'].map(stem));

export function understand(text: string, loaded: Loaded, settings: Settings): Question {
  const all = words(text);
  const wordy = all.some((word) => !word.stop);
  const distinct = [...new Map(all.map((word) => [word.id, word])).values()];
  const find = finder(loaded);
  const rated = distinct
    .map((word) => {
      const speaking = word.stop || ROLES.has(word.stem) ? NOWHERE : find(speakerTerm(word.stem));
      const speaks = speaking.docs > 0;
      const share = speaks ? settings.nameWeight : word.stop && wordy ? settings.stopWeight : 1;
      const found = find(word.id);
      return { word, ...found, weight: found.idf * share, speaks, speaking };
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, QUESTION_WORDS_MAX);
  const subjects = rated.filter(({ word, speaks }) => !speaks && !word.stop).map(({ word }) => word);
  const known = new Set(rated.map(({ word }) => word.id));
  const concepts = [...conceptsOf(subjects, settings)]
    .filter(([id]) => !known.has(id))
    .map(([id, share]) => ({ found: find(id), share }))
    .map(({ found, share }) => ({ spans: found.spans, weight: share * found.idf }));
  const named = rated.filter(({ speaks }) => speaks);
  const weight = rated.reduce((sum, term) => sum + term.weight, 0);
  return {
    terms: [...rated, ...concepts].filter((term) => term.weight > weight * NEGLIGIBLE),
    speakers: [
      ...named.map(({ speaking }) => ({ spans: speaking.spans, weight: settings.speaker })),
      ...askers(all).map((role) => ({ spans: find(speakerTerm(role)).spans, weight: settings.asker })),
    ],
    unknown: rated.filter(({ word, docs }) => docs === 0 && !word.stop).length,
    weight,
  };
}

/**
 * Who "my plan" and "what you told me" are about, in a talk of user and assistant. "Can you tell me" is only polite.
 */
function askers(all: readonly Word[]): readonly string[] {
  const user = all.some((word) => FIRST_PERSON.has(word.stem));
  const assistant = all.some((word, at) => SECOND_PERSON.has(word.stem) && !POLITE.has(all[at - 1]?.stem ?? ''));
  return [...(user ? ['user'] : []), ...(assistant ? ['assistant'] : [])];
}

function conceptsOf(subjects: readonly Word[], settings: Settings): ReadonlyMap<number, number> {
  const shares = new Map<number, number>();
  const raise = (concept: number, share: number): void =>
    void shares.set(concept, Math.max(shares.get(concept) ?? 0, share));
  for (const { names, kinds } of subjects) {
    for (const concept of names) raise(concept, settings.namedConcept / Math.sqrt(names.length));
    const kindred = kinds.filter((concept) => !names.includes(concept));
    for (const concept of kindred) raise(concept, settings.kindredConcept / Math.sqrt(kindred.length));
  }
  return shares;
}

interface Found {
  readonly spans: readonly (Span | undefined)[];
  /** In how many documents it stands. */
  readonly docs: number;
  /** Inverse document frequency. */
  readonly idf: number;
}

const NOWHERE: Found = { spans: [], docs: 0, idf: 0 };

function finder(loaded: Loaded): (term: number) => Found {
  return (term) => {
    const spans = loaded.parts.map((part) => part.find(term));
    const docs = spans.reduce((sum, span) => sum + (span === undefined ? 0 : span.to - span.from), 0);
    return { spans, docs, idf: Math.log(1 + (Math.max(0, loaded.docs - docs) + 0.5) / (docs + 0.5)) };
  };
}
