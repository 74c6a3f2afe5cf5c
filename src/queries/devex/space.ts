/**
 * The five SPACE dimensions: for each, the measures that the history gives, and the systems that have the others. There
 * is no total: a sum of survey answers and commit counts means nothing. No measure is about a person.
 */
import { CO_AUTHORED, type FileTouches, TOUCHED_PATHS_MAX } from '../../ports/git.ts';
import { counted } from '../markdown.ts';
import type { Dimension, DoraReport, SpaceMeasure, SpaceReport, Unmeasured } from './schemas.ts';
import { commitsInWindow, type Question } from './window.ts';

export function measureSpace(question: Question, dora: DoraReport, touches: FileTouches | null): SpaceReport {
  const performance = stability(dora);
  const dimensions: Dimension[] = [
    dimension('satisfaction', { title: 'Satisfaction & wellbeing', unmeasured: [SATISFACTION] }),
    dimension('performance', {
      title: 'Performance',
      measures: performance,
      unmeasured: performance.length === 0 ? [STABILITY] : [],
    }),
    dimension('activity', { title: 'Activity', measures: activity(dora) }),
    collaboration(question, dora, touches),
    dimension('efficiency', { title: 'Efficiency & flow', unmeasured: [PIPELINE, FOCUS] }),
  ];
  const measured = dimensions.filter(({ measures }) => measures.length > 0).length;
  return {
    repo: dora.repo,
    window_days: dora.window_days,
    generated_at: dora.generated_at,
    dimensions,
    dimensions_measured: measured,
    outcome_signal: performance.length > 0,
    scope_note: [
      `${measured} of 5 dimensions have a measure from this repository over ${counted(dora.window_days, 'day')}; the others ` +
        'name the system that knows. There is no aggregate score, on purpose, and nothing here is about one person.',
      ...(performance.length > 0 ? [] : [WARNING]),
      ...(question.history.isShallow ? ['The clone is shallow: the commits at its edge count to no file.'] : []),
      ...(touches?.isCut === true
        ? [`File shares describe the first ${TOUCHED_PATHS_MAX} paths that were touched.`]
        : []),
    ].join(' '),
  };
}

type Parts = Pick<Dimension, 'title'> & Partial<Pick<Dimension, 'measures' | 'unmeasured'>>;

function dimension(key: Dimension['dimension'], { title, measures = [], unmeasured = [] }: Parts): Dimension {
  return { dimension: key, key, title, measures, unmeasured };
}

function stability({ change_failure_rate: failures, time_to_restore: restore }: DoraReport): SpaceMeasure[] {
  const named = [
    ['change failure rate', failures],
    ['time to restore', restore],
  ] as const;
  return named.flatMap(([name, measure]) =>
    measure === undefined
      ? []
      : [
          {
            name,
            value: measure.value,
            unit: measure.unit,
            source: `DORA stability: ${measure.proxy}`,
            sample_size: measure.sample_size,
            caveat: 'Says that what was shipped kept working, not that it was the right thing to ship.',
          },
        ],
  );
}

/** Counts of the window, never names. Units: commits, authors and deployments per window. */
function activity(dora: DoraReport): SpaceMeasure[] {
  const { commits_in_window: commits, authors_in_window: authors, window_days: days } = dora;
  const deployments = dora.deployment_frequency?.sample_size ?? 0;
  return [
    {
      name: 'commits',
      value: commits,
      unit: `commits / ${days}d`,
      source: 'git history',
      sample_size: commits,
      caveat: 'An amount, not an outcome: alone it only counts commits.',
    },
    {
      name: 'contributing authors',
      value: authors,
      unit: 'distinct authors',
      source: 'git history',
      sample_size: authors,
      caveat: 'A number of names as commits spell them.',
    },
    ...(deployments === 0
      ? []
      : [
          {
            name: 'deployments',
            value: deployments,
            unit: `deployments / ${days}d`,
            source: `DORA throughput: ${dora.release_marker_description}`,
            sample_size: deployments,
          },
        ]),
  ];
}

/**
 * How much work is shared: files that more than one author touched ÷ files touched, and commits that name a co-author ÷
 * commits. Unit of both: percent. With one author the first is always 0, so it is left out.
 */
function collaboration(question: Question, dora: DoraReport, touches: FileTouches | null): Dimension {
  const { commits } = commitsInWindow(question);
  const together = commits.filter((commit) => (question.history.traits[commit]! & CO_AUTHORED) !== 0).length;
  const isShared = dora.authors_in_window >= 2;
  const measures: SpaceMeasure[] = [];
  if (isShared && touches !== null && touches.files > 0) {
    measures.push({
      name: 'files touched by more than one author',
      value: (touches.shared / touches.files) * 100,
      unit: 'percent of files touched',
      source: 'git history',
      sample_size: touches.files,
      caveat:
        'How knowledge is spread. Little is a risk when somebody leaves; much can also mean that nobody feels ' +
        'responsible. A renamed file is one file.',
    });
  }
  if (commits.length > 0) {
    measures.push({
      name: 'commits with a Co-authored-by trailer',
      value: (together / commits.length) * 100,
      unit: 'percent of commits',
      source: 'git history',
      sample_size: commits.length,
      caveat: 'Only pairing that was written down; teams that pair without the trailer show as zero.',
    });
  }
  const reason = isShared ? (touches === null ? INCOMPARABLE : null) : alone(dora.authors_in_window);
  const unmeasured = reason === null ? [REVIEW] : [reason, REVIEW];
  return dimension('collaboration', { title: 'Communication & collaboration', measures, unmeasured });
}

const SATISFACTION: Unmeasured = {
  metric: 'tooling_satisfaction',
  reason:
    'How people feel about their tools is not in what they commit, and guessing it from when they commit would be ' +
    'about persons. Only a survey knows.',
  to_measure_this: 'Ask every quarter with the survey at /devex/survey.md, by team, never for fewer than five people.',
};

const STABILITY: Unmeasured = {
  metric: 'delivery_stability',
  reason: 'Neither the change failure rate nor the time to restore could be measured in this repository.',
  to_measure_this: 'See unmeasured in /devex/dora: what brings those two brings this.',
};

const REVIEW: Unmeasured = {
  metric: 'review_latency',
  reason:
    'When somebody first looked at a change is known to the forge and not to git; a merge commit only says when it ' +
    'landed.',
  to_measure_this: 'Take the time from opening to first review from the pull request API of the forge.',
};

const INCOMPARABLE: Unmeasured = {
  metric: 'file_co_ownership',
  reason: 'git could not compare the commits: files are missing from the clone, or it took longer than a request may.',
  to_measure_this: 'Measure a complete clone, or a shorter window.',
};

const PIPELINE: Unmeasured = {
  metric: 'pipeline_wait',
  reason: 'How long jobs queue and run is known to the CI system; git has no trace of waiting.',
  to_measure_this: 'Take queue and run times of the jobs from the CI system, median and 95th percentile together.',
};

const FOCUS: Unmeasured = {
  metric: 'uninterrupted_focus_hours',
  reason: 'Meetings are in the calendar and not in the repository.',
  to_measure_this: 'Take free blocks of two hours and more from the calendar system, summed up by team.',
};

function alone(authors: number): Unmeasured {
  return {
    metric: 'file_co_ownership',
    reason: `${counted(authors, 'author')} committed in this window; with fewer than two, no file can be shared.`,
    to_measure_this: 'Measure a longer window, or a repository that several people work in.',
  };
}

const WARNING =
  'Warning: no outcome signal. Nothing here says whether what was shipped worked, so amounts of activity are not a ' +
  'picture of productivity.';
