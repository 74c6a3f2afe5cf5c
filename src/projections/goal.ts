/**
 * Goals, their links and pins, in the wire shape: SQLite computes `json` from the row.
 *
 * - A link of an unknown goal is ignored, because a run may link itself while its goal is being deleted.
 * - `updated_at` grows strictly, even when the clock goes back.
 * - `revised` is the position of the newest change of the record, which orders changes of the same millisecond.
 */
import {
  type Goal,
  type GoalEvent,
  type GoalLink,
  type GoalPinEvent,
  zGoalChanges,
  zGoalPlan,
} from '../events/goal.ts';
import { foldedCase } from '../lib/characters.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import { column, conditions, insertRow, updateRows } from './rows.ts';
import type { Views } from './views.ts';

export const goals: Projection = {
  name: 'goals',
  version: 4,
  tables: ['goals', 'goal_links', 'goal_pins'],
  create: `
CREATE TABLE goals (
  id TEXT NOT NULL PRIMARY KEY, workspace TEXT, title TEXT NOT NULL, statement TEXT NOT NULL, status TEXT NOT NULL,
  success_criteria TEXT NOT NULL, tags TEXT NOT NULL, parent_goal_id TEXT, current_plan TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, updated_ms INTEGER NOT NULL, revised INTEGER NOT NULL,
  words TEXT NOT NULL,
  json TEXT GENERATED ALWAYS AS (json_object(
    'id', id, 'workspace', workspace, 'title', title, 'statement', statement, 'status', status,
    'success_criteria', json(success_criteria), 'tags', json(tags), 'created_at', created_at,
    'updated_at', updated_at, 'parent_goal_id', parent_goal_id, 'current_plan', json(current_plan),
    'schema_version', 1)) STORED
);
CREATE INDEX goals_newest ON goals (updated_ms DESC, revised DESC);
CREATE INDEX goals_children ON goals (parent_goal_id, updated_ms DESC, revised DESC);
CREATE TABLE goal_links (
  goal_id TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, target_id TEXT NOT NULL,
  linked_at TEXT NOT NULL, note TEXT, PRIMARY KEY (goal_id, position)
) WITHOUT ROWID;
CREATE TABLE goal_pins (slot TEXT PRIMARY KEY, goal_id TEXT NOT NULL, pinned_at TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX goal_pins_goal ON goal_pins (goal_id);`,
  on: handlers<GoalEvent | GoalPinEvent>({
    GoalCreated: (views, event) => {
      const { workspace, title, statement, success_criteria, tags, parent_goal_id } = event.data;
      insertRow(views, 'goals', {
        id: idOf(event.stream),
        workspace,
        title,
        statement,
        status: 'active',
        parent_goal_id,
        success_criteria: JSON.stringify(success_criteria),
        tags: JSON.stringify(tags),
        created_at: timeOf(event.at),
        updated_at: timeOf(event.at),
        updated_ms: event.at,
        revised: event.position,
        words: wordsOf(title, statement),
      });
    },
    GoalRevised: (views, event) => {
      const { plan_cleared } = event.data;
      // The log may have fields that this program does not know, and the names of these become columns.
      const changes = zGoalChanges.parse(event.data.changes);
      revise(views, event, { ...changes, ...(plan_cleared && { current_plan: null }) });
      if (changes.title !== undefined || changes.statement !== undefined) searchable(views, idOf(event.stream));
    },
    GoalPlanned: (views, event) =>
      // An event that is read from the log has the keys in stored order, answers have them in that of the schema.
      revise(views, event, { current_plan: zGoalPlan.parse(event.data.plan) }),
    GoalLinked: (views, event) => {
      const { link_id, kind, target_id, note } = event.data;
      views.run(
        'INSERT INTO goal_links SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM goals WHERE id = ?)',
        idOf(event.stream),
        event.position,
        link_id,
        kind,
        target_id,
        timeOf(event.at),
        note,
        idOf(event.stream),
      );
    },
    GoalDeleted: (views, event) => {
      const id = idOf(event.stream);
      views.run('DELETE FROM goals WHERE id = ?', id);
      views.run('DELETE FROM goal_links WHERE goal_id = ?', id);
      views.run('DELETE FROM goal_pins WHERE goal_id = ?', id);
    },
    GoalPinned: (views, event) => {
      const { workspace, goal_id } = event.data;
      views.run('INSERT OR REPLACE INTO goal_pins VALUES (?, ?, ?)', slotOf(workspace), goal_id, timeOf(event.at));
    },
    GoalUnpinned: (views, event) => views.run('DELETE FROM goal_pins WHERE slot = ?', slotOf(event.data.workspace)),
  }),
};

