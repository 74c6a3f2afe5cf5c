/** The rules of the metrics, without git: ranges, percentiles, bands, releases, remediations. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isRemediation } from '../../src/integrations/git/history.ts';
import { type History, MERGE } from '../../src/ports/git.ts';
import { graphOf } from '../../src/queries/devex/commit-graph.ts';
import { isVersion, measureDora } from '../../src/queries/devex/dora.ts';
import { measureOnboarding, scorecardOf } from '../../src/queries/devex/measure.ts';
import { PRACTICES } from '../../src/queries/devex/practice-catalogue.ts';
import { measurePractices } from '../../src/queries/devex/practices.ts';
import { measureSpace } from '../../src/queries/devex/space.ts';
import { failureBand, frequencyBand, leadBand, percentile, restoreBand } from '../../src/queries/devex/statistics.ts';
import { commitsInWindow, firstAtOrAfter } from '../../src/queries/devex/window.ts';
import { anySynthetic, historyOf, NOW, questionOf, type Synthetic, shifted } from './synthetic.ts';

const RUNS = process.env.DAYBOOK_LONG === '1' ? 5_000 : 200;

describe('a version tag', () => {
  it.each([
    ...['v1.2.3', '1.0', 'release-2.4.0', '2024.11.1', 'v0.5.5-rc1', 'team/app/v3.1', 'v1-beta.2', 'rel_1.0+7'],
    ...['V2.0', '0.0', '-_v1.0'],
  ])('is %s', (name) => {
    expect(isVersion(name)).toBe(true);
  });
  it.each([
    ...['nightly', 'latest', '42', 'stable', 'v1', 'backup-before-migration', 'v.1.0', '', '1a.0', 'v1x.2'],
    ...['1.0/latest', 'é1.0', 'v٣.1', '.1'],
  ])('is not %s', (name) => {
    expect(isVersion(name)).toBe(false);
  });
});

describe('a remediation', () => {
  it.each([
    ...[
      'Revert "Add caching"',
      'revert: feature',
      'REVERT the flag',
      'hotfix: checkout',
      'apply HotFix',
      'Rollback v2',
    ],
    ...['we roll back the schema', 'Emergency fix for login'],
  ])('is %s', (subject) => {
    expect(isRemediation(subject)).toBe(true);
  });
  it.each([
    ...[
      'fix: off by one',
      'Reverting is hard',
      'revert',
      'a revert of x',
      'an emergency fix',
      'hot fix',
      'rolled back',
    ],
    '',
  ])('is not %s', (subject) => {
    expect(isRemediation(subject)).toBe(false);
  });
});

it.each([
  [[7], 50, 7],
  [[1, 2, 3, 4], 50, 2],
  [[1, 2, 3, 4], 75, 3],
  [[1, 2, 3, 4], 90, 4],
  [[1, 2, 3], 50, 2],
  [[15, 20, 35, 40, 50], 30, 20],
  [[15, 20, 35, 40, 50], 100, 50],
  [Array.from({ length: 70 }, (_, at) => at + 1), 90, 63],
])('percentiles are nearest rank: %j p%i is %i', (sorted, percent, value) => {
  expect(percentile(sorted, percent)).toBe(value);
});

it.each([
  [frequencyBand, 1, 'elite'],
  [frequencyBand, 0.999, 'high'],
  [frequencyBand, 13 / 91, 'high'],
  [frequencyBand, 0.14, 'medium'],
  [frequencyBand, 3 / 90, 'medium'],
  [frequencyBand, 0.0333, 'low'],
  [leadBand, 23.99, 'elite'],
  [leadBand, 24, 'high'],
  [leadBand, 168, 'medium'],
  [leadBand, 720, 'low'],
  [restoreBand, 0.99, 'elite'],
  [restoreBand, 1, 'high'],
  [restoreBand, 24, 'medium'],
  [restoreBand, 168, 'low'],
  [failureBand, 0, 'elite'],
  [failureBand, 1 / 20, 'elite'],
  [failureBand, 2 / 20, 'high'],
  [failureBand, 3 / 20, 'medium'],
  [failureBand, 0.1501, 'low'],
] as const)('bands: %o of %f is %s', (band, value, name) => {
  expect(band(value)).toBe(name);
});

/** Straight from the words: everything that parents lead to. */
function reached({ parentStart, parents }: History, from: number): Set<number> {
  const found = new Set<number>();
  const open = [from];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (found.has(commit)) continue;
    found.add(commit);
    open.push(...parents.subarray(parentStart[commit], parentStart[commit + 1]));
  }
  return found;
}

describe('a practice signal', () => {
  const rows = PRACTICES.flatMap(({ key, signals }) => signals.map(([name, paths]) => ({ key, name, paths })));

  it.each(rows)(
    '$key: $name is found at each of its paths, and the first of several is named',
    ({ key, name, paths }) => {
      const signalAt = (existing: readonly string[]) =>
        measurePractices({ directory: '/', isBare: false, existing: new Set(existing), now: 0 })
          .practices.find((practice) => practice.key === key)
          ?.signals.find((signal) => signal.name === name);
      for (const path of paths) expect(signalAt([path])).toEqual({ name, found: true, path });
      expect(signalAt([...paths].reverse())).toEqual({ name, found: true, path: paths[0] });
      expect(signalAt([])).toEqual({ name, found: false });
    },
  );
});

