/**
 * A recap without a model: the ends of the linked runs, folded into a headline, bullets, next actions and artifacts.
 *
 * - Pure. At most BULLETS_MAX bullets and ACTIONS_MAX actions, in the order of their sources, each once whatever its
 *   case; an artifact is there once for its kind and locator.
 */
export interface RunEnd {
  readonly session_id: string;
  readonly task: string;
  readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly summary: string;
  readonly files_modified: readonly string[];
  /** Steps of the run's own plan that were never done. */
  readonly remaining: readonly string[];
}

export interface Artifact {
  readonly kind: 'file' | 'diff' | 'job' | 'url';
  readonly label: string;
  readonly locator: string;
}

export interface RecapText {
  readonly headline: string;
  readonly bullets: readonly string[];
  readonly next_actions: readonly string[];
}

export const BULLETS_MAX = 7;
export const ACTIONS_MAX = 3;
const BULLET_CHARACTERS_MAX = 240;
const LABEL_CHARACTERS_MAX = 80;
const URLS_PER_RUN_MAX = 20;
const ARTIFACTS_MAX = 500;

export function recapText(title: string, ends: readonly RunEnd[]): RecapText {
  return {
    headline: headlineOf(title, ends),
    bullets: onlyOnce(ends.flatMap(bulletsOf), BULLETS_MAX),
    next_actions: onlyOnce(ends.flatMap(actionsOf), ACTIONS_MAX),
  };
}

export function artifactsOf(ends: readonly RunEnd[]): readonly Artifact[] {
  const artifacts = ends.flatMap((end): Artifact[] => [
    { kind: 'job', label: cut(firstLine(end.task), LABEL_CHARACTERS_MAX), locator: end.session_id },
    ...end.files_modified.map((path): Artifact => ({ kind: 'file', label: nameOf(path), locator: path })),
    ...urlsIn(end.summary).map(
      (url): Artifact => ({ kind: 'url', label: cut(url, LABEL_CHARACTERS_MAX), locator: url }),
    ),
  ]);
  const known = new Map(artifacts.map((artifact) => [`${artifact.kind} ${artifact.locator}`, artifact]));
  return [...known.values()].slice(0, ARTIFACTS_MAX);
}

/** The texts without blanks, each once whatever its case, at most so many. */
export function onlyOnce(texts: readonly string[], max: number): string[] {
  const seen = new Set<string>();
  const kept: string[] = [];
  for (const text of texts.map((each) => cut(each.trim(), BULLET_CHARACTERS_MAX))) {
    const key = text.toLowerCase();
    if (text === '' || seen.has(key)) continue;
    seen.add(key);
    kept.push(text);
    if (kept.length === max) break;
  }
  return kept;
}

function headlineOf(title: string, ends: readonly RunEnd[]): string {
  if (ends.length === 0) return `Nothing has been finished for “${title}” yet.`;
  const done = ends.filter((end) => end.status === 'complete').length;
  if (ends.length === 1) return `“${title}”: 1 run has ended, ${done === 1 ? 'complete' : 'not complete'}.`;
  return `“${title}”: ${ends.length} runs have ended, ${done === ends.length ? 'all' : done} of them complete.`;
}

/** The lines of a summary without what only decorates them; what a partial run left open has its own place. */
function bulletsOf({ status, task, summary }: RunEnd): readonly string[] {
  const lines = summary
    .split(/\n\s*\nRemaining \(/, 1)[0]!
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)]|#+)\s+/, '').trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  if (status === 'failed') return [`Failed: ${lines[0] ?? firstLine(task)}`];
  if (status === 'cancelled') return [`Cancelled: ${firstLine(task)}`];
  return lines.length === 0 ? [firstLine(task)] : lines;
}

function actionsOf({ status, task, remaining }: RunEnd): readonly string[] {
  if (remaining.length > 0) return remaining;
  if (status === 'failed') return [`Find out why it failed, then try again: ${firstLine(task)}`];
  return status === 'complete' ? [] : [`Take up again: ${firstLine(task)}`];
}

function urlsIn(text: string): readonly string[] {
  const found = text.match(/https?:\/\/[^\s<>"'`)\]]+/g) ?? [];
  return found.slice(0, URLS_PER_RUN_MAX).map((url) => url.replace(/[.,;:!?]+$/, ''));
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
