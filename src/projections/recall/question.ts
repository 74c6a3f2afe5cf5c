/**
 * Parses a question into weighted terms: its words, the concepts they name or exemplify, and the speakers it is about.
 *
 * - A word's weight is its inverse document frequency. Stop words count little, unless the question has nothing else.
 * - The name of a speaker selects a speaker rather than a topic, so it counts less as a word.
 */
import { inverseDocumentFrequency } from '../../lib/bm25.ts';
import { speakerTerm } from './analyse.ts';
import type { RecallIndex } from './index-cache.ts';
import type { PostingRange } from './postings.ts';
import type { Settings } from './settings.ts';
import { stem, type Word, words } from './words.ts';

export interface Term {
  readonly weight: number;
  /** Postings by part. */
  readonly spans: readonly (PostingRange | undefined)[];
}

export interface Question {
  readonly terms: readonly Term[];
  /** The terms of the speakers that the question is about; the weight is the bonus of their blocks. */
  readonly speakers: readonly Term[];
  /** Number of words that no document contains. */
  readonly unknown: number;
  /** The weight of all words, unknown ones included: the score of a perfect match. */
  readonly weight: number;
}

/** The rarest words are looked up; the vector covers the rest of a very long question. */
const QUESTION_WORDS_MAX = 48;

/** A term with a smaller share of the total weight is skipped, because it is frequent and its postings cost most. */
const NEGLIGIBLE = 0.01;

/** Speakers that are roles, not names: as words they are topics. */
const ROLES = new Set(['user', 'assistant']);
const FIRST_PERSON = new Set(['i', 'me', 'my', 'mine', 'myself', 'we', 'our', 'us']);
const SECOND_PERSON = new Set(['you', 'your', 'yours', 'yourself']);
const POLITE = new Set(['can', 'could', 'would', 'will', 'do', 'may', 'thank'].map(stem));

export function parseQuestion(text: string, loaded: RecallIndex, settings: Settings): Question {
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
      ...rolesAskedAbout(all).map((role) => ({ spans: find(speakerTerm(role)).spans, weight: settings.role })),
    ],
    unknown: rated.filter(({ word, docs }) => docs === 0 && !word.stop).length,
    weight,
  };
}

/**
 * "my plan" is about the user and "what you told me" about the assistant; the "you" of "can you tell me" is about none.
 */
function rolesAskedAbout(all: readonly Word[]): readonly string[] {
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
    const related = kinds.filter((concept) => !names.includes(concept));
    for (const concept of related) raise(concept, settings.relatedConcept / Math.sqrt(related.length));
  }
  return shares;
}

interface Found {
  readonly spans: readonly (PostingRange | undefined)[];
  /** Number of documents that contain the term. */
  readonly docs: number;
  /** Inverse document frequency. */
  readonly idf: number;
}

const NOWHERE: Found = { spans: [], docs: 0, idf: 0 };

function finder(loaded: RecallIndex): (term: number) => Found {
  return (term) => {
    const spans = loaded.parts.map((part) => part.find(term));
    const docs = spans.reduce((sum, span) => sum + (span === undefined ? 0 : span.to - span.from), 0);
    return { spans, docs, idf: inverseDocumentFrequency(loaded.docs, docs) };
  };
}