describe('the graph', () => {
  test('between two commits lies what one reaches and the other does not, whatever the clocks say', () => {
    fc.assert(
      fc.property(anySynthetic, fc.nat(), fc.option(fc.nat()), (synthetic, toSeed, fromSeed) => {
        const history = historyOf(synthetic);
        const to = toSeed % history.count;
        const from = fromSeed === null ? null : fromSeed % history.count;
        const known = from === null ? new Set<number>() : reached(history, from);
        const expected = [...reached(history, to)].filter(
          (commit) => !known.has(commit) && (history.traits[commit]! & MERGE) === 0,
        );
        expect([...graphOf(history).between(from, to)].sort()).toEqual(expected.sort());
      }),
      { numRuns: RUNS },
    );
  });

  test('merges stay right however many branches are asked for, and again', () => {
    fc.assert(
      fc.property(anySynthetic, (synthetic) => {
        const history = historyOf(synthetic);
        const expected = (tip: number) =>
          [...reached(history, tip)].filter((commit) => (history.traits[commit]! & MERGE) !== 0).sort();
        const asked = [...synthetic.commits.keys(), ...synthetic.commits.keys()];
        for (const tip of asked) expect([...graphOf(history).merges(tip)].sort()).toEqual(expected(tip));
      }),
      { numRuns: RUNS },
    );
  });

  test('parents come before their children, and nothing is lost', () => {
    fc.assert(
      fc.property(anySynthetic, (synthetic) => {
        const history = historyOf(synthetic);
        const all = synthetic.commits.map((_, index) => index);
        const order = graphOf(history).parentsFirst(all);
        expect([...order].sort((left, right) => left - right)).toEqual(all);
        for (const [index, { parents }] of synthetic.commits.entries()) {
          for (const parent of parents) expect(order.indexOf(parent)).toBeLessThan(order.indexOf(index));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('the window is what HEAD reaches, merges left out, from its first second on', () => {
    fc.assert(
      fc.property(anySynthetic, fc.integer({ min: 1, max: 250 }), (synthetic, windowDays) => {
        const question = questionOf(synthetic, { windowDays });
        const { history } = question;
        const expected = [...reached(history, history.head)].filter(
          (commit) =>
            (history.traits[commit]! & MERGE) === 0 && history.committed[commit]! >= NOW - windowDays * 86_400,
        );
        expect([...commitsInWindow(question).commits].sort()).toEqual(expected.sort());
      }),
      { numRuns: RUNS },
    );
  });

  test('the first of sorted items that is not before a moment', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.nat(21), (numbers, moment) => {
        const sorted = numbers.toSorted((left, right) => left - right);
        const expected = sorted.findIndex((value) => value >= moment);
        expect(firstAtOrAfter(sorted, moment, (value) => value)).toBe(expected < 0 ? sorted.length : expected);
      }),
    );
  });
});

/** Every report of a history, asked for at a moment. */
function reports(synthetic: Synthetic, now: number, windowDays: number) {
  const question = questionOf(synthetic, { now, windowDays });
  const { report, leadHours } = measureDora(question);
  return {
    dora: report,
    leadHours,
    onboarding: measureOnboarding(question, new Set(['README.md'])),
    space: measureSpace(question, report, { files: 4, shared: 1, isCut: false }),
  };
}

type Reports = ReturnType<typeof reports>;

/** The same with its moments moved back. */
function movedBack({ dora, onboarding, space, leadHours }: Reports, seconds: number): Reports {
  return {
    leadHours,
    dora: {
      ...dora,
      since: dora.since - seconds,
      generated_at: dora.generated_at - seconds,
      deployments: dora.deployments.map((deployment) => ({ ...deployment, at: deployment.at - seconds })),
    },
    onboarding: {
      ...onboarding,
      generated_at: onboarding.generated_at - seconds,
      new_contributors: onboarding.new_contributors.map((newcomer) => ({
        ...newcomer,
        first_commit_at: newcomer.first_commit_at - seconds,
      })),
    },
    space: { ...space, generated_at: space.generated_at - seconds },
  };
}

describe('any history', () => {
  test('moved in time as a whole measures the same but for its timestamps', () => {
    const shift = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(anySynthetic, shift, fc.integer({ min: 1, max: 1_825 }), (synthetic, seconds, windowDays) => {
        const moved = reports(shifted(synthetic, seconds), NOW + seconds, windowDays);
        expect(movedBack(moved, seconds)).toEqual(reports(synthetic, NOW, windowDays));
      }),
      { numRuns: RUNS },
    );
  });

  test('has each key measured or explained, in order, and a grade exactly if one was measured', () => {
    const keys = ['deployment_frequency', 'lead_time_for_changes', 'change_failure_rate', 'time_to_restore'] as const;
    fc.assert(
      fc.property(anySynthetic, fc.integer({ min: 1, max: 250 }), (synthetic, windowDays) => {
        const { dora, leadHours } = reports(synthetic, NOW, windowDays);
        const measured = keys.filter((key) => dora[key] !== undefined);
        expect(dora.unmeasured.map(({ metric }) => metric)).toEqual(keys.filter((key) => dora[key] === undefined));
        expect(leadHours.every((hours) => hours >= 0)).toBe(true);
        for (const { reason, to_measure_this: how } of dora.unmeasured) expect([reason, how]).not.toContain('');
        for (const key of measured) expect(dora[key]!.sample_size).toBeGreaterThan(0);
        const practices = measurePractices({ directory: '/r', isBare: false, existing: new Set(), now: NOW });
        const { dora_coverage: coverage, delivery_grade: grade } = scorecardOf(dora, practices);
        expect(coverage).toBe(measured.length / 4);
        expect(grade === undefined).toBe(measured.length === 0);
      }),
      { numRuns: RUNS },
    );
  });
});
