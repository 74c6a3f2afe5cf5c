/** Queries of the rows of jobs and of their tool calls. */
import { z } from 'zod';
import { RUN_ENDS } from '../../events/run/events.ts';
import { foldedCase } from '../../lib/characters.ts';
import { inSlices } from '../../lib/slices.ts';
import { conditions } from '../rows.ts';
import type { Views } from '../views.ts';

export const JOB_STATUSES = ['queued', 'running', ...RUN_ENDS] as const;

export const zJobRecord = z.object({
  session_id: z.string(),
  task: z.string(),
  status: z.enum(JOB_STATUSES).describe('`partial`: it ended with planned steps left.'),
  provider: z.string().describe('Who answers.'),
  started_at: z.int().describe('When its newest request began; while that waits, when it was made.'),
  finished_at: z.int().nullable().describe('When its newest request ended; null before that.'),
  summary: z.string().nullable().describe('What it did, or why it failed; null before its end.'),
  model: z.string().describe('The model that answers.'),
  approval: z.string(),
  workspace: z.string(),
  tags: z.array(z.string()),
  queued_at: z.int(),
  first_started_at: z.int().describe('When its first request began: before `started_at` if it was resumed.'),
  took_ms: z.int().describe('Milliseconds that its ended requests took, without the time between them.'),
  cancellation_reason: z.string().nullable(),
  steps_completed: z.int(),
  calls_rejected: z.int().describe('Tool calls that were not run: not allowed, or of no tool that the run has.'),
  tokens_used: z.int(),
  files_modified: z.array(z.string()),
  parent_session_id: z.string().nullable(),
  node: z
    .object({ id: z.string().describe('Id of the daemon.'), name: z.string().describe('Its name for people.') })
    .nullable()
    .optional()
    .describe('The daemon that executes it at this moment, or executed it last; where several daemons are set.'),
  waiting: z
    .string()
    .nullable()
    .optional()
    .describe('Why no daemon executes it; where several daemons, or some folders, are set.'),
});

type Same = 'session_id' | 'task' | 'provider' | 'model' | 'workspace' | 'started_at' | 'finished_at' | 'summary';
type Counted = 'first_started_at' | 'took_ms' | 'steps_completed' | 'calls_rejected' | 'tokens_used';

export interface JobRow
  extends Readonly<Pick<z.infer<typeof zJobRecord>, Same | Counted | 'status' | 'parent_session_id'>> {
  readonly depth: number;
  /** JSON of the daemon that executed the run last. */
  readonly node: string | null;
  /** JSON of the list. */
  readonly files_modified: string;
}

export interface StepRow {
  readonly step_num: number;
  readonly tool_name: string;
  readonly input: string;
  readonly output: string | null;
  readonly success: number | null;
}

export const SESSIONS_MAX = 200;

/** A JobRecord as JSON text. */
export function jobJson(views: Views, id: string): string | undefined {
  return views.get<{ json: string }>('SELECT json FROM jobs WHERE session_id = ?', id)?.json;
}

/** The order of a job in lists: most recently started first; of equal times, the last requested first. */
export interface JobPlace {
  readonly session_id: string;
  readonly started_at: number;
  /** The log position of its first request. */
  readonly opened: number;
}

const PLACE = 'session_id, started_at, opened';

const WORDS_MAX = 8;
/** A shorter search word is not compared with ids, because it would be the beginning of many. */
const ID_CHARACTERS_MIN = 4;
/** The words are folded as the texts are. */
const HAS_EACH_WORD = `SELECT 1 FROM jobs WHERE session_id = ? AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE
  instr(folded_case(task || char(10) || coalesce(summary, '')), value) = 0
  AND (length(value) < ${ID_CHARACTERS_MIN} OR substr(session_id, 1, length(value)) <> value))`;

/** Selects the jobs of a list. Undefined fields do not filter. */
export interface JobFilter {
  readonly status?: readonly string[] | undefined;
  readonly provider?: string | undefined;
  /** Each word must be in the task or the summary, or begin the id, in any case; the first `WORDS_MAX` count. */
  readonly q?: string | undefined;
  /** Started from this time on, and before that one. Unix milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly ids?: readonly string[] | undefined;
}

/**
 * Ids of jobs as the list is now, most recent first. `after` continues after the job with that id. The words of `q` are
 * searched in slices, job by job.
 */
export async function* jobIds(
  views: Views,
  {
    limit = Number.MAX_SAFE_INTEGER,
    after,
    q,
    ...filter
  }: JobFilter & { readonly limit?: number | undefined; readonly after?: string | undefined } = {},
): AsyncGenerator<string> {
  const { status, provider, from, to, ids } = filter;
  const { sql, values } = conditions({
    'status IN (SELECT value FROM json_each(?))': status && JSON.stringify(status),
    'session_id IN (SELECT value FROM json_each(?))': ids && JSON.stringify(ids),
    'provider = ?': provider,
    'started_at >= ?': from,
    'started_at < ?': to,
  });
  const place =
    after === undefined ? undefined : views.get<JobPlace>(`SELECT ${PLACE} FROM jobs WHERE session_id = ?`, after);
  const rows = views.all<JobPlace>(
    `SELECT ${PLACE} FROM jobs WHERE (started_at, opened) < (?, ?)${sql} ORDER BY started_at DESC, opened DESC LIMIT ?`,
    place?.started_at ?? Number.MAX_SAFE_INTEGER,
    place?.opened ?? 0,
    ...values,
    q === undefined ? limit : -1,
  );
  const words = q === undefined ? undefined : JSON.stringify(foldedCase(q.trim()).split(/\s+/, WORDS_MAX));
  let found = 0;
  for await (const { session_id } of inSlices(rows)) {
    if (words !== undefined && views.get(HAS_EACH_WORD, session_id, words) === undefined) continue;
    yield session_id;
    found += 1;
    if (found === limit) return;
  }
}

/** The list places of the jobs that were requested up to a position. */
export function jobPlaces(views: Views, through: number): readonly JobPlace[] {
  return views.all<JobPlace>(`SELECT ${PLACE} FROM jobs WHERE opened <= ?`, through);
}

export function job(views: Views, id: string): JobRow | undefined {
  return views.get<JobRow>('SELECT * FROM jobs WHERE session_id = ?', id);
}

/** The newest sessions, newest started first. */
export function sessions(views: Views): readonly JobRow[] {
  return views.all<JobRow>('SELECT * FROM jobs ORDER BY started_at DESC, opened DESC LIMIT ?', SESSIONS_MAX);
}

export function jobCount(views: Views): number {
  return views.get<{ n: number }>('SELECT count(*) AS n FROM jobs')?.n ?? 0;
}

/** The runs that have not ended, the first requested first. */
export function activeRuns(views: Views): readonly (Pick<JobRow, 'status' | 'workspace'> & { readonly id: string })[] {
  return views.all(
    `SELECT session_id AS id, status, workspace FROM jobs WHERE status IN ('queued', 'running') ORDER BY opened`,
  );
}

export function activeJobCount(views: Views): number {
  const sql = `SELECT count(*) AS n FROM jobs WHERE status IN ('queued', 'running')`;
  return views.get<{ n: number }>(sql)?.n ?? 0;
}

export function steps(views: Views, id: string): readonly StepRow[] {
  return views.all<StepRow>('SELECT * FROM run_steps WHERE session_id = ? ORDER BY step_num', id);
}
