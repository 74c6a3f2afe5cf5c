/**
 * The results of a goal: the ends of its linked runs, and a recap of them that needs no model.
 *
 * - A run counts once, even if it is linked several times; its session id is the id of its recap.
 * - At most BULLETS_MAX bullets and ACTIONS_MAX actions, in the order of their sources, without repetitions in whatever
 *   case; an artifact is listed once for its kind and locator.
 */
import { z } from 'zod';
import type { GoalLink } from '../../events/goal.ts';
import type { RunEndStatus } from '../../events/run/events.ts';
import { characterCount, withEllipsis } from '../../lib/characters.ts';
import { goalLinks } from '../../projections/goal.ts';
import { jobJson, zJobRecord } from '../../projections/run/job-rows.ts';
import { newestOutput, output } from '../../projections/run/output.ts';
import type { Views } from '../../projections/views.ts';

/** How a run ended. */
export interface RunEnd extends Readonly<Pick<z.infer<typeof zJobRecord>, 'session_id' | 'task' | 'files_modified'>> {
  readonly status: RunEndStatus;
  readonly summary: string;
  /** Steps of the run's own plan that are not done. */
  readonly remaining: readonly string[];
}

export const zArtifact = z.object({
  kind: z.enum(['file', 'diff', 'job', 'url']).describe('What `locator` is.'),
  label: z.string().describe('Name for people.'),
  locator: z.string().describe('Path, id or address, by its kind.'),
});
type Artifact = z.infer<typeof zArtifact>;

export interface RecapText {
  readonly headline: string;
  readonly bullets: readonly string[];
  readonly next_actions: readonly string[];
}

/** A link of a goal to a run that has ended. */
export interface RecapSource extends Pick<GoalLink, 'kind' | 'target_id'> {
  readonly end: RunEnd;
}

/** Limit of runs in a recap; the newest are used. */
const SOURCES_MAX = 200;

export const BULLETS_MAX = 7;
export const ACTIONS_MAX = 3;
const BULLET_CHARACTERS_MAX = 240;
const LABEL_CHARACTERS_MAX = 80;
const URLS_PER_RUN_MAX = 20;
const ARTIFACTS_MAX = 500;

/** The ended runs behind the links of a goal, newest link first; notes link no run. */
export function recapSources(views: Views, goalId: string): readonly RecapSource[] {
  const sources = new Map<string, RecapSource>();
  for (const { kind, target_id } of goalLinks(views, goalId)) {
    if (kind === 'note' || sources.has(target_id)) continue;
    const end = endOf(views, target_id);
    if (end !== null) sources.set(target_id, { kind, target_id, end });
    if (sources.size === SOURCES_MAX) break;
  }
  return [...sources.values()];
}

const zJob = zJobRecord.pick({ task: true, status: true, summary: true, files_modified: true });

/** null for a run that is unknown or has not ended. */
function endOf(views: Views, session_id: string): RunEnd | null {
  const text = jobJson(views, session_id);
  if (text === undefined) return null;
  const { status, summary, ...job } = zJob.parse(JSON.parse(text));
  switch (status) {
    case 'complete':
    case 'partial':
    case 'failed':
    case 'cancelled':
      return { session_id, ...job, status, summary: summary ?? '', remaining: remainingPlan(views, session_id) };
    case 'queued':
    case 'running':
      return null;
  }
}

function remainingPlan(views: Views, session_id: string): readonly string[] {
  const [last] = output(views, session_id, { after: newestOutput(views, session_id) - 1, limit: 1 });
  if (last?.type !== 'partial') return [];
  return (JSON.parse(last.json) as { remaining_plan?: readonly string[] }).remaining_plan ?? [];
}

export function recapText(title: string, ends: readonly RunEnd[]): RecapText {
  return {
    headline: headlineOf(title, ends),
    bullets: distinctTexts(ends.flatMap(bulletsOf), BULLETS_MAX),
    next_actions: distinctTexts(ends.flatMap(actionsOf), ACTIONS_MAX),
  };
}

export function artifactsOf(ends: readonly RunEnd[]): Artifact[] {
  const artifacts = ends.flatMap((end): Artifact[] => [
    { kind: 'job', label: shortened(firstLine(end.task), LABEL_CHARACTERS_MAX), locator: end.session_id },
    ...end.files_modified.map((path): Artifact => ({ kind: 'file', label: nameOf(path), locator: path })),
    ...urlsIn(end.summary).map(
      (url): Artifact => ({ kind: 'url', label: shortened(url, LABEL_CHARACTERS_MAX), locator: url }),
    ),
  ]);
  const distinct = new Map(artifacts.map((artifact) => [`${artifact.kind} ${artifact.locator}`, artifact]));
  return [...distinct.values()].slice(0, ARTIFACTS_MAX);
}

/** The first `max` texts, without blank ones and without repetitions in any case. */
export function distinctTexts(texts: readonly string[], max: number): string[] {
  const seen = new Set<string>();
  const distinct: string[] = [];
  for (const text of texts.map((each) => shortened(each.trim(), BULLET_CHARACTERS_MAX))) {
    const key = text.toLowerCase();
    if (text === '' || seen.has(key)) continue;
    seen.add(key);
    distinct.push(text);
    if (distinct.length === max) break;
  }
  return distinct;
}

function headlineOf(title: string, ends: readonly RunEnd[]): string {
  if (ends.length === 0) return `Nothing has been finished for “${title}” yet.`;
  const done = ends.filter((end) => end.status === 'complete').length;
  if (ends.length === 1) return `“${title}”: 1 run has ended, ${done === 1 ? 'complete' : 'not complete'}.`;
  return `“${title}”: ${ends.length} runs have ended, ${done === ends.length ? 'all' : done} of them complete.`;
}

/** The lines of a summary without list marks and headings. The open steps of a partial run are in `next_actions`. */
function bulletsOf({ status, task, summary }: RunEnd): readonly string[] {
  const lines = summary
    .split(/\n[^\S\n]*\nRemaining \(/, 1)[0]!
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
  const urls = text.match(/https?:\/\/[^\s<>"'`)\]]+/g) ?? [];
  return urls.slice(0, URLS_PER_RUN_MAX).map((url) => url.replace(/(?<![.,;:!?])[.,;:!?]+$/, ''));
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

function shortened(text: string, max: number): string {
  return characterCount(text) <= max ? text : withEllipsis(text, max - 1);
}