export interface GoalPinRow {
  readonly goal_id: string;
  readonly pinned_at: string;
}

export interface GoalFilter {
  readonly status?: string | undefined;
  /** null: goals without a workspace. */
  readonly workspace?: string | null | undefined;
  readonly tag?: string | undefined;
  /** Part of the title or the statement, in any case. */
  readonly words?: string | undefined;
  readonly limit: number;
}

const LINKS_SHOWN_MAX = 10_000;
const LINK = 'id, goal_id, kind, target_id, linked_at, note';

export function goalRow(views: Views, id: string): Goal | undefined {
  const row = views.get<{ json: string }>('SELECT json FROM goals WHERE id = ?', id);
  return row && (JSON.parse(row.json) as Goal);
}

/** Goals as JSON texts, last changed first. */
export function goalsJson(views: Views, { status, workspace, tag, words, limit }: GoalFilter): readonly string[] {
  const filter = conditions({
    'status = ?': status,
    'workspace IS ?': workspace,
    'EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)': tag,
    'instr(words, ?) > 0': words && foldedCase(words),
  });
  const sql = `SELECT json FROM goals WHERE TRUE${filter.sql} ORDER BY updated_ms DESC, revised DESC LIMIT ?`;
  return column(views, sql, ...filter.values, limit);
}

export function childGoals(views: Views, id: string): readonly Goal[] {
  const sql = 'SELECT json FROM goals WHERE parent_goal_id = ? ORDER BY updated_ms DESC, revised DESC';
  return column<string>(views, sql, id).map((json) => JSON.parse(json) as Goal);
}

export function childCount(views: Views, id: string): number {
  return views.get<{ n: number }>('SELECT count(*) AS n FROM goals WHERE parent_goal_id = ?', id)?.n ?? 0;
}

/** The workspace of every active goal. */
export function activeGoals(views: Views): readonly Pick<Goal, 'workspace'>[] {
  return views.all<Pick<Goal, 'workspace'>>(`SELECT workspace FROM goals WHERE status = 'active'`);
}

/** Newest first. */
export function goalLinks(views: Views, id: string): readonly GoalLink[] {
  const sql = `SELECT ${LINK} FROM goal_links WHERE goal_id = ? ORDER BY position DESC LIMIT ?`;
  return views.all<GoalLink>(sql, id, LINKS_SHOWN_MAX);
}

/** Ids of the runs that are linked to a goal. */
export function linkedRuns(views: Views, id: string): readonly string[] {
  const sql = `SELECT DISTINCT target_id FROM goal_links WHERE goal_id = ? AND kind IN ('session', 'job')`;
  return column(views, sql, id);
}

export function goalLink(views: Views, goalId: string, id: string): GoalLink | undefined {
  return views.get<GoalLink>(`SELECT ${LINK} FROM goal_links WHERE goal_id = ? AND id = ?`, goalId, id);
}

/** The pin of one slot; null is the global slot. */
export function pinIn(views: Views, workspace: string | null): GoalPinRow | undefined {
  return views.get<GoalPinRow>('SELECT goal_id, pinned_at FROM goal_pins WHERE slot = ?', slotOf(workspace));
}

export function isPinned(views: Views, id: string): boolean {
  return views.get('SELECT 1 FROM goal_pins WHERE goal_id = ? LIMIT 1', id) !== undefined;
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function slotOf(workspace: string | null): string {
  return workspace ?? '';
}

/** Sets columns, lists and plans as JSON. `updated_at` grows with each change, also when the clock is set back. */
function revise(views: Views, event: Seen, columns: Readonly<Record<string, unknown>>): void {
  const id = idOf(event.stream);
  const row = views.get<{ updated_ms: number }>('SELECT updated_ms FROM goals WHERE id = ?', id);
  if (row === undefined) return;
  const stored = Object.entries(columns).map(([column, value]) => {
    return [column, value === null || typeof value === 'string' ? value : JSON.stringify(value)] as const;
  });
  const updated_ms = Math.max(event.at, row.updated_ms + 1);
  const set = { ...Object.fromEntries(stored), updated_ms, updated_at: timeOf(updated_ms), revised: event.position };
  updateRows(views, 'goals', { where: { id }, set });
}

function searchable(views: Views, id: string): void {
  const row = views.get<{ title: string; statement: string }>('SELECT title, statement FROM goals WHERE id = ?', id);
  if (row) views.run('UPDATE goals SET words = ? WHERE id = ?', wordsOf(row.title, row.statement), id);
}

/** The unit separator prevents a match that spans title and statement. */
function wordsOf(title: string, statement: string): string {
  return `${foldedCase(title)}\u001f${foldedCase(statement)}`;
}
