/** Engagements, their deliverables, evidence, gates and phase changes: a row each, in the shape of the wire. */
import type { DataOf } from '../../events/define.ts';
import type { EngagementEvent } from '../../events/engagement/events.ts';
import type { PhaseMove, RemovedGate, StatusChange } from '../../events/engagement/records.ts';
import { handlers, idOf, type Projection, type Seen } from '../projection.ts';
import { insertRow, type NewRow, updateRows } from '../rows.ts';
import type { Views } from '../views.ts';

type Data<Type extends EngagementEvent['type']> = DataOf<EngagementEvent, Type>;
type Fold = (views: Views, event: Seen) => void;

const TABLES = [
  'engagements',
  'engagement_deliverables',
  'engagement_evidence',
  'engagement_gates',
  'engagement_moves',
  'engagement_removed_gates',
  'engagement_status_changes',
] as const;

/** Tables whose rows are JSON in the shape of their readers. */
export type JsonTable = 'engagement_moves' | 'engagement_removed_gates' | 'engagement_status_changes';

export const engagements: Projection = {
  name: 'engagements',
  version: 3,
  tables: TABLES,
  create: `
CREATE TABLE engagements (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, client TEXT NOT NULL, summary TEXT NOT NULL, workspace_path TEXT,
  status TEXT NOT NULL DEFAULT 'draft', current_phase TEXT NOT NULL DEFAULT 'discover',
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, touched INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX engagements_newest ON engagements (updated_at DESC, touched DESC);
CREATE TABLE engagement_deliverables (
  engagement_id TEXT NOT NULL, id TEXT NOT NULL, ordinal INTEGER NOT NULL, phase TEXT NOT NULL, key TEXT NOT NULL,
  title TEXT NOT NULL, description TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'not_started', owner TEXT,
  tool_hint TEXT, notes TEXT NOT NULL DEFAULT '', evidence_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (engagement_id, id)
) WITHOUT ROWID;
CREATE TABLE engagement_evidence (
  engagement_id TEXT NOT NULL, deliverable_id TEXT NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL,
  kind TEXT NOT NULL, label TEXT NOT NULL, reference TEXT NOT NULL, captured_at INTEGER NOT NULL,
  file_path TEXT, size_bytes INTEGER, sha256 TEXT, PRIMARY KEY (engagement_id, deliverable_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE engagement_gates (
  engagement_id TEXT NOT NULL, id TEXT NOT NULL, ordinal INTEGER NOT NULL, phase TEXT NOT NULL, title TEXT NOT NULL,
  criterion TEXT NOT NULL, measurement TEXT NOT NULL, observed TEXT, verdict TEXT NOT NULL DEFAULT 'not_measured',
  rationale TEXT NOT NULL DEFAULT '', decided_by TEXT, decided_at INTEGER, judgements TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (engagement_id, id)
) WITHOUT ROWID;
CREATE TABLE engagement_moves (
  engagement_id TEXT NOT NULL, ordinal INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (engagement_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE engagement_removed_gates (
  engagement_id TEXT NOT NULL, ordinal INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (engagement_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE engagement_status_changes (
  engagement_id TEXT NOT NULL, ordinal INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (engagement_id, ordinal)
) WITHOUT ROWID;`,
  on: touching(
    handlers<EngagementEvent>({
      EngagementOpened: (views, event) => {
        const { name, client, summary, workspace_path } = event.data;
        insertRow(views, 'engagements', {
          id: idOf(event.stream),
          name,
          client,
          summary,
          workspace_path,
          created_at: event.at,
          updated_at: event.at,
          touched: event.position,
        });
      },
      EngagementStatusChanged: changeStatus,
      PhaseAdvanced: (views, event) => move(views, event, event.data.forced ? 'forced' : 'advanced'),
      PhaseSet: (views, event) => move(views, event, 'set'),
      EngagementRemoved: (views, event) => {
        views.run('DELETE FROM engagements WHERE id = ?', idOf(event.stream));
        for (const table of TABLES.slice(1)) {
          views.run(`DELETE FROM ${table} WHERE engagement_id = ?`, idOf(event.stream));
        }
      },
      DeliverableAdded: (views, event) => {
        const { deliverable_id: id, phase, key, title, description, tool_hint } = event.data;
        insertRow(views, 'engagement_deliverables', {
          engagement_id: idOf(event.stream),
          id,
          ordinal: event.position,
          phase,
          key,
          title,
          description,
          tool_hint,
          created_at: event.at,
          updated_at: event.at,
        });
      },
      DeliverableRevised: (views, event) => {
        const { title, description, tool_hint } = event.data;
        setDeliverable(views, event, { title, description, tool_hint });
      },
      DeliverableStatusChanged: (views, event) => setDeliverable(views, event, { status: event.data.to }),
      DeliverableAssigned: (views, event) => setDeliverable(views, event, { owner: event.data.owner }),
      DeliverableNoted: (views, event) => setDeliverable(views, event, { notes: event.data.notes }),
      EvidenceAttached: (views, event) => {
        const { evidence_id: id, deliverable_id, kind, label, reference, file } = event.data;
        insertRow(views, 'engagement_evidence', {
          engagement_id: idOf(event.stream),
          deliverable_id,
          ordinal: event.position,
          id,
          kind,
          label,
          reference,
          captured_at: event.at,
          file_path: file?.path ?? null,
          size_bytes: file?.size_bytes ?? null,
          sha256: file?.sha256 ?? null,
        });
        countEvidence(views, event, 1);
      },
      EvidenceRemoved: (views, event) => {
        const removed = views.get(
          'DELETE FROM engagement_evidence WHERE engagement_id = ? AND deliverable_id = ? AND id = ? RETURNING id',
          ...[idOf(event.stream), event.data.deliverable_id, event.data.evidence_id],
        );
        // When the attachment is erased, there is no row.
        countEvidence(views, event, removed === undefined ? 0 : -1);
      },
      GateAdded: (views, event) => {
        const { gate_id: id, phase, title, criterion, measurement } = event.data;
        insertRow(views, 'engagement_gates', {
          engagement_id: idOf(event.stream),
          id,
          ordinal: event.position,
          phase,
          title,
          criterion,
          measurement,
          created_at: event.at,
          updated_at: event.at,
        });
      },
      GateJudged: judged,
      GateRemoved: removeGate,
    }),
  ),
};

