/**
 * Runs git on an untrusted checkout.
 *
 * - Environment variables override everything that a repository's configuration can make git execute: hooks,
 *   file-system monitor, filters, pagers, external diffs, text converters, transports.
 * - The repository chooses the names of filters, so they are listed first; reading configuration executes nothing.
 * - The work tree is the directory that contains `.git`, whatever the repository claims. git takes no locks.
 */
import { repositoryTop } from '../git/repository-top.ts';
import { configurationVariables, SAFE_CONFIGURATION, SAFE_VARIABLES } from '../git/safe-configuration.ts';
import { scrubbedEnvironment } from './environment.ts';
import { type ProcessEnd, runProcess } from './process.ts';
import { clipMiddle, harmless } from './text.ts';
import { type ToolContext, ToolFailure } from './tool.ts';

export interface Checkout {
  /** Real path of the workspace, in or at the top of the checkout. */
  readonly cwd: string;
  /** The directory that contains `.git`. */
  readonly top: string;
  /** Configuration that overrides the repository's. */
  readonly overrides: readonly (readonly [key: string, value: string])[];
}

/** The checkout around a real path, or `undefined` when there is none. */
export async function openCheckout(cwd: string, context: ToolContext): Promise<Checkout | undefined> {
  const top = await repositoryTop(cwd);
  if (top === undefined) return undefined;
  const plain: Checkout = { cwd, top, overrides: SAFE_CONFIGURATION };
  const listing = await runGit(plain, ['config', '--null', '--name-only', '--get-regexp', FILTER_KEYS], context);
  // Exit code 1 means that there is no such key.
  if (listing.code !== 0 && listing.code !== 1) throw new ToolFailure(explainGit(listing, plain));
  const keys = listing.stdout.head.split('\0').filter((key) => key !== '');
  if (listing.stdout.droppedBytes > 0 || keys.length > FILTERS_MAX) {
    throw new ToolFailure(`The repository configures more filters than the ${FILTERS_MAX} that can be switched off.`);
  }
  return {
    ...plain,
    overrides: [...SAFE_CONFIGURATION, ...keys.map((key) => [key, key.endsWith('.required') ? 'false' : ''] as const)],
  };
}

export function runGit(checkout: Checkout, args: readonly string[], context: ToolContext): Promise<ProcessEnd> {
  const { settings } = context;
  const job = {
    command: ['git', '--no-pager', '--literal-pathspecs', ...args],
    cwd: checkout.cwd,
    env: {
      ...scrubbedEnvironment(settings.env),
      GIT_CONFIG_NOSYSTEM: '1',
      ...SAFE_VARIABLES,
      GIT_WORK_TREE: checkout.top,
      ...configurationVariables(checkout.overrides),
    },
    marker: context.marker,
    timeoutSeconds: settings.gitTimeoutSeconds,
    outputBytesMax: settings.outputBytesMax,
    printedBytesMax: settings.bashPrintedBytesMax,
  };
  return runProcess(job, context.signal);
}

const FILTER_KEYS = '^filter\\..*\\.(clean|smudge|process|required)$';
const FILTERS_MAX = 200;
const EXPLANATION_BYTES_MAX = 2_000;

/** git's message without the absolute path of the checkout. */
export function explainGit({ code, stderr }: ProcessEnd, { top }: Checkout): string {
  const message = clipMiddle({ ...stderr, head: harmless(stderr.head) }, EXPLANATION_BYTES_MAX);
  return `git failed (exit code ${code}): ${message.replaceAll(top, '.')}`;
}
