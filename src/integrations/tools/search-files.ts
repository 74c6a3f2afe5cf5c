/** The tool `search_files`: matching lines in matching files, searched in a process with a time limit. */
import { addAbortListener } from 'node:events';
import { z } from 'zod';
import { showPath } from './confine.ts';
import type { SearchJob, SearchMessage, Skipped } from './search-worker.ts';
import { clipEnd } from './text.ts';
import { confined, defineTool, succeeded, type ToolContext, ToolFailure } from './tool.ts';
import { startWorker } from './worker.ts';

const zSearch = z.strictObject({
  pattern: z.string().min(1).max(1_000).optional().describe('What a line must match: a JavaScript regular expression.'),
  literal: z.boolean().optional().describe('Take the pattern as plain text.'),
  ignore_case: z.boolean().optional(),
  glob: z.string().min(1).max(500).optional().describe('Which files, e.g. "*.ts" or "src/**/*.{js,ts}".'),
  path: z.string().optional().describe('Directory or file to search; the whole workspace by default.'),
  include_ignored: z.boolean().optional().describe('Also files that .gitignore leaves out.'),
});

export const searchFilesTool = defineTool({
  name: 'search_files',
  description:
    'Searches the files of the workspace. With a pattern it answers "path:line: text" for every matching line; ' +
    'without one it lists the files that match the glob. Symbolic links, .git, node_modules and ignored files are ' +
    'left out.',
  class: 'read',
  idempotent: true,
  input: zSearch,
  async run(input, context) {
    const job = await planSearch(input, context);
    const found = await runSearch(job, context);
    return succeeded(render(found, context));
  },
});

interface Found {
  readonly lines: string[];
  ended: 'done' | 'results' | 'files' | 'time' | 'worker';
  skipped: Skipped;
}

async function planSearch(input: z.infer<typeof zSearch>, context: ToolContext): Promise<SearchJob> {
  if (input.pattern === undefined && input.glob === undefined)
    throw new ToolFailure('Give a pattern, a glob, or both.');
  if (input.pattern !== undefined && input.literal !== true) requireRegExp(input.pattern);
  const path = input.path ?? '.';
  const target = await confined(context, path, 'read');
  if (!target.exists) throw new ToolFailure(`${showPath(path)} does not exist.`);
  const { settings } = context;
  return {
    walk: {
      root: target.root,
      from: target.relative,
      home: context.place.home,
      includeIgnored: input.include_ignored ?? false,
    },
    pattern: input.pattern === undefined ? null : { source: input.pattern, literal: input.literal ?? false },
    ignoreCase: input.ignore_case ?? false,
    glob: input.glob ?? null,
    fileBytesMax: settings.fileBytesMax,
    filesMax: settings.walkFilesMax,
    resultsMax: settings.searchResultsMax,
  };
}

function requireRegExp(pattern: string): void {
  try {
    new RegExp(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it is malformed';
    throw new ToolFailure(`The pattern is no regular expression: ${why}. Set literal to search for it as it is.`);
  }
}

/** Keeps the matches so far when time or the process's memory runs out. */
async function runSearch(job: SearchJob, { settings, signal }: ToolContext): Promise<Found> {
  signal.throwIfAborted();
  const found: Found = { lines: [], ended: 'worker', skipped: { skippedLarge: 0, skippedUnread: 0 } };
  const worker = startWorker('search-worker', job);
  const { promise, resolve: end } = Promise.withResolvers<Found['ended']>();
  worker.child.on('message', (message: SearchMessage) => {
    if (message.type === 'found') return found.lines.push(...message.lines);
    found.skipped = message;
    end(message.reason);
  });
  worker.child.once('error', () => end('worker'));
  worker.child.once('exit', () => end('worker'));
  using _late = setTimeout(() => end('time'), settings.searchSecondsMax * 1_000);
  using _aborted = addAbortListener(signal, () => end('worker'));
  found.ended = await promise;
  await worker.end();
  signal.throwIfAborted();
  return found;
}

const NOTE_BYTES_MAX = 512;

function render(found: Found, { settings }: ToolContext): string {
  const all = found.lines.join('\n');
  const text = clipEnd(all, settings.outputBytesMax - NOTE_BYTES_MAX);
  const notes: string[] = [];
  if (found.lines.length === 0) notes.push('nothing found');
  if (text.length < all.length) notes.push('the output was cut');
  if (found.ended === 'results') notes.push(`more than ${settings.searchResultsMax} results; narrow the search`);
  if (found.ended === 'files') notes.push(`stopped after ${settings.walkFilesMax} files; give a path`);
  if (found.ended === 'time') notes.push(`stopped after ${settings.searchSecondsMax} s; not everything was searched`);
  if (found.ended === 'worker') notes.push('the search broke off; not everything was searched');
  const { skippedLarge, skippedUnread } = found.skipped;
  if (skippedLarge > 0) notes.push(`files over ${settings.fileBytesMax} bytes were left out: ${skippedLarge}`);
  if (skippedUnread > 0) notes.push(`files and directories that could not be read: ${skippedUnread}`);
  if (notes.length === 0) return text;
  return `${text}${text === '' ? '' : '\n'}[${notes.join('; ')}]`;
}
