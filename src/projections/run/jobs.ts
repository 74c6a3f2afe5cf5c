/**
 * Jobs and sessions: one row for each run in the wire shape of a JobRecord, and its tool calls. The output of the
 * stream is in `output.ts`.
 *
 * - `json` is computed by SQLite from the row itself, so a record can never disagree with its columns.
 * - `started_at` and `finished_at` are of the newest request; steps, tokens, files and `took_ms` of all requests.
 * - A run never starts before it was requested and never ends before it started, also when the clock is set back.
 * - `node` is the daemon that executed the run last, as JSON; null when the log is not shared.
 * - `steps_completed` is the number of `step` events in the run's stream: failed and interrupted calls are steps too.
 */
import type { DataOf } from '../../events/define.ts';
import type { RunEvent, RunRequest } from '../../events/run/events.ts';
import { handlers, idOf, type Projection, type Seen } from '../projection.ts';
import { insertRow, type NewRow, replaceRow, updateRows } from '../rows.ts';
import type { Views } from '../views.ts';
import { job } from './job-rows.ts';
import { createOutput, OUTPUT_TABLES, openSegment, withOutput } from './output.ts';

const create = `
CREATE TABLE jobs (
  session_id TEXT NOT NULL PRIMARY KEY,
  task TEXT NOT NULL, status TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
  approval TEXT NOT NULL, workspace TEXT NOT NULL, tags TEXT NOT NULL,
  queued_at INTEGER NOT NULL, started_at INTEGER NOT NULL, finished_at INTEGER,
  first_started_at INTEGER NOT NULL, took_ms INTEGER NOT NULL DEFAULT 0,
  summary TEXT, cancellation_reason TEXT,
  steps_completed INTEGER NOT NULL DEFAULT 0, calls_rejected INTEGER NOT NULL DEFAULT 0,
  tokens_used INTEGER NOT NULL DEFAULT 0,
  files_modified TEXT NOT NULL DEFAULT '[]',
  parent_session_id TEXT, depth INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL, node TEXT,
  json TEXT GENERATED ALWAYS AS (json_object(
    'session_id', session_id, 'task', task, 'status', status, 'provider', provider,
    'started_at', started_at, 'finished_at', finished_at, 'summary', summary,
    'model', model, 'approval', approval, 'workspace', workspace, 'tags', json(tags), 'queued_at', queued_at,
    'first_started_at', first_started_at, 'took_ms', took_ms,
    'cancellation_reason', cancellation_reason, 'steps_completed', steps_completed,
    'calls_rejected', calls_rejected, 'tokens_used', tokens_used,
    'files_modified', json(files_modified), 'parent_session_id', parent_session_id)) STORED
);
CREATE INDEX jobs_newest ON jobs (started_at DESC, opened DESC);
CREATE INDEX jobs_active ON jobs (opened, status) WHERE status IN ('queued', 'running');
CREATE TABLE run_steps (
  session_id TEXT NOT NULL, step_num INTEGER NOT NULL, call_id TEXT NOT NULL, tool_name TEXT NOT NULL,
  input TEXT NOT NULL, output TEXT, success INTEGER, started_at INTEGER NOT NULL, finished_at INTEGER,
  PRIMARY KEY (session_id, step_num)
);
CREATE TABLE run_calls (
  session_id TEXT NOT NULL, call_id TEXT NOT NULL, input TEXT NOT NULL,
  PRIMARY KEY (session_id, call_id)
);
${createOutput}`;

export const jobs: Projection = {
  name: 'jobs',
  version: 10,
  tables: ['jobs', 'run_steps', 'run_calls', ...OUTPUT_TABLES],
  create,
  on: withOutput(
    handlers<RunEvent>({
      RunRequested: (views, event) => open(views, event, event.data),
      RunForked: (views, event) =>
        views.run(
          `UPDATE jobs SET parent_session_id = ?, depth = 1 + coalesce((SELECT depth FROM jobs WHERE session_id = ?), 0)
           WHERE session_id = ?`,
          event.data.from_session_id,
          event.data.from_session_id,
          idOf(event.stream),
        ),
      // A run whose first request is erased has its record from the resume on.
      RunResumed: (views, event) => {
        if (job(views, idOf(event.stream)) === undefined) open(views, event, event.data.request);
        else reopen(views, event);
      },
      RunBegun: (views, event) =>
        views.run(
          `UPDATE jobs SET status = 'running', started_at = max(?, queued_at),
             first_started_at = iif(first_started_at = started_at, max(?, queued_at), first_started_at), node = ?
           WHERE session_id = ? AND status = 'queued'`,
          event.at,
          event.at,
          event.data.node === undefined ? null : JSON.stringify(event.data.node),
          idOf(event.stream),
        ),
      ModelAsked: (views, event) => {
        const { node } = event.data;
        if (node !== undefined) update(views, event, { node: JSON.stringify(node) });
      },
      ModelAnswered: (views, event) => {
        const { input_tokens, output_tokens } = event.data.usage;
        const tokens = (input_tokens ?? 0) + (output_tokens ?? 0);
        views.run('UPDATE jobs SET tokens_used = tokens_used + ? WHERE session_id = ?', tokens, idOf(event.stream));
      },
      ModelFramesReceived: (views, event) => {
        for (const frame of event.data.frames) if (frame.type === 'tool_call') keepCall(views, event, frame.call);
      },
      ToolStarted: (views, event) => {
        const { step_num, call } = event.data;
        startStep(views, event, {
          step_num,
          call_id: call.id,
          tool_name: call.name,
          input: JSON.stringify(call.input),
        });
      },
      ToolFinished: toolFinished,
      ToolLeftChanges: (views, event) => addFiles(views, event, event.data.files_modified),
      ToolRejected: (views, event) => {
        startStep(views, event, { ...event.data, input: keptInput(views, event, event.data.call_id) });
        endStep(views, event, { step_num: event.data.step_num, output: event.data.content, success: false });
        count(views, event, 'calls_rejected');
      },
      ToolInterrupted: (views, event) => {
        if (event.data.repeat) return;
        endStep(views, event, { step_num: event.data.step_num, output: event.data.reason, success: false });
        count(views, event, 'steps_completed');
      },
      PlanUpdated: (views, event) => {
        const { step_num, call_id, steps } = event.data;
        startStep(views, event, { step_num, call_id, tool_name: 'update_plan', input: JSON.stringify({ steps }) });
        endStep(views, event, { step_num, output: 'The plan is noted.', success: true });
        count(views, event, 'steps_completed');
      },
      RunCompleted: (views, event) => finish(views, event, { status: 'complete', summary: event.data.summary }),
      RunStopped: (views, event) => finish(views, event, { status: 'partial', summary: event.data.summary }),
      RunFailed: (views, event) => finish(views, event, { status: 'failed', summary: event.data.message }),
      RunCancelled: (views, event) => {
        finish(views, event, { status: 'cancelled', summary: null });
        update(views, event, { cancellation_reason: event.data.reason });
      },
    }),
  ),
};

