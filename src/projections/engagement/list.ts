/** Lists of engagements: filtered, searched, limited by phase, and with the work of their current phase. */
import type { EngagementStatus, Phase } from '../../events/engagement/events.ts';
import type { Deliverable, Engagement, Gate } from '../../events/engagement/records.ts';
import { foldedCase } from '../../lib/characters.ts';
import type { Views } from '../views.ts';

/** A shorter search word is not compared with ids, because it would be the beginning of many. */
const ID_CHARACTERS_MIN = 4;

/** Engagements in one answer. */
export const ENGAGEMENTS_MAX = 10_000;

/** The columns of an engagement, as the wire has them. */
export const ENGAGEMENT = 'id, name, client, summary, workspace_path, status, current_phase, created_at, updated_at';

export interface EngagementFilter {
  /** Only these statuses. Default: all. */
  readonly status?: readonly EngagementStatus[] | undefined;
  /** Each of its words must be in the name or the client, or the id must begin with it, in any case. */
  readonly q?: string | undefined;
  readonly limit?: number | undefined;
}

/** Last changed first. */
export function newestEngagements(views: Views, filter: EngagementFilter = {}): readonly Engagement[] {
  const limit = filter.limit ?? ENGAGEMENTS_MAX;
  if (filter.q === undefined)
    return views.all<Engagement>(`${listed(ENGAGEMENT, filter)} LIMIT ?`, ...valuesOf(filter), limit);
  return byIds(views, places(views, filter).slice(0, limit));
}

/** The number of all engagements, and the number that a filter selects in each phase. */
export type EngagementCounts = Readonly<Record<Phase | 'all', number>>;

/** The folder of every active engagement. */
export function activeEngagements(views: Views): readonly Pick<Engagement, 'workspace_path'>[] {
  return views.all<Pick<Engagement, 'workspace_path'>>(
    `SELECT workspace_path FROM engagements WHERE status = 'active'`,
  );
}

/** Last changed first, at most `limitPerPhase` of each phase, with the counts. */
export function engagementsByPhase(
  views: Views,
  filter: EngagementFilter & { readonly limitPerPhase: number },
): { readonly engagements: readonly Engagement[]; readonly counts: EngagementCounts } {
  const all = views.get<{ n: number }>('SELECT count(*) AS n FROM engagements')?.n ?? 0;
  const counts = { all, discover: 0, prove: 0, build: 0, operate: 0 };
  const shown = places(views, filter).filter(({ current_phase }) => {
    counts[current_phase] += 1;
    return counts[current_phase] <= filter.limitPerPhase;
  });
  return { engagements: byIds(views, shown.slice(0, filter.limit ?? ENGAGEMENTS_MAX)), counts };
}

type Place = Pick<Engagement, 'id' | 'name' | 'client' | 'current_phase'>;

/** All engagements that the filter selects, without its limits, last changed first. */
function places(views: Views, filter: EngagementFilter): readonly Place[] {
  const words = foldedCase(filter.q ?? '')
    .split(/\s+/)
    .filter(Boolean);
  const rows = views.all<Place>(listed('id, name, client, current_phase', filter), ...valuesOf(filter));
  if (words.length === 0) return rows;
  return rows.filter(({ id, name, client }) => {
    const text = foldedCase(`${name} ${client}`);
    return words.every((word) => text.includes(word) || (word.length >= ID_CHARACTERS_MIN && id.startsWith(word)));
  });
}

function listed(columns: string, { status }: EngagementFilter): string {
  const where = status === undefined ? '' : 'WHERE status IN (SELECT value FROM json_each(?))';
  return `SELECT ${columns} FROM engagements ${where} ORDER BY updated_at DESC, touched DESC`;
}

function valuesOf({ status }: EngagementFilter): readonly string[] {
  return status === undefined ? [] : [JSON.stringify(status)];
}

function byIds(views: Views, places: readonly Place[]): readonly Engagement[] {
  const sql = `SELECT ${ENGAGEMENT} FROM engagements WHERE id IN (SELECT value FROM json_each(?))
               ORDER BY updated_at DESC, touched DESC`;
  return views.all<Engagement>(sql, JSON.stringify(places.map(({ id }) => id)));
}

type CurrentItem = Pick<Deliverable, 'engagement_id' | 'phase' | 'key' | 'title' | 'status' | 'evidence_count'>;
type CurrentCheck = Pick<Gate, 'engagement_id' | 'id' | 'phase' | 'title' | 'verdict'>;

export interface CurrentWork {
  readonly deliverables: readonly CurrentItem[];
  readonly gates: readonly CurrentCheck[];
}

/** Deliverables and gates of each engagement's current phase, in the order they were added: two statements in all. */
export function currentWork(views: Views, ids: readonly string[]): ReadonlyMap<string, CurrentWork> {
  const rows = <Row extends { readonly engagement_id: string }>(
    table: 'engagement_deliverables' | 'engagement_gates',
    columns: string,
  ) => {
    const sql = `SELECT part.engagement_id, part.phase, part.title, ${columns} FROM engagements
                 JOIN ${table} AS part ON part.engagement_id = engagements.id AND part.phase = current_phase
                 WHERE engagements.id IN (SELECT value FROM json_each(?)) ORDER BY part.ordinal`;
    return Map.groupBy(views.all<Row>(sql, JSON.stringify(ids)), ({ engagement_id }) => engagement_id);
  };
  const deliverables = rows<CurrentItem>('engagement_deliverables', 'part.key, part.status, part.evidence_count');
  const gates = rows<CurrentCheck>('engagement_gates', 'part.id, part.verdict');
  return new Map(ids.map((id) => [id, { deliverables: deliverables.get(id) ?? [], gates: gates.get(id) ?? [] }]));
}
