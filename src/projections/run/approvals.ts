/**
 * Approvals of interactive runs, pending and decided.
 *
 * - None is decided before it was requested, also when the clock is set back.
 * - `approval_runs` has the runs that are under way. A run whose request is erased does not go on, so its approvals wait
 *   for nobody.
 */
import { z } from 'zod';
import { type Json, zJson } from '../../events/envelope.ts';
import { APPROVAL_DECISIONS, type RunEvent } from '../../events/run/events.ts';
import { handlers, idOf, type Projection, type Seen } from '../projection.ts';
import { conditions, replaceRow } from '../rows.ts';
import type { Views } from '../views.ts';

export const APPROVAL_STATUSES = ['pending', 'allowed', 'denied', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const approvals: Projection = {
  name: 'approvals',
  version: 7,
  tables: ['approvals', 'approval_runs'],
  create: `
CREATE TABLE approvals (
  id TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, tool_name TEXT NOT NULL, input TEXT NOT NULL,
  requested_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, status TEXT NOT NULL,
  decision TEXT, reason TEXT, decided_at INTEGER, opened INTEGER NOT NULL
);
CREATE INDEX approvals_pending ON approvals (opened) WHERE status = 'pending';
CREATE INDEX approvals_decided ON approvals (opened) WHERE status <> 'pending';
CREATE INDEX approvals_session ON approvals (session_id);
CREATE TABLE approval_runs (session_id TEXT PRIMARY KEY) WITHOUT ROWID;`,
  on: handlers<RunEvent>({
    RunRequested: begin,
    RunResumed: begin,
    ApprovalRequested: (views, event) => {
      const isWaiting = isUnderWay(views, idOf(event.stream));
      replaceRow(views, 'approvals', {
        id: event.data.approval_id,
        session_id: idOf(event.stream),
        tool_name: event.data.call.name,
        input: JSON.stringify(event.data.call.input),
        requested_at: event.at,
        expires_at: event.data.expires_at,
        status: isWaiting ? 'pending' : 'cancelled',
        decided_at: isWaiting ? null : event.at,
        opened: event.position,
      });
    },
    ApprovalAnswered: (views, event) => {
      const { decision, reason } = event.data;
      settle(views, event, { status: decision === 'deny' ? 'denied' : 'allowed', decision, reason });
    },
    ApprovalExpired: (views, event) => settle(views, event, { status: 'expired', decision: 'deny', reason: null }),
    ApprovalWithdrawn: (views, event) =>
      settle(views, event, { status: 'cancelled', decision: null, reason: event.data.reason }),
    ToolStarted: closeOpen,
    ToolRejected: closeOpen,
    RunCompleted: end,
    RunStopped: end,
    RunFailed: end,
    RunCancelled: end,
  }),
};

export const zApproval = z.object({
  id: z.string().describe('Id of the approval.'),
  session_id: z.string(),
  tool_name: z.string(),
  input: zJson,
  requested_at: z.int(),
  expires_at: z.int(),
  status: z.enum(APPROVAL_STATUSES).describe('`cancelled`: its run ended or went on, and the log has no answer.'),
  decision: z.enum(APPROVAL_DECISIONS).nullable().describe('What was answered; null without an answer.'),
  reason: z.string().nullable().describe('Why, in the words of who answered; null without them.'),
  decided_at: z.int().nullable(),
});
z.globalRegistry.add(zApproval, { id: 'Approval' });
export type ApprovalRow = Readonly<z.infer<typeof zApproval>>;

const FIELDS = 'id, session_id, tool_name, input, requested_at, expires_at, status, decision, reason, decided_at';

export function approval(views: Views, id: string): ApprovalRow | undefined {
  const row = views.get<Stored>(`SELECT ${FIELDS} FROM approvals WHERE id = ?`, id);
  return row === undefined ? undefined : read(row);
}

/** Pending approvals, oldest first; then decided ones, newest first. */
export function approvalRows(
  views: Views,
  wanted: { status?: ApprovalStatus | undefined; session_id?: string | undefined; limit: number },
): readonly ApprovalRow[] {
  const { status, session_id, limit } = wanted;
  // Two queries, each with its own index, so that many decided approvals do not slow down the pending ones.
  const filter = conditions({ 'status = ?': status, 'session_id = ?': session_id });
  const rows = (condition: string, order: string, max: number): readonly Stored[] => {
    const sql = `SELECT ${FIELDS} FROM approvals WHERE ${condition}${filter.sql} ORDER BY ${order} LIMIT ?`;
    return views.all<Stored>(sql, ...filter.values, max);
  };
  const waiting = rows(`status = 'pending'`, 'opened', limit);
  const decided = rows(`status <> 'pending'`, 'opened DESC', limit - waiting.length);
  return [...waiting, ...decided].map(read);
}

type Stored = Omit<ApprovalRow, 'input'> & { readonly input: string };

function read(row: Stored): ApprovalRow {
  return { ...row, input: JSON.parse(row.input) as Json };
}

function begin(views: Views, event: Seen): void {
  closeOpen(views, event);
  views.run('INSERT OR IGNORE INTO approval_runs VALUES (?)', idOf(event.stream));
}

function end(views: Views, event: Seen): void {
  closeOpen(views, event);
  views.run('DELETE FROM approval_runs WHERE session_id = ?', idOf(event.stream));
}

function isUnderWay(views: Views, session_id: string): boolean {
  return views.get('SELECT 1 FROM approval_runs WHERE session_id = ?', session_id) !== undefined;
}

/** A run that begins, goes on or ends waits for nobody: an open approval lost its answer by an erasure. */
function closeOpen(views: Views, event: Seen): void {
  views.run(
    `UPDATE approvals SET status = 'cancelled', decided_at = max(?, requested_at)
     WHERE session_id = ? AND status = 'pending'`,
    event.at,
    idOf(event.stream),
  );
}

function settle(
  views: Views,
  event: Seen<{ readonly approval_id: string }>,
  { status, decision, reason }: { status: ApprovalStatus; decision: string | null; reason: string | null },
): void {
  views.run(
    'UPDATE approvals SET status = ?, decision = ?, reason = ?, decided_at = max(?, requested_at) WHERE id = ?',
    ...[status, decision, reason, event.at, event.data.approval_id],
  );
}
