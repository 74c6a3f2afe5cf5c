/**
 * The output of a run's stream: its AgentEvents, numbered. Part of the `jobs` projection, with tables of its own.
 *
 * - Numbers are dense from 1 per run, in log order: they are the ids of `GET /stream/{session_id}`.
 */
import { type AgentEvent, agentEvents } from '../../events/run/agent-event.ts';
import type { RunEvent } from '../../events/run/events.ts';
import { idOf, type NumberedRow, type NumberedRows, type Projection, type Seen } from '../projection.ts';
import type { Views } from '../views.ts';

export const OUTPUT_TABLES = ['run_cursors', 'run_output'] as const;

export const createOutput = `
CREATE TABLE run_cursors (
  session_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, segment_seq INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE run_output (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)
) WITHOUT ROWID;`;

/** Run events with output that do not change the run's record. */
const SHOWN_ONLY = [
  'ModelFramesReceived',
  'SystemNoted',
  'AnswerContinued',
  'ModelCallInterrupted',
  'HealthChanged',
  'StepsExtended',
  'RetryScheduled',
  'ModelCallPostponed',
  'ApprovalRequested',
  'ApprovalAnswered',
];

export interface OutputRow extends NumberedRow {
  readonly type: AgentEvent['type'];
}

/** Numbers the output of every run event; the handler of the event may do more. */
export function withOutput(on: Projection['on']): Projection['on'] {
  const table: Record<string, Projection['on'][string]> = {};
  for (const type of [...Object.keys(on), ...SHOWN_ONLY]) {
    const handler = on[type];
    table[type] = (views, event) => {
      handler?.(views, event);
      number(views, event);
    };
  }
  return table;
}

/** The output of a run as clients follow it; complete once the run has ended. */
export const runOutput: NumberedRows = {
  name: 'run',
  category: 'run',
  newest: newestOutput,
  page: output,
  isComplete(views, id) {
    const status = views.get<{ status: string }>('SELECT status FROM jobs WHERE session_id = ?', id)?.status;
    return status !== undefined && status !== 'queued' && status !== 'running';
  },
};

/** Whether the run has ended and a stream has no output to send after this number. */
export function isOutputOver(views: Views, id: string, after: number): boolean {
  return runOutput.isComplete(views, id) && output(views, id, { after, limit: 1 }).length === 0;
}

/** The number of the newest output of a run, 0 when there is none. */
export function newestOutput(views: Views, id: string): number {
  return views.get<{ seq: number }>('SELECT seq FROM run_cursors WHERE session_id = ?', id)?.seq ?? 0;
}

/** Output after a number; `user` entries, which only histories show, are included with `withUser`. */
export function output(
  views: Views,
  id: string,
  page: { after: number; limit: number; withUser?: boolean },
): readonly OutputRow[] {
  const sql = page.withUser
    ? 'SELECT seq, type, json FROM run_output WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?'
    : `SELECT seq, type, json FROM run_output WHERE session_id = ? AND seq > ? AND type <> 'user' ORDER BY seq LIMIT ?`;
  return views.all<OutputRow>(sql, id, page.after, page.limit);
}

/** The number after which the newest request of a run begins; 0 for a run without a resume. */
export function segmentStart(views: Views, id: string): number {
  return (
    views.get<{ segment_seq: number }>('SELECT segment_seq FROM run_cursors WHERE session_id = ?', id)?.segment_seq ?? 0
  );
}

/** Starts a segment for a new or resumed run: later output belongs to the newest request. */
export function openSegment(views: Views, id: string): void {
  views.run('INSERT INTO run_cursors VALUES (?, 0, 0) ON CONFLICT (session_id) DO UPDATE SET segment_seq = seq', id);
}

/** Also starts the numbers of a run whose request is erased. */
const ADVANCE = `INSERT INTO run_cursors VALUES (?, ?, 0)
  ON CONFLICT (session_id) DO UPDATE SET seq = seq + excluded.seq RETURNING seq`;

function number(views: Views, event: Seen): void {
  const shown = agentEvents({ type: event.type, data: event.data } as RunEvent);
  if (shown.length === 0) return;
  const id = idOf(event.stream);
  const { seq: last } = views.get<{ seq: number }>(ADVANCE, id, shown.length)!;
  for (const [index, agentEvent] of shown.entries()) {
    const seq = last - shown.length + 1 + index;
    views.run('INSERT INTO run_output VALUES (?, ?, ?, ?)', id, seq, agentEvent.type, JSON.stringify(agentEvent));
  }
}
