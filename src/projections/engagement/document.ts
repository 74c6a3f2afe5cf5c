/** One engagement: alone, with its deliverables and gates, with its evidence, or one part of it. */
import type {
  Deliverable,
  Engagement,
  EngagementDocument,
  EngagementOutline,
  Evidence,
  Gate,
  PhaseMove,
  RemovedGate,
  StatusChange,
} from '../../events/engagement/records.ts';
import { column } from '../rows.ts';
import type { Views } from '../views.ts';
import type { JsonTable } from './engagement.ts';
import { ENGAGEMENT } from './list.ts';

const DELIVERABLE =
  'id, engagement_id, phase, key, title, description, status, owner, tool_hint, notes, evidence_count, ' +
  'created_at, updated_at';
const EVIDENCE = 'id, deliverable_id, kind, label, reference, captured_at, file_path, size_bytes, sha256';

export function engagement(views: Views, id: string): Engagement | undefined {
  return views.get<Engagement>(`SELECT ${ENGAGEMENT} FROM engagements WHERE id = ?`, id);
}

/** In the order they were added. */
function deliverables(views: Views, engagementId: string): readonly Deliverable[] {
  const sql = `SELECT ${DELIVERABLE} FROM engagement_deliverables WHERE engagement_id = ? ORDER BY ordinal`;
  return views.all<Deliverable>(sql, engagementId);
}

/** In the order they were added. */
function gates(views: Views, engagementId: string): readonly Gate[] {
  const sql = 'SELECT * FROM engagement_gates WHERE engagement_id = ? ORDER BY ordinal';
  return views.all<GateRow>(sql, engagementId).map(gateOf);
}

type GateRow = Omit<Gate, 'judgements'> & { readonly judgements: string; readonly ordinal: number };

function gateOf({ ordinal: _ordinal, judgements, ...row }: GateRow): Gate {
  return { ...row, judgements: JSON.parse(judgements) };
}

/** An engagement without its evidence; undefined for an unknown id. */
export function engagementOutline(views: Views, id: string): EngagementOutline | undefined {
  const row = engagement(views, id);
  if (row === undefined) return undefined;
  return {
    engagement: row,
    deliverables: deliverables(views, id),
    gates: gates(views, id),
    moves: jsonRows<PhaseMove>(views, 'engagement_moves', id),
    removedGates: jsonRows<RemovedGate>(views, 'engagement_removed_gates', id),
  };
}

/** An engagement with its evidence; undefined for an unknown id. */
export function engagementDocument(views: Views, id: string): EngagementDocument | undefined {
  const outline = engagementOutline(views, id);
  const statusChanges = jsonRows<StatusChange>(views, 'engagement_status_changes', id);
  return outline && { ...outline, evidence: evidence(views, outline), statusChanges };
}

export function deliverableOfKey(views: Views, engagementId: string, key: string): Deliverable | undefined {
  const sql = `SELECT ${DELIVERABLE} FROM engagement_deliverables WHERE engagement_id = ? AND key = ?`;
  return views.get<Deliverable>(sql, engagementId, key);
}

export function evidenceItem(views: Views, engagementId: string, id: string): Evidence | undefined {
  const sql = `SELECT ${EVIDENCE} FROM engagement_evidence WHERE engagement_id = ? AND id = ?`;
  return views.get<Evidence>(sql, engagementId, id);
}

export function gate(views: Views, engagementId: string, id: string): Gate | undefined {
  const row = views.get<GateRow>('SELECT * FROM engagement_gates WHERE engagement_id = ? AND id = ?', engagementId, id);
  return row && gateOf(row);
}

/** Rows that are stored as JSON in the shape of the answer. */
function jsonRows<Row>(views: Views, table: JsonTable, id: string): readonly Row[] {
  const sql = `SELECT json FROM ${table} WHERE engagement_id = ? ORDER BY ordinal`;
  return column<string>(views, sql, id).map((json) => JSON.parse(json) as Row);
}

/** By deliverable, in the order of the deliverables, then by the time of attaching. */
function evidence(views: Views, { engagement: { id }, deliverables }: EngagementOutline): readonly Evidence[] {
  const sql = `SELECT ${EVIDENCE} FROM engagement_evidence WHERE engagement_id = ? ORDER BY captured_at, ordinal`;
  const byDeliverable = Map.groupBy(views.all<Evidence>(sql, id), (item) => item.deliverable_id);
  return deliverables.flatMap((item) => byDeliverable.get(item.id) ?? []);
}
