/**
 * Jobs as they were at a moment.
 *
 * - A run without an event after the moment has not changed since: its present record is used. Only the other runs are
 *   folded, each from its own stream. So a list costs one read at the end of every stream that existed, and the fold of
 *   the runs that were active or were resumed later.
 */
import { type Refused, refused } from '../../commands/refusal.ts';
import { TimeSlices } from '../../lib/slices.ts';
import { type JobPlace, type JobRow, job, jobJson, jobPlaces } from '../../projections/run/job-rows.ts';
import { jobs } from '../../projections/run/jobs.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type AsOf, asOfEvent, type Moment, type Past, type PastViews } from '../as-of/past-views.ts';

export interface PastJobSources {
  readonly log: EventLog;
  readonly views: Views;
  readonly past: PastViews;
}

export interface PastJob {
  readonly row: JobRow;
  /** The JobRecord as JSON text. */
  readonly json: string;
}

export interface JobPage {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** The projection and stream from which a past state of one run is folded. */
export function ofRun(id: string) {
  return { projection: jobs, stream: `run-${id}` } as const;
}

/** The refusal of a page after a run that the list does not have. */
export function unknownAfter(): Refused {
  return refused('invalid', 'Invalid query: after: must be the session id of a run in the list.');
}

/** The ids of a page of the list at a moment, in its order. Throws `Refused` for an unknown `after`. */
export async function pastJobIds(
  sources: PastJobSources,
  moment: Moment,
  { limit, after, signal }: JobPage & { readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const places: JobPlace[] = [];
  const slices = new TimeSlices();
  for (const present of jobPlaces(sources.views, moment.position)) {
    const place = isUnchanged(sources.log, present.session_id, moment)
      ? present
      : await pastPlace(sources, present, { moment, signal });
    places.push(place);
    if (slices.isOver) await slices.next();
    signal.throwIfAborted();
  }
  places.sort((one, other) => other.started_at - one.started_at || other.opened - one.opened);
  const ids = places.map(({ session_id }) => session_id);
  if (after !== undefined && !ids.includes(after)) throw unknownAfter();
  const start = after === undefined ? 0 : ids.indexOf(after) + 1;
  return ids.slice(start, limit === undefined ? undefined : start + limit);
}

/** A job at a moment; the result is undefined when it did not exist then. */
export async function pastJob(
  { log, views, past }: PastJobSources,
  id: string,
  { moment, signal }: { readonly moment: Moment; readonly signal: AbortSignal },
): Promise<Past<PastJob | undefined>> {
  const newest = newestOf(log, id);
  if (newest === undefined || newest.position <= moment.position) {
    return { result: jobOf(views, id), asOf: asOfEvent(moment, newest ?? null) };
  }
  const { depth } = job(views, id) ?? { depth: 0 };
  return past.read(moment, ofRun(id), (then) => jobOf(then, id, depth), signal);
}

/** JSON texts of jobs at a moment, each with its own `as_of`. `shown` makes the JSON text of one job. */
export async function* pastJobTexts(
  sources: PastJobSources,
  ids: readonly string[],
  { shown, ...then }: { readonly moment: Moment; readonly signal: AbortSignal; shown(found: PastJob): string },
): AsyncGenerator<string> {
  for (const id of ids) {
    const { result, asOf } = await pastJob(sources, id, then);
    if (result !== undefined) yield withAsOf(shown(result), asOf);
  }
}

/** The JSON text of an object with the field `as_of`. */
export function withAsOf(text: string, asOf: AsOf): string {
  return `${text.slice(0, -1)},"as_of":${JSON.stringify(asOf)}}`;
}

/** `depth` is passed for a fork, because it depends on the parent, whose stream is not folded. It never changes. */
function jobOf(views: Views, id: string, depth?: number): PastJob | undefined {
  const row = job(views, id);
  if (row === undefined) return undefined;
  const isFork = row.parent_session_id !== null;
  return { row: isFork && depth !== undefined ? { ...row, depth } : row, json: jobJson(views, id)! };
}

async function pastPlace(
  { past }: PastJobSources,
  present: JobPlace,
  { moment, signal }: { readonly moment: Moment; readonly signal: AbortSignal },
): Promise<JobPlace> {
  const { session_id } = present;
  const read = (then: Views): JobPlace => jobPlaces(then, moment.position)[0] ?? present;
  return (await past.read(moment, ofRun(session_id), read, signal)).result;
}

function isUnchanged(log: EventLog, id: string, { position }: Moment): boolean {
  return (newestOf(log, id)?.position ?? 0) <= position;
}

function newestOf(log: EventLog, id: string) {
  const [newest] = log.readStream(`run-${id}`, { reverse: true, limit: 1 });
  return newest;
}
