/** A question about a repository, and the commits of its window. */
import type { History } from '../../ports/git.ts';
import { graphOf } from './commit-graph.ts';

/** Limit of commits that are read of a window; the newest are read. */
export const WINDOW_COMMITS_MAX = 50_000;

export type Marker = 'version-tags' | 'release-branch-merges';

/** One question about a repository at one moment. */
export interface Question {
  readonly history: History;
  readonly root: string;
  readonly windowDays: number;
  /** Unix seconds. */
  readonly now: number;
  readonly marker: Marker;
  /** The branch whose merges are releases: `HEAD`, or as the caller wrote it; and its commit, -1 without one. */
  readonly branch: { readonly name: string; readonly commit: number };
}

/** The first second of the window, which has no end: commits dated after `now` count, too. */
export function sinceOf({ now, windowDays }: Pick<Question, 'now' | 'windowDays'>): number {
  return now - windowDays * 86_400;
}

export interface WindowCommits {
  /** Non-merge commits of HEAD whose committer time lies in the window, in order of that time. */
  readonly commits: readonly number[];
  readonly isCut: boolean;
}

export function commitsInWindow(question: Pick<Question, 'history' | 'now' | 'windowDays'>): WindowCommits {
  const { committed } = question.history;
  const { headCommits } = graphOf(question.history);
  const first = firstAtOrAfter(headCommits, sinceOf(question), (commit) => committed[commit]!);
  const isCut = headCommits.length - first > WINDOW_COMMITS_MAX;
  return { commits: headCommits.slice(isCut ? -WINDOW_COMMITS_MAX : first), isCut };
}

/** The index of the first item at or after a moment. Items are sorted by time. Their number when all are before it. */
export function firstAtOrAfter<Item>(items: readonly Item[], moment: number, at: (item: Item) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(items[middle]!) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
