/** The releases of a history: tags named like versions, or merges on a branch. */
import type { History } from '../../ports/git.ts';
import { graphOf } from './commit-graph.ts';
import type { Question } from './window.ts';

export interface Release {
  readonly name: string;
  readonly commit: number;
  /** A tag's creator date, a merge's committer time; Unix seconds. */
  readonly at: number;
}

/** All releases of a history, oldest first; those of the same second in the order of their version names. */
export function releasesOf({ history, marker, branch }: Pick<Question, 'history' | 'marker' | 'branch'>) {
  return marker === 'version-tags' ? versionTags(history) : merges(history, branch.commit);
}

const tagged = new WeakMap<History, readonly Release[]>();

function versionTags(history: History): readonly Release[] {
  const known = tagged.get(history);
  if (known !== undefined) return known;
  const releases = history.tags.filter(({ name }) => isVersion(name)).toSorted((left, right) => left.at - right.at);
  tagged.set(history, releases);
  return releases;
}

function merges(history: History, tip: number): readonly Release[] {
  return graphOf(history)
    .merges(tip)
    .map((commit) => ({
      name: history.mergeSubjects.get(commit) ?? '',
      commit,
      at: history.committed[commit]!,
    }));
}

/**
 * `v1.2.3`, `1.0`, `release-2.4.0`, `team/2024.11.1`: after leading letters, hyphens and underscores of the last path
 * segment there is a number, and the name has a dot. A bare number (a counter) and a word are not versions.
 */
export function isVersion(name: string): boolean {
  const core = name.slice(name.lastIndexOf('/') + 1).replace(/^[A-Za-z_-]+/, '');
  return core.includes('.') && /^\d+$/.test(core.split(/[.+-]/, 1)[0]!);
}