/** Every event of an engagement sets its `updated_at`. */
function touching(on: Projection['on']): Projection['on'] {
  return Object.fromEntries(
    Object.entries(on).map(([type, fold]): [string, Fold] => [
      type,
      (views, event) => {
        fold(views, event);
        setEngagement(views, event, { updated_at: event.at, touched: event.position });
      },
    ]),
  );
}

function setEngagement(views: Views, event: Seen, set: NewRow): void {
  updateRows(views, 'engagements', { where: { id: idOf(event.stream) }, set });
}

function setDeliverable(views: Views, event: Seen<{ readonly deliverable_id: string }>, values: NewRow): void {
  const where = { engagement_id: idOf(event.stream), id: event.data.deliverable_id };
  updateRows(views, 'engagement_deliverables', { where, set: { ...values, updated_at: event.at } });
}

function countEvidence(views: Views, event: Seen<{ readonly deliverable_id: string }>, step: -1 | 0 | 1): void {
  const id = idOf(event.stream);
  const { deliverable_id } = event.data;
  views.run(
    `UPDATE engagement_deliverables SET evidence_count = evidence_count + ?, updated_at = ?
     WHERE engagement_id = ? AND id = ?`,
    ...[step, event.at, id, deliverable_id],
  );
}

function judged(views: Views, event: Seen<Data<'GateJudged'>>): void {
  const { gate_id, verdict, observed, rationale, decided_by } = event.data;
  const recorded_by = event.actor;
  const judgement = JSON.stringify({ verdict, observed, rationale, decided_by, recorded_by, at: event.at });
  views.run(
    `UPDATE engagement_gates SET verdict = ?, observed = ?, rationale = ?, decided_by = ?, decided_at = ?,
       judgements = json_insert(judgements, '$[#]', json(?)), updated_at = ?
     WHERE engagement_id = ? AND id = ?`,
    ...[verdict, observed, rationale, decided_by, verdict === 'not_measured' ? null : event.at],
    ...[judgement, event.at, idOf(event.stream), gate_id],
  );
}

function removeGate(views: Views, event: Seen<Data<'GateRemoved'>>): void {
  const { gate_id, phase, title, verdict, reason } = event.data;
  const row: RemovedGate = { id: gate_id, phase, title, verdict, by: event.actor, reason, at: event.at };
  views.run('DELETE FROM engagement_gates WHERE engagement_id = ? AND id = ?', idOf(event.stream), gate_id);
  addJson(views, 'engagement_removed_gates', event, row);
}

function changeStatus(views: Views, event: Seen<Data<'EngagementStatusChanged'>>): void {
  const row: StatusChange = { ...event.data, by: event.actor, at: event.at };
  setEngagement(views, event, { status: row.to });
  addJson(views, 'engagement_status_changes', event, row);
}

function move(views: Views, event: Seen<Data<'PhaseAdvanced' | 'PhaseSet'>>, kind: PhaseMove['kind']): void {
  const { move_id, from, to, blockers, reason } = event.data;
  const by = event.actor;
  const row: PhaseMove = { id: move_id, kind, from, to, blockers, by, reason, at: event.at };
  setEngagement(views, event, { current_phase: to });
  addJson(views, 'engagement_moves', event, row);
}

/** Adds a row that is stored as JSON in the shape of its readers. */
function addJson(views: Views, table: JsonTable, { stream, position }: Seen, row: object): void {
  views.run(`INSERT INTO ${table} VALUES (?, ?, ?)`, idOf(stream), position, JSON.stringify(row));
}
