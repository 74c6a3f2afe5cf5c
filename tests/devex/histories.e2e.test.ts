/** Real repositories whose metrics are worked out by hand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../src/integrations/git/git.ts';
import type { DoraReport, SpaceReport } from '../../src/queries/devex/schemas.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type CommitSpec, DAY, gitInFront, HOUR, makeRepository, measureAt, type TagSpec } from './repository.ts';

const NOW = Date.UTC(2024, 2, 15, 12) / 1_000;
const KEYS = ['deployment_frequency', 'lead_time_for_changes', 'change_failure_rate', 'time_to_restore'] as const;

async function dora(
  steps: readonly (CommitSpec | TagSpec)[],
  query: Readonly<Record<string, string>> = {},
): Promise<DoraReport> {
  const { path } = makeRepository(steps);
  return (await measureAt(NOW, { path, ...query })).dora().report;
}

function unmeasured(report: DoraReport): string[] {
  return report.unmeasured.map(({ metric }) => metric);
}

function measuresOf(space: SpaceReport, key: string) {
  const { measures } = space.dimensions.find((dimension) => dimension.key === key)!;
  return Object.fromEntries(measures.map(({ name, value, sample_size }) => [name, [value, sample_size]]));
}

describe('no tags', () => {
  test('leaves all four keys out, in order, each with a reason and a way; the commits are counted', async () => {
    const T = NOW - 10 * DAY;
    const { path } = makeRepository([
      { commit: 'long ago', at: NOW - 200 * DAY },
      { commit: 'a', at: T },
      { commit: 'b', at: T + HOUR, author: 'Bob' },
      { commit: 'c', at: T + 2 * HOUR },
      { tag: 'nightly', on: 'c' },
      { tag: '42', on: 'c' },
    ]);
    const measurement = await measureAt(NOW, { path });
    const { report } = measurement.dora();
    expect(unmeasured(report)).toEqual(KEYS);
    for (const key of KEYS) expect(report).not.toHaveProperty(key);
    for (const { reason, to_measure_this: how } of report.unmeasured) expect([reason, how]).not.toContain('');
    expect(report).toMatchObject({
      repo: path,
      window_days: 90,
      since: NOW - 90 * DAY,
      generated_at: NOW,
      release_marker: 'version-tags',
      deployments: [],
      commits_in_window: 3,
      authors_in_window: 2,
      notes: [],
    });
    const scorecard = await measurement.scorecard();
    expect(scorecard.dora_coverage).toBe(0);
    expect(scorecard).not.toHaveProperty('delivery_grade');
    expect(scorecard.headline).toContain('None of the 4 delivery keys');
  });

  test('a window without a release has none, although there is one before it', async () => {
    const report = await dora([
      { commit: 'a', at: NOW - 100 * DAY },
      { tag: 'v1.0', on: 'a' },
      { commit: 'b', at: NOW - DAY },
    ]);
    expect(unmeasured(report)).toEqual(KEYS);
    expect(report.commits_in_window).toBe(1);
  });
});

describe('two tags and a hotfix', () => {
  const T = NOW - 40 * DAY;
  const steps = [
    { commit: 'c1', at: T, files: { a: '1' } },
    { commit: 'c2', at: T + 6 * HOUR },
    { tag: 'v1.0.0', on: 'c2', at: T + 10 * HOUR },
    { commit: 'hot', at: T + 14 * HOUR, message: 'Hotfix: bring the checkout back' },
    { commit: 'c3', at: T + 20 * HOUR },
    { tag: 'v1.1.0', on: 'c3', at: T + 30 * HOUR },
  ];

  test('has every key', async () => {
    const repository = makeRepository(steps);
    const measurement = await measureAt(NOW, { path: repository.path });
    const scorecard = await measurement.scorecard();
    const { dora: report } = scorecard;
    expect(report.deployment_frequency).toEqual({
      value: (2 / 90) * 7,
      unit: 'deployments/week',
      band: 'low',
      sample_size: 2,
      proxy: expect.any(String),
    });
    // c1 waits 10 h and c2 4 h for v1.0.0, the hotfix 16 h and c3 10 h for v1.1.0.
    expect(report.lead_time_for_changes).toEqual({
      value: 10,
      unit: 'hours (p50)',
      band: 'elite',
      sample_size: 4,
      proxy: expect.any(String),
      percentiles: [
        { label: 'p50', value: 10 },
        { label: 'p75', value: 10 },
        { label: 'p90', value: 16 },
      ],
    });
    expect(report.change_failure_rate).toMatchObject({
      value: 50,
      unit: 'percent of deployments',
      band: 'low',
      sample_size: 2,
    });
    expect(report.change_failure_rate).not.toHaveProperty('percentiles');
    expect(report.time_to_restore).toMatchObject({
      value: 4,
      unit: 'hours (p50)',
      band: 'high',
      sample_size: 1,
      percentiles: [
        { label: 'p50', value: 4 },
        { label: 'p90', value: 4 },
      ],
    });
    expect(report.unmeasured).toEqual([]);
    expect(report.deployments).toEqual([
      { name: 'v1.0.0', commit: repository.hash('c2'), at: T + 10 * HOUR, followed_by_remediation: true },
      { name: 'v1.1.0', commit: repository.hash('c3'), at: T + 30 * HOUR, followed_by_remediation: false },
    ]);
    // low 1, elite 4, low 1, high 3: 2.25 points.
    expect(scorecard).toMatchObject({ dora_coverage: 1, delivery_grade: 'C' });
    expect(scorecard.headline).toMatch(/C on 4\/4 .* 0\.0\/3 .* 10 practices/);
  });

  test('all four keys stay with every other clock in the tags', async () => {
    const tagged = makeRepository([...steps, { tag: 'v1.2.0', on: 'c3', at: T + 30 * HOUR }]);
    const report = (await measureAt(NOW, { path: tagged.path })).dora().report;
    // v1.2.0 is in the same second as v1.1.0 and brings nothing; it comes after it by its name.
    expect(report.deployments.map(({ name }) => name)).toEqual(['v1.0.0', 'v1.1.0', 'v1.2.0']);
    expect(report.lead_time_for_changes).toMatchObject({ sample_size: 4 });
  });

  test('a release before the window is the lower end of the first one in it', async () => {
    const report = await dora(steps, { window: '39' });
    expect(report.deployments.map(({ name }) => name)).toEqual(['v1.1.0']);
    expect(report.lead_time_for_changes).toMatchObject({ value: 10, sample_size: 2 });
    expect(report.change_failure_rate).toMatchObject({ value: 0, band: 'elite', sample_size: 1 });
    expect(unmeasured(report)).toEqual(['time_to_restore']);
  });
});

describe('a release that fails', () => {
  const T = NOW - 20 * DAY;

  test('twice failed once, and was restored by the first', async () => {
    const report = await dora([
      { commit: 'c1', at: T },
      { tag: 'v1.0', on: 'c1', at: T + HOUR },
      { commit: 'r1', at: T + 3 * HOUR, message: 'Revert "c1"' },
      { commit: 'r2', at: T + 50 * HOUR, message: 'rollback of the migration' },
    ]);
    expect(report.change_failure_rate).toMatchObject({ value: 100, sample_size: 1, band: 'low' });
    expect(report.time_to_restore).toMatchObject({ value: 2, sample_size: 1, band: 'high' });
  });

  test('in its own second or in that of the next release did not fail', async () => {
    const report = await dora([
      { commit: 'c1', at: T },
      { tag: 'v1.0', on: 'c1', at: T + HOUR },
      { commit: 'r1', at: T + HOUR, message: 'hotfix' },
      { commit: 'r2', at: T + 2 * HOUR, message: 'hotfix' },
      { tag: 'v1.1', on: 'r2', at: T + 2 * HOUR },
    ]);
    expect(report.change_failure_rate).toMatchObject({ value: 0, sample_size: 2 });
    expect(unmeasured(report)).toEqual(['time_to_restore']);
  });

  test('is not seen in an ordinary fix, nor in a merge that says so', async () => {
    const report = await dora([
      { commit: 'c1', at: T },
      { tag: 'v1.0', on: 'c1', at: T + HOUR },
      { commit: 'fix', at: T + 2 * HOUR, message: 'fix: off by one' },
      { commit: 'side', at: T + 2 * HOUR, parents: ['c1'], branch: 'side' },
      { commit: 'merge', at: T + 3 * HOUR, parents: ['fix', 'side'], message: 'Merge branch hotfix' },
    ]);
    expect(report.change_failure_rate).toMatchObject({ value: 0 });
  });
});

describe('merges', () => {
  const T = NOW - 50 * DAY;
  const steps: readonly CommitSpec[] = [
    { commit: 'root', at: NOW - 120 * DAY },
    { commit: 'f0', at: NOW - 110 * DAY, parents: ['root'], branch: 'f0' },
    { commit: 'm0', at: NOW - 100 * DAY, parents: ['root', 'f0'], message: 'Merge f0' },
    { commit: 'f1', at: T, parents: ['m0'], branch: 'f1' },
    { commit: 'f1b', at: T + 2 * HOUR, parents: ['f1'], branch: 'f1' },
    { commit: 'm1', at: T + 8 * HOUR, parents: ['m0', 'f1b'], message: 'Merge f1\n\nbody' },
    { commit: 'f2', at: T + 9 * HOUR, parents: ['m1'], branch: 'f2' },
    { commit: 'm2', at: T + 10 * HOUR, parents: ['m1', 'f2'], message: 'Merge f2' },
  ];

  test('are deployments by their subjects, bounded by the merge before the window', async () => {
    const repository = makeRepository(steps);
    const report = (await measureAt(NOW, { path: repository.path, marker: 'merges' })).dora().report;
    expect(report).toMatchObject({
      release_marker: 'release-branch-merges',
      commits_in_window: 3,
      deployments: [
        { name: 'Merge f1', commit: repository.hash('m1'), at: T + 8 * HOUR },
        { name: 'Merge f2', commit: repository.hash('m2'), at: T + 10 * HOUR },
      ],
      // f1 8 h, f1b 6 h, f2 1 h; f0 came with m0.
      lead_time_for_changes: { value: 6, sample_size: 3 },
    });
    expect(report.notes).toEqual([expect.stringContaining('HEAD')]);
  });

  test('are those of the branch that is named', async () => {
    const { path } = makeRepository(steps);
    for (const [branch, names] of [
      ['f2', ['Merge f1']],
      ['refs/heads/f2', ['Merge f1']],
      ['f0', []],
      ['', ['Merge f1', 'Merge f2']],
    ] as const) {
      const { report } = (await measureAt(NOW, { path, marker: 'merges', branch })).dora();
      expect([branch, report.deployments.map(({ name }) => name)]).toEqual([branch, names]);
      expect(report.notes.join()).toContain(branch || 'HEAD');
    }
    await expect(measureAt(NOW, { path, marker: 'merges', branch: 'f9' })).rejects.toThrow();
    await expect(measureAt(NOW, { path, marker: 'merges', branch: 'HEAD~1' })).rejects.toThrow();
    // Without merges the branch says nothing.
    expect((await measureAt(NOW, { path, branch: 'f9' })).dora().report.release_marker).toBe('version-tags');
  });
});

describe('time', () => {
  test('29 February is a day like any other', async () => {
    const report = await dora([
      { commit: 'a', at: Date.UTC(2024, 1, 28, 12) / 1_000 },
      { commit: 'b', at: Date.UTC(2024, 1, 29, 12) / 1_000 },
      { tag: 'v1.0', on: 'b', at: Date.UTC(2024, 2, 1, 12) / 1_000 },
    ]);
    expect(report.lead_time_for_changes).toMatchObject({ value: 24, sample_size: 2 });
    expect(report.lead_time_for_changes?.percentiles).toContainEqual({ label: 'p90', value: 48 });
  });

  test('the window begins with its first second, by committer time; lead time runs from author time', async () => {
    const since = NOW - 90 * DAY;
    const report = await dora([
      { commit: 'before', at: since - 1, authored: NOW },
      { commit: 'first', at: since, authored: since - 5 * DAY },
      { tag: 'v1.0', on: 'before' },
      { tag: 'v1.1', on: 'first' },
    ]);
    expect(report.commits_in_window).toBe(1);
    expect(report.deployments.map(({ name }) => name)).toEqual(['v1.1']);
    expect(report.lead_time_for_changes).toMatchObject({ value: 120, sample_size: 1 });
  });

  test('clocks that run backwards lose nothing and invent nothing', async () => {
    const T = NOW - 10 * DAY;
    const report = await dora([
      { commit: 'a', at: T + 10 * HOUR },
      // Its parent is younger than it, and far older ones hide what is before them from git’s own --since.
      { commit: 'b', at: NOW - 900 * DAY },
      { commit: 'c', at: NOW - 900 * DAY },
      { commit: 'd', at: NOW - 901 * DAY },
      { commit: 'e', at: NOW - 902 * DAY },
      { commit: 'f', at: NOW - 903 * DAY },
      { commit: 'g', at: NOW - 904 * DAY },
      { commit: 'h', at: T + 2 * HOUR, authored: T + 40 * HOUR },
      { tag: 'v1.0', on: 'g', at: T + 12 * HOUR },
      { tag: 'v1.1', on: 'h', at: T + 20 * HOUR },
    ]);
    expect(report.commits_in_window).toBe(2);
    // v1.0 brings a (2 h) and six of long ago; h was written after the release that brought it.
    expect(report.lead_time_for_changes).toMatchObject({ sample_size: 7 });
    expect(report.lead_time_for_changes?.percentiles?.at(-1)?.value).toBe((T + 12 * HOUR - (NOW - 904 * DAY)) / HOUR);
  });

  test('commits dated after the report are counted, and a note gives their number', async () => {
    const report = await dora([
      { commit: 'a', at: NOW - HOUR },
      { commit: 'b', at: NOW + 100 * DAY },
      { tag: 'v1.0', on: 'a', at: NOW + DAY },
    ]);
    expect(report).toMatchObject({ commits_in_window: 2, deployment_frequency: { sample_size: 1 } });
    expect(report.notes).toEqual([expect.stringMatching(/^2 commits or releases are dated after this report/)]);
    const one = await dora([
      { commit: 'a', at: NOW - 2 * HOUR },
      { commit: 'b', at: NOW + 100 * DAY },
      { tag: 'v1.0', on: 'a', at: NOW - HOUR },
    ]);
    expect(one.notes).toEqual(['1 commit or release is dated after this report; it was counted as it stands.']);
    const reasons = one.unmeasured.map(({ reason }) => reason);
    expect(reasons).toContainEqual(expect.stringContaining('The only release was not followed by a revert'));
  });

  test('impossible times are bounded', async () => {
    const report = await dora([
      { commit: 'a', at: 0 },
      { commit: 'b', at: 4_000_000_000_000_000 },
      { tag: 'v1.0', on: 'b', at: 4_000_000_000_000_000 },
    ]);
    expect(report.deployments[0]?.at).toBe(253_402_300_799);
    expect(report.commits_in_window).toBe(1);
  });
});

describe('tags', () => {
  test('are where they lead: annotated, plain, tags of tags; those of trees are no releases', async () => {
    const T = NOW - 5 * DAY;
    const repository = makeRepository([
      { commit: 'a', at: T, files: { f: 'x' } },
      { tag: 'v1.0', on: 'a' },
      { tag: 'team/v1.1', on: 'a', at: T + HOUR },
    ]);
    repository.git('tag', '-a', '-m', 'x', 'v1.2', 'team/v1.1');
    repository.git('tag', 'v9.9', 'HEAD^{tree}');
    repository.git('branch', 'v1.0');
    const { report } = (await measureAt(NOW, { path: repository.path })).dora();
    expect(report.deployments.map(({ name }) => name)).toEqual(['v1.0', 'team/v1.1', 'v1.2']);
    expect(new Set(report.deployments.map(({ commit }) => commit))).toEqual(new Set([repository.hash('a')]));
  });

  test('of tags are followed by one process, however many there are', async () => {
    const repository = makeRepository([
      { commit: 'a', at: NOW - DAY, files: { f: 'x' } },
      { tag: 'v1.0', on: 'a', at: NOW },
    ]);
    for (let tag = 1; tag <= 20; tag += 1) repository.git('tag', '-a', '-m', 'x', `v1.0.${tag}`, 'v1.0');
    repository.git('tag', '-a', '-m', 'x', 'tree', 'HEAD^{tree}');
    repository.git('tag', '-a', '-m', 'x', 'v1.0.21', 'tree');
    const log = join(temporaryFolder('devex'), 'log');
    const git = createGit(gitInFront(`echo run >> '${log}'`));
    onTestFinished(() => git.close());
    const { history } = await git.open(repository.path);
    expect(history.tags.map(({ name, commit }) => [name, commit])).toEqual([
      ['v1.0', 0],
      ...Array.from({ length: 20 }, (_, index) => [`v1.0.${index + 1}`, 0]),
    ]);
    // rev-parse, rev-parse and for-each-ref, cat-file, rev-list.
    expect(readFileSync(log, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(5);
  });

  test('more than sixty: lead times of the newest sixty, and a note', async () => {
    const T = NOW - 80 * DAY;
    const steps = Array.from({ length: 62 }, (_, index) => [
      { commit: `c${index}`, at: T + index * DAY },
      { tag: `v1.${index}`, on: `c${index}`, at: T + index * DAY + (index + 1) * HOUR },
    ]).flat();
    const report = await dora(steps);
    expect(report.deployment_frequency?.sample_size).toBe(62);
    // Releases 3 to 62 wait 3 to 62 hours: the thirtieth of sixty is 32.
    expect(report.lead_time_for_changes).toMatchObject({ value: 32, sample_size: 60 });
    expect(report.notes).toEqual([expect.stringContaining('newest 60 of 62')]);
  });

  test('releases that bring nothing leave the lead time out', async () => {
    const report = await dora([
      { commit: 'a', at: NOW - 100 * DAY },
      { tag: 'v1.0', on: 'a' },
      { tag: 'v1.1', on: 'a', at: NOW - DAY },
    ]);
    expect(unmeasured(report)).toEqual(['lead_time_for_changes', 'time_to_restore']);
  });
});

describe('together', () => {
  const T = NOW - 30 * DAY;

  test('co-authors are counted by trailer lines, and no name is in the report', async () => {
    const { path } = makeRepository([
      { commit: '1', at: T, message: 'feature\n\nCo-authored-by: Bob <b@x>\n', files: { a: '1', b: '1' } },
      { commit: '2', at: T + 1, author: 'Bob', message: 'x\n\nco-AUTHORED-by: Ann <a@x>', files: { a: '2' } },
      { commit: '3', at: T + 2, message: 'talks about Co-authored-by: lines', files: { b: '2' } },
      { commit: '4', at: T + 3, message: 'y\n\nthe Co-authored-by: line in a sentence', files: { c: '1' } },
    ]);
    const space = await (await measureAt(NOW, { path })).space();
    expect(measuresOf(space, 'collaboration')).toEqual({
      'files touched by more than one author': [(1 / 3) * 100, 3],
      'commits with a Co-authored-by trailer': [50, 4],
    });
    expect(measuresOf(space, 'activity')).toEqual({ commits: [4, 4], 'contributing authors': [2, 2] });
    expect(JSON.stringify(space)).not.toMatch(/Ann|Bob/);
    expect(Object.keys(space).filter((key) => /score|total|grade|index/.test(key))).toEqual([]);
  });

  test('a renamed file is one file with all its authors; a deleted one was touched', async () => {
    const { path } = makeRepository([
      { commit: '1', at: T, files: { old: 'same\n', gone: 'x', other: 'y' } },
      { commit: '2', at: T + 1, author: 'Bob', renames: [['old', 'new']] },
      { commit: '3', at: T + 2, author: 'Bob', files: { gone: null } },
      { commit: '4', at: T + 3, renames: [['new', 'newer']] },
      { commit: '5', at: T + 4, author: 'Cleo', files: { old: 'something else\n' } },
    ]);
    const space = await (await measureAt(NOW, { path })).space();
    // old→new→newer and gone are shared; other and the second old are not.
    expect(measuresOf(space, 'collaboration')).toMatchObject({ 'files touched by more than one author': [50, 4] });
  });

  test('with one author files cannot be shared; without commits nothing can', async () => {
    const one = makeRepository([{ commit: '1', at: T, files: { a: '1' } }]);
    const space = await (await measureAt(NOW, { path: one.path })).space();
    expect(measuresOf(space, 'collaboration')).toEqual({ 'commits with a Co-authored-by trailer': [0, 1] });
    const gaps = Object.fromEntries(
      space.dimensions.map(({ key, unmeasured: list }) => [key, list.map(({ metric }) => metric)]),
    );
    expect(gaps).toEqual({
      satisfaction: ['tooling_satisfaction'],
      performance: ['delivery_stability'],
      activity: [],
      collaboration: ['file_co_ownership', 'review_latency'],
      efficiency: ['pipeline_wait', 'uninterrupted_focus_hours'],
    });
    expect(space).toMatchObject({ dimensions_measured: 2, outcome_signal: false });
    expect(space.scope_note).toContain('no outcome signal');
    const before = await (await measureAt(NOW - 365 * DAY, { path: makeRepository([]).path })).space();
    expect(measuresOf(before, 'collaboration')).toEqual({});
    expect(measuresOf(before, 'activity')).toEqual({ commits: [0, 0], 'contributing authors': [0, 0] });
  });

  test('performance repeats the two outcome keys', async () => {
    const { path } = makeRepository([
      { commit: '1', at: T },
      { tag: 'v1.0', on: '1' },
      { commit: '2', at: T + HOUR, message: 'hotfix' },
    ]);
    const space = await (await measureAt(NOW, { path })).space();
    expect(measuresOf(space, 'performance')).toEqual({ 'change failure rate': [100, 1], 'time to restore': [1, 1] });
    expect(measuresOf(space, 'activity')).toMatchObject({ deployments: [1, 1] });
    expect(space).toMatchObject({ dimensions_measured: 3, outcome_signal: true });
    expect(space.dimensions[1]?.measures[0]?.source).toMatch(/^DORA stability/);
  });
});

test('newcomers are authors whose first commit ever is in the window, newest first', async () => {
  const T = NOW - 20 * DAY;
  const { path } = makeRepository([
    { commit: 'old', at: NOW - 300 * DAY, author: 'Old' },
    { commit: 'again', at: T, author: 'Old' },
    { commit: 'n1', at: T + HOUR, author: 'New' },
    { commit: 'n2', at: T + 7 * HOUR, author: 'New' },
    { commit: 'n3', at: T + 9 * HOUR, author: 'New' },
    { commit: 'late', at: T + 10 * HOUR, authored: T + 8 * HOUR, author: 'Late' },
    // Written long ago, landed now: not a newcomer.
    { commit: 'patch', at: T + 11 * HOUR, authored: NOW - 200 * DAY, author: 'Patient' },
    { commit: 'side', at: T, parents: ['old'], author: 'Side', branch: 'side' },
  ]);
  const onboarding = await (await measureAt(NOW, { path })).onboarding();
  expect(onboarding.new_contributors).toEqual([
    { author: 'Late', first_commit_at: T + 8 * HOUR, commits_in_window: 1 },
    { author: 'New', first_commit_at: T + HOUR, hours_to_second_commit: 6, commits_in_window: 3 },
  ]);
  expect(onboarding.not_measured.map(({ metric }) => metric)).toEqual(['time_to_first_commit']);
  expect(onboarding).toMatchObject({ readiness_found: 0, readiness_expected: 3 });
});

describe('awkward bytes', () => {
  test('in names and messages do not forge a commit, and different bytes stay different', async () => {
    const T = NOW - 3 * DAY;
    const names: readonly (string | Buffer)[] = [
      ...['Zoë 🦊', 'tab\there', 'bell\u0007 \u0001\u0002', '"quoted" | $(touch x) `x`', '日本語', ' '],
      ...[Buffer.from([0xff, 0xfe, 0x41]), Buffer.from([0xfd, 0xfe, 0x41]), 'a\u0000b'.replace('\u0000', '\u001b[31m')],
    ];
    const messages: readonly (string | Buffer)[] = [
      ...['', '\n\n\n', `${'f'.repeat(40)} 1 2 3\n${'x'.repeat(70_000)}`, ':100644 100644 a b M', '\u2028\u2029'],
      ...[Buffer.from([0xff, 0x0a, 0x0a, 0xc3]), 'commit deadbeef\nauthor X <y> 1 +0000', 'x\r\n\r\nhotfix', '%H%x00'],
    ];
    const { path } = makeRepository([
      ...names.map((author, index) => ({
        commit: `c${index}`,
        at: T + index,
        author,
        message: messages[index]!,
        files: { 'new\tline': `${index}`, 'ünï "q"': `${index}` },
      })),
      { tag: 'v1.0', on: `c${names.length - 1}` },
    ]);
    const measurement = await measureAt(NOW, { path });
    const { report } = measurement.dora();
    expect(report).toMatchObject({
      commits_in_window: names.length,
      authors_in_window: names.length,
      change_failure_rate: { value: 0 },
    });
    const { new_contributors: newcomers } = await measurement.onboarding();
    expect(newcomers.map(({ author }) => author)).toContain('Zoë 🦊');
    expect(newcomers).toHaveLength(names.length);
    const space = await measurement.space();
    expect(measuresOf(space, 'collaboration')).toMatchObject({ 'files touched by more than one author': [100, 2] });
  });

  test('a message that ends in the middle, in another encoding, is read as git shows it', async () => {
    const repository = makeRepository([{ commit: 'a', at: NOW - DAY }]);
    repository.git('config', 'i18n.commitEncoding', 'ISO-8859-1');
    repository.git('-c', 'user.name=J\u00f6rg', 'commit', '-q', '--allow-empty', '-m', 'x', '--date', `${NOW}`);
    const { new_contributors: found } = await (
      await measureAt(NOW, { path: repository.path, window: '1825' })
    ).onboarding();
    expect(found).toHaveLength(2);
  });
});
