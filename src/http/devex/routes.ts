/**
 * How well a repository delivers, measured from its history: seven reports and a page. A measure that the history
 * cannot give is reported as unmeasured, with the reason and a system that could give it; it is never zero.
 */
import { sanitiseEcho } from '../../commands/refusal.ts';
import type { Clock } from '../../ports/clock.ts';
import { GitError, type GitFault, type GitPort } from '../../ports/git.ts';
import type { Measurement } from '../../queries/devex/measure.ts';
import { type DevexQuery, zQuery } from '../../queries/devex/query.ts';
import { zDora, zOnboarding, zPractices, zScorecard, zSpace } from '../../queries/devex/schemas.ts';
import { HttpError, retryLater } from '../server/errors.ts';
import {
  type Answer,
  html,
  MARKDOWN_TYPE,
  ok,
  type Responses,
  type RouteSpec,
  routesOf,
  text,
  value,
} from '../server/route.ts';

const { get } = routesOf({
  tag: 'devex',
  withoutViews: true,
  prefix: '/devex',
  responses: {
    400: 'A parameter is missing or wrong, or the path is in no repository.',
    503: 'git is missing, or too many repositories are being measured.',
    504: 'git did not finish in time.',
  },
});

export interface Dependencies {
  readonly clock: Clock;
  readonly git: GitPort;
}

export function devexRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [...REPORTS, ...TEXTS].map(({ path, make, ...declared }) =>
    get(path, { ...declared, query: zQuery, handle: ({ query }) => answer(deps, query, make) }),
  );
}

interface Report {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly responses: Responses;
  readonly make: (measurement: Measurement) => Answer | Promise<Answer>;
}

const REPORTS: readonly Report[] = [
  {
    path: '/dora',
    operation: 'dora',
    summary: 'The four delivery keys with band, sample size and proxy, and why the others are unmeasured.',
    responses: ok('The report.', { dora: zDora.describe('The four delivery keys.') }),
    make: (it) => value({ dora: it.dora().report }),
  },
  {
    path: '/practices',
    operation: 'practices',
    summary: 'Practice maturity as far as files show it: a level of 0 to 3 per practice, with its signals.',
    responses: ok('The report.', {
      practices: zPractices.describe('Which practices the files of the repository show.'),
    }),
    make: async (it) => value({ practices: await it.practices() }),
  },
  {
    path: '/onboarding',
    operation: 'onboarding',
    summary: 'Signs of a prepared start, and who committed for the first time in the window.',
    responses: ok('The report.', {
      onboarding: zOnboarding.describe('Signs of preparation for new authors, and the new authors.'),
    }),
    make: async (it) => value({ onboarding: await it.onboarding() }),
  },
  {
    path: '/scorecard',
    operation: 'scorecard',
    summary: 'Delivery and practices together, with a grade over the keys that could be measured.',
    responses: ok('The scorecard.', { scorecard: zScorecard.describe('Delivery and practices, with a grade.') }),
    make: async (it) => value({ scorecard: await it.scorecard() }),
  },
  {
    path: '/space',
    operation: 'space',
    summary: 'The five SPACE dimensions: what the history says about each, and which system knows the rest.',
    responses: ok('The report.', { space: zSpace.describe('The five SPACE dimensions.') }),
    make: async (it) => value({ space: await it.space() }),
  },
];

const TEXTS: readonly Report[] = [
  {
    path: '/scorecard.md',
    operation: 'scorecardMarkdown',
    summary: 'The scorecard as markdown.',
    responses: { 200: { description: 'Markdown.', type: 'text/markdown' } },
    async make(it) {
      const { scorecardMarkdown } = await import('../../queries/devex/scorecard-markdown.ts');
      return text(MARKDOWN_TYPE, scorecardMarkdown(await it.scorecard()));
    },
  },
  {
    path: '/scorecard.html',
    operation: 'scorecardPage',
    summary: 'The scorecard as a page with plots, to read and to print.',
    responses: { 200: { description: 'The page.', type: 'text/html' } },
    async make(it) {
      const { scorecardPage } = await import('./page.ts');
      return html(scorecardPage(await it.scorecard()));
    },
  },
  {
    path: '/survey.md',
    operation: 'survey',
    summary: 'The quarterly survey for what no repository knows, as markdown.',
    responses: { 200: { description: 'Markdown.', type: 'text/markdown' } },
    make: async () => text(MARKDOWN_TYPE, (await import('../../queries/devex/survey.ts')).SURVEY),
  },
];

/** The code that measures is loaded by the first request. */
async function answer({ git, clock }: Dependencies, query: DevexQuery, make: Report['make']): Promise<Answer> {
  const { measure, UnknownBranch } = await import('../../queries/devex/measure.ts');
  try {
    return await make(await measure(git, query, clock.now()));
  } catch (error) {
    if (error instanceof GitError) throw refusal(error);
    if (!(error instanceof UnknownBranch)) throw error;
    throw new HttpError(400, `Invalid query: branch: there is no branch '${sanitiseEcho(query.branch)}' here`);
  }
}

const STATUS: Readonly<Record<GitFault, number>> = {
  bad_path: 400,
  missing: 503,
  failed: 503,
  busy: 503,
  timed_out: 504,
};

function refusal({ fault, message }: GitError): HttpError {
  if (fault === 'bad_path') return new HttpError(400, `Invalid query: path: ${message}`);
  return fault === 'busy' ? retryLater(message) : new HttpError(STATUS[fault], message);
}
