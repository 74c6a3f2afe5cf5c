/** Reads a repository through the git port and measures it; the routes and the command line use this file. */
import { type FileTouches, GitError, type GitPort, type History, type Repository } from '../../ports/git.ts';
import { graphOf } from './commit-graph.ts';
import { KEYS, type Measured, measureDora } from './dora.ts';
import { CANDIDATES, ONBOARDING, PRACTICES } from './practice-catalogue.ts';
import { measurePractices, signalsOf } from './practices.ts';
import type { DevexQuery } from './query.ts';
import type {
  Band,
  DoraReport,
  OnboardingReport,
  PracticesReport,
  Scorecard,
  SpaceReport,
  Unmeasured,
} from './schemas.ts';
import { measureSpace } from './space.ts';
import { commitsInWindow, type Question, sinceOf } from './window.ts';

/** The given branch does not exist. */
export class UnknownBranch extends Error {}

export interface Measurement {
  dora(): Measured;
  practices(): Promise<PracticesReport>;
  onboarding(): Promise<OnboardingReport>;
  scorecard(): Promise<Scorecard & Pick<Measured, 'leadHours'>>;
  space(): Promise<SpaceReport>;
}

/** `nowMs`: Unix milliseconds. Throws `GitError` and `UnknownBranch`. */
export async function measure(git: GitPort, query: DevexQuery, nowMs: number): Promise<Measurement> {
  const repository = await git.open(query.path);
  const { history, root } = repository;
  const now = Math.floor(nowMs / 1_000);
  const question: Question = {
    history,
    root,
    windowDays: query.window,
    now,
    marker: query.marker,
    branch: { name: query.branch, commit: query.marker === 'version-tags' ? -1 : tipOf(history, query.branch) },
  };
  const dora = (): Measured => measureDora(question);
  const practices = async (): Promise<PracticesReport> =>
    measurePractices({ ...repository, existing: await repository.existing(CANDIDATES, repository.directory), now });
  return {
    dora,
    practices,
    onboarding: async () => measureOnboarding(question, await repository.existing(CANDIDATES, root)),
    async scorecard() {
      const { report, leadHours } = dora();
      return { ...scorecardOf(report, await practices()), leadHours };
    },
    async space() {
      const touches = await touchesOf(repository, question);
      return measureSpace(question, dora().report, touches);
    },
  };
}

/** Null when git could not compare the commits in time: then only collaboration is unmeasured. */
async function touchesOf({ touches }: Repository, question: Question): Promise<FileTouches | null> {
  try {
    return await touches(graphOf(question.history).parentsFirst(commitsInWindow(question).commits));
  } catch (error) {
    if (error instanceof GitError && (error.fault === 'timed_out' || error.fault === 'bad_path')) return null;
    throw error;
  }
}

/** A branch as people and git name it: `main`, `origin/main`, `remotes/origin/main`, a full ref name, or HEAD. */
function tipOf({ head, branches }: History, name: string): number {
  if (name === 'HEAD') return head;
  const tip = ['', 'refs/heads/', 'refs/remotes/', 'refs/']
    .map((space) => branches.get(space + name))
    .find((at) => at !== undefined);
  if (tip === undefined) throw new UnknownBranch();
  return tip;
}

const POINTS: Readonly<Record<Band, number>> = { elite: 4, high: 3, medium: 2, low: 1 };

export function scorecardOf(dora: DoraReport, practices: PracticesReport): Scorecard {
  const bands = KEYS.flatMap((key) => dora[key]?.band ?? []);
  const grade = gradeOf(bands);
  const maturity =
    `practice maturity ${practices.mean_level.toFixed(1)}/${practices.max_detectable_level} detected across ` +
    `${practices.practices.length} practices.`;
  return {
    dora,
    practices,
    dora_coverage: bands.length / KEYS.length,
    ...(grade === undefined ? {} : { delivery_grade: grade }),
    headline:
      grade === undefined
        ? `None of the ${KEYS.length} delivery keys could be measured here, see unmeasured for the reasons; ${maturity}`
        : `Delivery grade ${grade} on ${bands.length}/${KEYS.length} delivery keys; ${maturity}`,
  };
}

/** The mean of the measured keys’ bands: A from 3.5 points, B from 2.5, C from 1.5, else D. No key, no grade. */
function gradeOf(bands: readonly Band[]): Scorecard['delivery_grade'] {
  if (bands.length === 0) return undefined;
  const mean = bands.reduce((sum, band) => sum + POINTS[band], 0) / bands.length;
  if (mean >= 3.5) return 'A';
  if (mean >= 2.5) return 'B';
  return mean >= 1.5 ? 'C' : 'D';
}

const NEWCOMERS_MAX = 10_000;
const HOUR_SECONDS = 3_600;

/** How well a repository is prepared for newcomers, and the authors whose first commit is in the window. */
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
