/** Dates, names and numbers at the limits of what a repository can hold. */
import { expect, test } from 'vitest';
import { createGit } from '../../src/integrations/git/git.ts';
import { GIT_WAITING_MAX } from '../../src/integrations/git/process.ts';
import { measure } from '../../src/queries/devex/measure.ts';
import { zQuery } from '../../src/queries/devex/query.ts';
import { IS_DENSE } from '../support/depth.ts';
import { DAY, HOUR, makeRepository, measureAt, runGit } from './repository.ts';

const NOW = Date.UTC(2024, 2, 15, 12) / 1_000;
const T = NOW - 10 * DAY;

test('dates before 1970 are before every window, also those of tags, which git prints as very late', async () => {
  const { path } = makeRepository([
    { commit: 'moon', at: -14_182_940 },
    { tag: 'v0.1', on: 'moon' },
    { tag: 'v0.2', on: 'moon', at: -1 },
    { commit: 'today', at: T },
    { tag: 'v1.0', on: 'today' },
  ]);
  const { report } = (await measureAt(NOW, { path, window: '1825' })).dora();
  expect(report.deployments.map(({ name, at }) => [name, at])).toEqual([['v1.0', T]]);
  expect(report.notes).toEqual([]);
  // Bounded by v0.2, the release before.
  expect(report.lead_time_for_changes).toMatchObject({ value: 0, sample_size: 1 });
});

test('a branch is found by every name that git prints for it', async () => {
  const repository = makeRepository([
    { commit: 'a', at: T },
    { commit: 'b', at: T + HOUR, parents: ['a'], branch: 'side' },
    { commit: 'm', at: T + 2 * HOUR, parents: ['a', 'b'], message: 'Merge side' },
  ]);
  repository.git('update-ref', 'refs/remotes/origin/main', 'main');
  for (const branch of ['main', 'heads/main', 'refs/heads/main', 'origin/main', 'remotes/origin/main', ' main ']) {
    const { report } = (await measureAt(NOW, { path: repository.path, marker: 'merges', branch })).dora();
    expect([branch, report.deployments.map(({ name }) => name)]).toEqual([branch, ['Merge side']]);
  }
});

test('a co-author at the end of a huge message is seen, and so is the subject before it', async () => {
  const log = 'one more line of the log of a squashed branch\n'.repeat(20_000);
  const { path } = makeRepository([
    { commit: 'a', at: T },
    { tag: 'v1.0', on: 'a' },
    { commit: 'b', at: T + HOUR, message: `hotfix: all of it\n\n${log}\nCo-authored-by: Bob <bob@example.org>\n` },
  ]);
  const measurement = await measureAt(NOW, { path });
  expect(measurement.dora().report.time_to_restore).toMatchObject({ value: 1, sample_size: 1 });
  const { measures } = (await measurement.space()).dimensions[3]!;
  expect(measures.find(({ unit }) => unit === 'percent of commits')).toMatchObject({ value: 50, sample_size: 2 });
});

test('of an endless author name and merge subject the beginning is kept', async () => {
  const long = 'x'.repeat(50_000);
  const { path } = makeRepository([
    { commit: 'a', at: T, author: long },
    { commit: 'b', at: T + HOUR, parents: ['a'], branch: 'side', author: `y${long}` },
    { commit: 'm', at: T + 2 * HOUR, parents: ['a', 'b'], message: long },
  ]);
  const measurement = await measureAt(NOW, { path, marker: 'merges' });
  const { new_contributors: newcomers } = await measurement.onboarding();
  expect(newcomers.map(({ author }) => [author.slice(0, 2), author.length])).toEqual([
    ['yx', 1_024],
    ['xx', 1_024],
  ]);
  expect(measurement.dora().report.deployments.map(({ name }) => name)).toEqual(['x'.repeat(1_024)]);
});

test.runIf(IS_DENSE)('a dashboard may ask about fifty repositories at once', async () => {
  const { path } = makeRepository([{ commit: 'a', at: T }]);
  // Each has two questions for git under way at most.
  const paths = Array.from({ length: 50 }, (_, index) => `${path}/copy-${index}`);
  expect(2 * paths.length).toBeLessThan(GIT_WAITING_MAX);
  for (const copy of paths) runGit(path, 'clone', '-q', '--bare', '--shared', path, copy);
  const git = createGit({ PATH: process.env.PATH });
  const all = await Promise.all(paths.map((copy) => measure(git, zQuery.parse({ path: copy }), NOW * 1_000)));
  expect(all.map((measurement) => measurement.dora().report.commits_in_window)).toEqual(paths.map(() => 1));
  await git.close();
});

test('a thousand newcomers and more are all listed', async () => {
  const people = Array.from({ length: 1_500 }, (_, index) => `person ${index}`);
  const { path } = makeRepository(people.map((author, index) => ({ commit: author, at: T + index, author })));
  const { new_contributors: newcomers, notes } = await (await measureAt(NOW, { path })).onboarding();
  expect(newcomers.map(({ author }) => author)).toEqual(people.toReversed());
  expect(notes).toHaveLength(1);
});
