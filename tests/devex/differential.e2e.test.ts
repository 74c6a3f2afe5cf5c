/**
 * Random histories, measured twice: by the program, and by a direct reading of the contract with one `git log` per
 * question.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byDepth, IS_LONG } from '../support/depth.ts';
import { removeFolder } from '../support/folders.ts';
import { type CommitSpec, HOUR, makeRepository, measureAt, type TagSpec, type TestRepository } from './repository.ts';
import { anySynthetic, NOW, type Synthetic } from './synthetic.ts';

const RUNS = byDepth({ sample: 3, dense: 12, long: 300 });
const SUBJECTS = ['feat: x', 'fix: y', 'Revert "z"', 'apply the hotfix', 'Roll back', 'revert'];

function stepsOf({ commits, tags }: Synthetic): readonly (CommitSpec | TagSpec)[] {
  const made = commits.map(
    ({ parents, authored, committed, author }, index): CommitSpec => ({
      commit: `c${index}`,
      at: committed,
      authored,
      author: `Author ${author}`,
      message: SUBJECTS[(index * 7 + author) % SUBJECTS.length]!,
      parents: parents.map((parent) => `c${parent}`),
      // What nothing leads to later would be lost: every commit has a branch, and the last one is HEAD.
      branch: index === commits.length - 1 ? 'main' : `b${index}`,
    }),
  );
  return [...made, ...tags.map(({ name, commit, at }): TagSpec => ({ tag: name, on: `c${commit}`, at }))];
}

function nearestRank(sorted: readonly number[], percent: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

/** No cleverness: one question, one process. */
function straight({ git }: TestRepository, since: number) {
  const tags = git('for-each-ref', '--format=%(refname:strip=2) %(creatordate:unix)', 'refs/tags')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.split(' ')[0]!, at: Number(line.split(' ')[1]) }))
    .sort((left, right) => left.at - right.at || (left.name < right.name ? -1 : 1));
  const releases = tags.filter(({ at }) => at >= since);
  const hours = releases.flatMap(({ name, at }) => {
    const before = tags[tags.findIndex((tag) => tag.name === name) - 1];
    const range = before === undefined ? `refs/tags/${name}` : `refs/tags/${before.name}..refs/tags/${name}`;
    const times = git('log', '--no-merges', '--format=%at', range);
    return times
      .split('\n')
      .filter((time) => time !== '' && Number(time) <= at)
      .map((time) => (at - Number(time)) / HOUR);
  });
  const commits = git('log', '--no-merges', '--format=%ct%x00%an%x00%s', 'main')
    .split('\n')
    .map((line) => line.split('\0') as [string, string, string])
    .filter(([at]) => Number(at) >= since && at !== '');
  const mended = commits
    .filter(([, , subject]) => /^(revert |revert:|emergency fix)|hotfix|rollback|roll back/i.test(subject))
    .map(([at]) => Number(at));
  const restored = releases.flatMap(({ at }, index) => {
    const after = mended.filter((time) => time > at && time < (releases[index + 1]?.at ?? Number.POSITIVE_INFINITY));
    return after.length === 0 ? [] : [(Math.min(...after) - at) / HOUR];
  });
  hours.sort((left, right) => left - right);
  restored.sort((left, right) => left - right);
  return {
    releases: releases.map(({ name }) => name),
    lead: [hours.length, nearestRank(hours, 50), nearestRank(hours, 90)],
    failure: releases.length === 0 ? undefined : (restored.length / releases.length) * 100,
    restore: [restored.length, nearestRank(restored, 50)],
    commits: commits.length,
    authors: new Set(commits.map(([, author]) => author)).size,
  };
}

test(
  'is measured the same both ways',
  async () => {
    await fc.assert(
      fc.asyncProperty(anySynthetic, fc.integer({ min: 1, max: 220 }), async (synthetic, windowDays) => {
        const repository = makeRepository(stepsOf(synthetic));
        const { report } = (await measureAt(NOW, { path: repository.path, window: String(windowDays) })).dora();
        const { lead_time_for_changes: lead, change_failure_rate: failure, time_to_restore: restore } = report;
        const percentile = (at: number, of = lead): number | undefined => of?.percentiles?.at(at)?.value;
        expect({
          releases: report.deployments.map(({ name }) => name),
          lead: [lead?.sample_size ?? 0, lead?.value, percentile(-1)],
          failure: failure?.value,
          restore: [restore?.sample_size ?? 0, restore?.value],
          commits: report.commits_in_window,
          authors: report.authors_in_window,
        }).toEqual(straight(repository, NOW - windowDays * 24 * HOUR));
        removeFolder(repository.path);
      }),
      { numRuns: RUNS },
    );
  },
  IS_LONG ? 600_000 : 60_000,
);
