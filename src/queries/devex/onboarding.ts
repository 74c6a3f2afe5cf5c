/** How well a repository is prepared for newcomers, and the authors whose first commit is in the window. */
import { graphOf } from './commit-graph.ts';
import { ONBOARDING, PRACTICES } from './practice-catalogue.ts';
import { signalsOf } from './practices.ts';
import type { OnboardingReport, Unmeasured } from './schemas.ts';
import { commitsInWindow, type Question, sinceOf } from './window.ts';

const NEWCOMERS_MAX = 10_000;
const HOUR_SECONDS = 3_600;

export function measureOnboarding(question: Question, existing: ReadonlySet<string>): OnboardingReport {
  const { root, windowDays, now, history } = question;
  const readiness = signalsOf(PRACTICES.find(({ key }) => key === ONBOARDING)!, existing);
  const foundCount = readiness.filter((signal) => signal.found).length;
  // First commits are known only in a complete history.
  const isWhole = !history.isShallow && !history.isCut;
  const newcomers = isWhole ? newcomersOf(question) : [];
  return {
    repo: root,
    window_days: windowDays,
    generated_at: now,
    readiness,
    readiness_found: foundCount,
    readiness_expected: readiness.length,
    new_contributors: newcomers.slice(0, NEWCOMERS_MAX),
    not_measured: isWhole ? [JOIN_DATE] : [JOIN_DATE, FIRST_COMMITS],
    notes: [
      `${foundCount} of ${readiness.length} signs of a prepared start were found. Only trying it on a clean machine shows ` +
        'that it works.',
      ...(history.isShallow ? ['The clone is shallow: whose commits are their first is not known.'] : []),
      ...(history.isCut ? [`Only the newest ${history.count} commits of the repository were read.`] : []),
      ...(newcomers.length > NEWCOMERS_MAX ? [`The newest ${NEWCOMERS_MAX} of ${newcomers.length} are listed.`] : []),
    ],
  };
}

type Newcomer = OnboardingReport['new_contributors'][number];

/**
 * Authors (by name) whose first non-merge commit in all of HEAD's history was written in the window; newest first.
 * First and second are by author time, the commits in the window by committer time. Unit of the gap: hours.
 */
function newcomersOf(question: Question): Newcomer[] {
  const { history } = question;
  const first = new Float64Array(history.authors.length).fill(Number.POSITIVE_INFINITY);
  const second = first.slice();
  for (const commit of graphOf(history).headCommits) {
    const author = history.author[commit]!;
    const at = history.authored[commit]!;
    second[author] = Math.min(second[author]!, Math.max(at, first[author]!));
    first[author] = Math.min(first[author]!, at);
  }
  const inWindow = new Int32Array(history.authors.length);
  for (const commit of commitsInWindow(question).commits) inWindow[history.author[commit]!]! += 1;
  const since = sinceOf(question);
  return history.authors
    .flatMap((author, index): Newcomer[] => {
      const at = first[index]!;
      if (at < since || !Number.isFinite(at)) return [];
      const gap = second[index]! - at;
      const hours = Number.isFinite(gap) ? { hours_to_second_commit: gap / HOUR_SECONDS } : {};
      return [{ author, first_commit_at: at, ...hours, commits_in_window: inWindow[index]! }];
    })
    .sort((left, right) => right.first_commit_at - left.first_commit_at || compare(left.author, right.author));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

const JOIN_DATE: Unmeasured = {
  metric: 'time_to_first_commit',
  reason:
    'git knows the day of somebody’s first commit and not the day they joined, so the time between has no beginning.',
  to_measure_this:
    'Take the start date from the HR system or the identity provider; the first commit here is the other end.',
};

const FIRST_COMMITS: Unmeasured = {
  metric: 'new_contributors',
  reason: 'The beginning of the history is not here, so whose commits are their first cannot be known.',
  to_measure_this: 'Measure a full clone: git fetch --unshallow.',
};
