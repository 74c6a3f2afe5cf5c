/** The facts about goals and engagements: what changed in the period of a briefing, and their state at its end. */
import { phaseReadiness } from '../../commands/engagement/readiness.ts';
import type { BriefingSettings } from '../../events/briefing/events.ts';
import type { EngagementFacts, GoalFacts } from '../../events/briefing/facts.ts';
import { engagementOutline } from '../../projections/engagement/document.ts';
import { newestEngagements } from '../../projections/engagement/list.ts';
import { activeGoals, goalRow } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import type { Activity, EngagementActivity } from './activity.ts';
import { listed, newestFirst, shortened, type WorkspaceFilter } from './lists.ts';

/** The sources of facts about goals and engagements. */
export interface WorkSources {
  readonly activity: Activity;
  readonly views: Views;
  readonly settings: BriefingSettings;
}

const NAME_CHARACTERS_MAX = 120;
/** Limit of the recorded phase changes of one engagement; the newest are recorded. */
const MOVES_MAX = 20;

export function goalFacts({ activity, views, settings }: WorkSources, isInWorkspace: WorkspaceFilter): GoalFacts {
  const everywhere = settings.workspace === null;
  const touched = newestFirst([...activity.goals].map(([id, change]) => ({ id, ...change })));
  const here = everywhere ? touched : touched.filter(({ id }) => isInWorkspace(goalRow(views, id)?.workspace));
  const { items, more } = listed(here);
  const shown = items.map(({ id, changes, links, position }) => {
    const row = goalRow(views, id);
    const title = row === undefined ? null : shortened(row.title, NAME_CHARACTERS_MAX);
    return { id, title, status: row?.status ?? 'deleted', changes: [...changes], links, position };
  });
  return { active: activeGoals(views).filter(({ workspace }) => isInWorkspace(workspace)).length, items: shown, more };
}

type Engagement = EngagementFacts['items'][number];

export function engagementFacts(
  { activity, views, settings }: WorkSources,
  isInWorkspace: WorkspaceFilter,
): EngagementFacts {
  const touched = [...activity.engagements].flatMap(([id, changes]): readonly Engagement[] => {
    const outline = engagementOutline(views, id);
    if (outline === undefined) return settings.workspace === null ? [removed(id, changes)] : [];
    const { engagement, gates } = outline;
    if (!isInWorkspace(engagement.workspace_path)) return [];
    const ready = phaseReadiness(outline, engagement.current_phase);
    return [
      {
        ...removed(id, changes),
        name: shortened(engagement.name, NAME_CHARACTERS_MAX),
        client: shortened(engagement.client, NAME_CHARACTERS_MAX),
        status: engagement.status,
        phase: engagement.current_phase,
        gates: gates
          .filter((gate) => changes.gates.has(gate.id))
          .map(({ title, verdict }) => ({ title: shortened(title, NAME_CHARACTERS_MAX), verdict })),
        deliverables_accepted: ready.deliverables.accepted,
        deliverables_total: ready.deliverables.total - ready.deliverables.waived,
        blockers: ready.blockers.length,
        gates_failed: ready.gates.fail,
      },
    ];
  });
  const active = newestEngagements(views).filter(
    ({ status, workspace_path }) => status === 'active' && isInWorkspace(workspace_path),
  );
  return { active: active.length, ...listed(newestFirst(touched)) };
}

/** The facts from events alone; a removed engagement has no row in the views. */
function removed(id: string, activity: EngagementActivity): Engagement {
  return {
    id,
    name: null,
    client: '',
    status: 'removed',
    phase: null,
    moves: activity.moves.slice(-MOVES_MAX),
    gates: [],
    evidence_added: activity.evidence_added,
    evidence_removed: activity.evidence_removed,
    deliverables_changed: activity.deliverables.size,
    deliverables_accepted: 0,
    deliverables_total: 0,
    blockers: 0,
    gates_failed: 0,
    position: activity.position,
  };
}