function open(views: Views, event: Seen, request: RunRequest): void {
  const session_id = idOf(event.stream);
  const { task, provider, model, approval, workspace, tags } = request;
  insertRow(views, 'jobs', {
    session_id,
    task,
    status: 'queued',
    provider,
    model,
    approval,
    workspace,
    tags: JSON.stringify(tags),
    queued_at: event.at,
    started_at: event.at,
    first_started_at: event.at,
    opened: event.position,
  });
  openSegment(views, session_id);
}

function update(views: Views, event: Seen, set: NewRow): void {
  updateRows(views, 'jobs', { where: { session_id: idOf(event.stream) }, set });
}

/** The record keeps the first task; later requests are in the conversation. */
function reopen(views: Views, event: Seen<{ request: RunRequest }>): void {
  const id = idOf(event.stream);
  const { provider, model, approval, workspace } = event.data.request;
  update(views, event, {
    status: 'queued',
    provider,
    model,
    approval,
    workspace,
    started_at: event.at,
    queued_at: event.at,
    finished_at: null,
    summary: null,
    cancellation_reason: null,
  });
  openSegment(views, id);
}

/** The pending calls of a run: the event of a rejection does not repeat the call. Kept until the run ends. */
function keepCall(views: Views, event: Seen, { id, input }: { readonly id: string; readonly input: unknown }): void {
  views.run('INSERT OR REPLACE INTO run_calls VALUES (?, ?, ?)', idOf(event.stream), id, JSON.stringify(input));
}

function keptInput(views: Views, event: Seen, call_id: string): string {
  const sql = 'SELECT input FROM run_calls WHERE session_id = ? AND call_id = ?';
  return views.get<{ input: string }>(sql, idOf(event.stream), call_id)?.input ?? '';
}

function finish(views: Views, event: Seen, end: { status: string; summary: string | null }): void {
  views.run('DELETE FROM run_calls WHERE session_id = ?', idOf(event.stream));
  views.run(
    `UPDATE jobs SET status = ?, summary = ?, finished_at = max(?, started_at),
       took_ms = took_ms + max(0, ? - started_at) WHERE session_id = ?`,
    end.status,
    end.summary,
    event.at,
    event.at,
    idOf(event.stream),
  );
}

function startStep(
  views: Views,
  event: Seen,
  { step_num, call_id, tool_name, input }: { step_num: number; call_id: string; tool_name: string; input: string },
): void {
  const session_id = idOf(event.stream);
  replaceRow(views, 'run_steps', { session_id, step_num, call_id, tool_name, input, started_at: event.at });
}

function endStep(views: Views, event: Seen, step: { step_num: number; output: string; success: boolean }): void {
  const where = { session_id: idOf(event.stream), step_num: step.step_num };
  const set = { output: step.output, success: step.success ? 1 : 0, finished_at: event.at };
  updateRows(views, 'run_steps', { where, set });
}

function toolFinished(views: Views, event: Seen<DataOf<RunEvent, 'ToolFinished'>>): void {
  endStep(views, event, event.data);
  count(views, event, 'steps_completed');
  addFiles(views, event, event.data.files_modified);
}

function addFiles(views: Views, event: Seen, files: readonly string[]): void {
  if (files.length === 0) return;
  views.run(
    `UPDATE jobs SET files_modified = (SELECT json_group_array(value) FROM
       (SELECT value FROM json_each(jobs.files_modified) UNION SELECT value FROM json_each(?)))
     WHERE session_id = ?`,
    JSON.stringify(files),
    idOf(event.stream),
  );
}

function count(views: Views, event: Seen, column: 'steps_completed' | 'calls_rejected'): void {
  views.run(`UPDATE jobs SET ${column} = ${column} + 1 WHERE session_id = ?`, idOf(event.stream));
}
