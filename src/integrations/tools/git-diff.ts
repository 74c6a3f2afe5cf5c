/** The tool `git_diff`: changes of the workspace since the last commit or since staging, and untracked files. */
import { z } from 'zod';
import { type Checkout, explainGit, openCheckout, runGit } from './git.ts';
import type { ProcessEnd } from './process.ts';
import { clipMiddle, harmless, onOneLine } from './text.ts';
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
    if (diff.code !== 0) return failed(explain(diff, checkout, context));
    const untracked = staged ? '' : await untrackedNote({ checkout, path, context });
    const { outputBytesMax } = context.settings;
    const text = clipMiddle(safe(diff), outputBytesMax - Buffer.byteLength(untracked));
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
  const named = names.slice(0, UNTRACKED_NAMED_MAX).map((name) => `  ${onOneLine(name)}`);
  const more = names.length > UNTRACKED_NAMED_MAX || listing.stdout.droppedBytes > 0 ? '\n  …' : '';
  return `\n[not tracked yet:\n${named.join('\n')}${more}]`;
}

function explain(end: ProcessEnd, checkout: Checkout, { settings }: ToolContext): string {
  if (end.kind === 'timed_out') return `git did not finish within ${settings.gitTimeoutSeconds} s.`;
  if (end.kind === 'printed_too_much') {
    return `The difference has more than the ${settings.bashPrintedBytesMax} bytes that are read; give a path.`;
  }
  return explainGit(end, checkout);
}

function safe({ stdout }: ProcessEnd): ProcessEnd['stdout'] {
  return { ...stdout, head: harmless(stdout.head), tail: harmless(stdout.tail) };
}
