/** The process of `search_files`: walks, reads and matches, and sends the results file by file. */
import { fstatSync, readFileSync } from 'node:fs';
import { receiveJob, tellStarter } from '../../lib/bounded-process.ts';
import { keepCompiledCode } from '../../lib/compiled-code.ts';
import { withoutByteOrderMark } from '../../lib/json-text.ts';
import { globToRegExp } from './glob.ts';
import { clipEnd, onOneLine, visibleControls } from './text.ts';
import { openWalked, type WalkedFile, type WalkRequest, walkFiles } from './walk.ts';

export interface SearchJob {
  readonly walk: WalkRequest;
  /** The pattern for lines; `null` lists files by the glob alone. */
  readonly pattern: { readonly source: string; readonly literal: boolean } | null;
  readonly ignoreCase: boolean;
  readonly glob: string | null;
  readonly fileBytesMax: number;
  readonly filesMax: number;
  readonly resultsMax: number;
}

export type SearchMessage =
  | { readonly type: 'found'; readonly lines: readonly string[] }
  | ({ readonly type: 'ended'; readonly reason: 'done' | 'results' | 'files' } & Skipped);

export interface Skipped {
  /** Files over the limit of bytes. */
  readonly skippedLarge: number;
  /** Files and directories that could not be opened. */
  readonly skippedUnread: number;
}

const LINE_BYTES_MAX = 400;
const BINARY_LOOK_BYTES = 8 * 1024;

const counts = { files: 0, results: 0, skippedLarge: 0, skippedUnread: 0 };
const reason = search(await receiveJob<SearchJob>());
keepCompiledCode();
post({ type: 'ended', reason, skippedLarge: counts.skippedLarge, skippedUnread: counts.skippedUnread });

function post(message: SearchMessage): void {
  tellStarter(message);
}

function search(job: SearchJob): 'done' | 'results' | 'files' {
  const line = lineMatcher(job);
  const name = nameMatcher(job);
  const unread = (): void => {
    counts.skippedUnread++;
  };
  for (const file of walkFiles({ ...job.walk, unread })) {
    if (counts.files++ === job.filesMax) return 'files';
    if (!name(file.path)) continue;
    const found = line === undefined ? [onOneLine(file.path)] : matchesIn(file, job, line);
    const room = job.resultsMax - counts.results;
    counts.results += found.length;
    if (found.length > 0) post({ type: 'found', lines: found.slice(0, room) });
    if (found.length > room) return 'results';
  }
  return 'done';
}

/** Matching lines, at most one more than `resultsMax`, which shows that there are more. */
function matchesIn(file: WalkedFile, job: SearchJob, line: (text: string) => boolean): readonly string[] {
  using open = openWalked(file);
  if (open === undefined) {
    counts.skippedUnread++;
    return [];
  }
  if (fstatSync(open.fd).size > job.fileBytesMax) {
    counts.skippedLarge++;
    return [];
  }
  const bytes = readFileSync(open.fd);
  if (bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)) return [];
  const found: string[] = [];
  const lines = withoutByteOrderMark(bytes.toString('utf8')).split(/\r?\n/);
  // A line break at the end of the file begins no line.
  if (lines.at(-1) === '') lines.pop();
  for (const [index, text] of lines.entries()) {
    if (line(text)) found.push(`${onOneLine(file.path)}:${index + 1}: ${shorten(text)}`);
    if (found.length > job.resultsMax) break;
  }
  return found;
}

function shorten(text: string): string {
  const visible = visibleControls(text);
  const short = clipEnd(visible, LINE_BYTES_MAX);
  return short === visible ? visible : `${short}…`;
}

function lineMatcher({ pattern, ignoreCase }: SearchJob): ((text: string) => boolean) | undefined {
  if (pattern === null) return undefined;
  if (!pattern.literal) {
    const expression = new RegExp(pattern.source, ignoreCase ? 'i' : '');
    return (text) => expression.test(text);
  }
  if (!ignoreCase) return (text) => text.includes(pattern.source);
  const folded = pattern.source.toLowerCase();
  return (text) => text.toLowerCase().includes(folded);
}

/**
 * A glob without `/`, such as `*.ts`, matches names anywhere; with `/` it matches the path relative to the workspace.
 */
function nameMatcher({ glob }: SearchJob): (path: string) => boolean {
  if (glob === null) return () => true;
  const pattern = glob.replace(/^(?:\.?\/)+/, '');
  const whole = pattern.includes('/') ? pattern : `**/${pattern}`;
  const expression = globToRegExp(whole);
  return (path) => expression.test(path);
}
