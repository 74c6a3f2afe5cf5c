/** Histories without git: columns made from a list of commits, and random lists of commits. */
import fc from 'fast-check';
import { type History, MERGE, type Tag } from '../../src/ports/git.ts';
import type { Question } from '../../src/queries/devex/window.ts';

export interface SyntheticCommit {
  /** Indexes of commits before this one. */
  readonly parents: readonly number[];
  readonly authored: number;
  readonly committed: number;
  readonly author: number;
  readonly traits: number;
}

export interface Synthetic {
  readonly commits: readonly SyntheticCommit[];
  readonly tags: readonly Tag[];
}

export function historyOf({ commits, tags }: Synthetic): History {
  const parents = commits.flatMap((commit) => commit.parents);
  const parentStart = new Int32Array(commits.length + 1);
  for (const [index, commit] of commits.entries()) parentStart[index + 1] = parentStart[index]! + commit.parents.length;
  const authors = Math.max(0, ...commits.map(({ author }) => author + 1));
  return {
    count: commits.length,
    authored: Float64Array.from(commits, ({ authored }) => authored),
    committed: Float64Array.from(commits, ({ committed }) => committed),
    author: Int32Array.from(commits, ({ author }) => author),
    traits: Uint8Array.from(commits, ({ traits, parents: { length } }) => traits | (length > 1 ? MERGE : 0)),
    parentStart,
    parents: Int32Array.from(parents),
    authors: Array.from({ length: authors }, (_, index) => `author ${index}`),
    mergeSubjects: new Map(),
    head: commits.length - 1,
    branches: new Map(),
    tags,
    isShallow: false,
    isCut: false,
    hash: (commit) => commit.toString(16).padStart(40, '0'),
  };
}

/** Moved in time, all of it. */
export function shifted({ commits, tags }: Synthetic, seconds: number): Synthetic {
  return {
    commits: commits.map((commit) => ({
      ...commit,
      authored: commit.authored + seconds,
      committed: commit.committed + seconds,
    })),
    tags: tags.map((tag) => ({ ...tag, at: tag.at + seconds })),
  };
}

export const NOW = Date.UTC(2024, 2, 15, 12) / 1_000;

export function questionOf(synthetic: Synthetic, more: Partial<Question> = {}): Question {
  const history = historyOf(synthetic);
  return {
    history,
    root: '/repository',
    windowDays: 90,
    now: NOW,
    marker: 'version-tags',
    branch: { name: 'HEAD', commit: history.head },
    ...more,
  };
}

/** Any graph, any clocks, tags in the order of their names. */
export const anySynthetic: fc.Arbitrary<Synthetic> = fc
  .array(
    fc.record({
      back: fc.uniqueArray(fc.nat(4), { maxLength: 2 }),
      authored: fc.integer({ min: NOW - 200 * 86_400, max: NOW + 86_400 }),
      committed: fc.integer({ min: NOW - 200 * 86_400, max: NOW + 86_400 }),
      author: fc.nat(3),
      traits: fc.constantFrom(0, 0, 2, 4, 6),
      tagged: fc.option(fc.integer({ min: NOW - 200 * 86_400, max: NOW }), { freq: 3 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows) => ({
    commits: rows.map(({ back, tagged: _, ...row }, index) => ({
      ...row,
      parents: [...new Set(back.map((distance) => index - 1 - distance).filter((parent) => parent >= 0))],
    })),
    tags: rows.flatMap(({ tagged }, index) =>
      tagged === null ? [] : [{ name: `v1.${String(index).padStart(3, '0')}`, commit: index, at: tagged }],
    ),
  }));
