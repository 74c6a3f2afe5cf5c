/**
 * The tool `git_diff`: changes of the workspace since the last commit or since staging, and untracked files. It runs git
 * on an untrusted checkout.
 *
 * - Environment variables override everything that a repository's configuration can make git execute: hooks,
 *   file-system monitor, filters, pagers, external diffs, text converters, transports.
 * - The repository chooses the names of filters, so they are listed first; reading configuration executes nothing.
 * - A git before 2.31 ignores these variables. It is recognised by a key that only they can set, and does nothing more.
 * - The work tree is the directory that contains `.git`, whatever the repository claims. git takes no locks.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { repositoryTop } from '../../lib/paths.ts';
import { configurationVariables, SAFE_CONFIGURATION, SAFE_VARIABLES } from '../git/safe-configuration.ts';
import { whyNotOpened } from '../git/why-not-opened.ts';
import { type ProcessEnd, runProcess, scrubbedEnvironment } from './process.ts';
import { clipMiddle, harmlessEnds, linesThatFit, onOneLine } from './text.ts';
import { confined, defineTool, failed, succeeded, type ToolContext, ToolFailure, workspaceOf } from './tool.ts';

export const gitDiffTool = defineTool({
  name: 'git_diff',
  description:
    'Shows the changes of the workspace as git diff does: not staged ones by default, staged ones with staged. ' +
    'New files that git does not track yet are named at the end.',
  class: 'read',
  idempotent: true,
  input: z.strictObject({
    path: z.string().optional().describe('Only this file or directory.'),
    staged: z.boolean().optional().describe('Show what is staged for the next commit instead.'),
  }),
  async run(input, context) {
    const cwd = await workspaceOf(context);
    const path = input.path === undefined ? '.' : (await confined(context, input.path, 'read')).relative;
    const checkout = await openCheckout(cwd, context);
    if (checkout === undefined) throw new ToolFailure('The workspace is not a git checkout.');
    const staged = input.staged ?? false;
    const diff = await runGit(checkout, [...DIFF, ...(staged ? ['--cached'] : []), '--', path], context);
    if (diff.code !== 0) return failed(await explain(diff, checkout, context));
    const untracked = staged ? '' : await untrackedNote({ checkout, path, context });
    const { outputBytesMax } = context.settings;
    const text = clipMiddle(harmlessEnds(diff.stdout), outputBytesMax - Buffer.byteLength(untracked));
    return succeeded(`${text}${untracked}` || '[no changes]');
  },
});

const DIFF = [
  'diff',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
  '--ignore-submodules=dirty',
  '--relative',
];

const UNTRACKED_NAMED_MAX = 50;
/** Share of the output for their names; the rest is for the difference. */
const UNTRACKED_SHARE_MAX = 0.25;

interface UntrackedRequest {
  readonly checkout: Checkout;
  readonly path: string;
  readonly context: ToolContext;
}

async function untrackedNote({ checkout, path, context }: UntrackedRequest): Promise<string> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', '--', path];
  const listing = await runGit(checkout, args, context);
  const names = listing.stdout.head.split('\0').filter((name) => name !== '');
  if (names.length === 0) return '';
  const first = names.slice(0, UNTRACKED_NAMED_MAX).map((name) => `  ${onOneLine(name)}`);
  const named = linesThatFit(first, context.settings.outputBytesMax * UNTRACKED_SHARE_MAX);
  const more = names.length > named.length || listing.stdout.droppedBytes > 0 ? ['  …'] : [];
  return `\n[not tracked yet:\n${[...named, ...more].join('\n')}]`;
}

/** For a folder whose repository it does not open, `git diff` prints its usage. */
const USAGE_CODE = 129;

async function explain(end: ProcessEnd, checkout: Checkout, context: ToolContext): Promise<string> {
  const { settings } = context;
  if (end.code === USAGE_CODE) {
    const opening = await runGit(checkout, ['rev-parse', '--git-dir'], context);
    return whyNotOpened(opening.stderr.head);
  }
  if (end.kind === 'timed_out') return `git did not finish within ${settings.gitTimeoutSeconds} s.`;
  if (end.kind === 'printed_too_much') {
    return `The difference has more than the ${settings.bashPrintedBytesMax} bytes that are read; give a path.`;
  }
  return explainGit(end, checkout);
}

interface Checkout {
  /** Real path of the workspace, in or at the top of the checkout. */
  readonly cwd: string;
  /** The directory that contains `.git`. */
  readonly top: string;
  /** Configuration that overrides the repository's. */
  readonly overrides: readonly (readonly [key: string, value: string])[];
}

/** The checkout around a real path, or `undefined` when there is none. */
async function openCheckout(cwd: string, context: ToolContext): Promise<Checkout | undefined> {
  const top = repositoryTop(cwd);
  if (top === undefined) return undefined;
  const secret = `daybook.x${randomBytes(8).toString('hex')}`;
  const plain: Checkout = { cwd, top, overrides: [...SAFE_CONFIGURATION, [secret, 'true']] };
  const keys = `${FILTER_KEYS}|^${secret}$`;
  const listing = await runGit(plain, ['config', '--null', '--name-only', '--get-regexp', keys], context);
  // Exit code 1 means that there is no such key.
  if (listing.code !== 0 && listing.code !== 1) throw new ToolFailure(explainGit(listing, plain));
  const found = listing.stdout.head.split('\0').filter((key) => key !== '');
  const filters = found.filter((key) => key !== secret);
  if (listing.stdout.droppedBytes > 0 || filters.length > FILTERS_MAX) {
    throw new ToolFailure(`The repository configures more filters than the ${FILTERS_MAX} that can be switched off.`);
  }
  if (filters.length === found.length) {
    throw new ToolFailure('git is older than 2.31 here, and would run programs that the checkout names.');
  }
  return {
    ...plain,
    overrides: [
      ...SAFE_CONFIGURATION,
      ...filters.map((key) => [key, key.endsWith('.required') ? 'false' : ''] as const),
    ],
  };
}

function runGit(checkout: Checkout, args: readonly string[], context: ToolContext): Promise<ProcessEnd> {
  const { settings } = context;
  const job = {
    command: ['git', '--no-pager', '--literal-pathspecs', ...args],
    cwd: checkout.cwd,
    env: {
      ...scrubbedEnvironment(settings.env),
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
function explainGit({ kind, code, stderr, fault }: ProcessEnd, { top }: Checkout): string {
  if (kind === 'not_started') return `git could not be started: ${fault}.`;
  const message = clipMiddle(harmlessEnds(stderr), EXPLANATION_BYTES_MAX);
  return `git failed (exit code ${code}): ${message.replaceAll(top, '.')}`;
}
