/** Reads a repository through the git port and measures it; the routes and the command line use this file. */
import { type FileTouches, GitError, type GitPort, type History, type Repository } from '../../ports/git.ts';
import { graphOf } from './commit-graph.ts';
import { type Measured, measureDora } from './dora.ts';
import { measureOnboarding } from './onboarding.ts';
import { CANDIDATES } from './practice-catalogue.ts';
import { measurePractices } from './practices.ts';
import type { DevexQuery } from './query.ts';
import type { OnboardingReport, PracticesReport, Scorecard, SpaceReport } from './schemas.ts';
import { scorecardOf } from './scorecard.ts';
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
