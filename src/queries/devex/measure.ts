/** Reads a repository through the git port and measures it; the routes and the command line use this file. */
import { type FileTouches, GitError, type GitPort, type History, type Repository } from '../../ports/git.ts';
import { graphOf } from './commit-graph.ts';
import { KEYS, type Measured, measureDora } from './dora.ts';
import { measureOnboarding } from './onboarding.ts';
import { CANDIDATES } from './practice-catalogue.ts';
import { measurePractices } from './practices.ts';
import type { DevexQuery } from './query.ts';
import type { Band, DoraReport, OnboardingReport, PracticesReport, Scorecard, SpaceReport } from './schemas.ts';
import { measureSpace } from './space.ts';
import { commitsInWindow, type Question } from './window.ts';

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
