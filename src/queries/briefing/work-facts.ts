/** What became of goals and engagements in the period of a briefing, and how they stand at its end. */
import { phaseReadiness } from '../../commands/engagement/readiness.ts';
import type { EngagementFacts, GoalFacts } from '../../events/briefing/facts.ts';
import { engagementOutline, newestEngagements } from '../../projections/engagement.ts';
import { activeGoals, goalRow } from '../../projections/goal.ts';
import { listed, type Material, newestFirst, type Place, shortened } from './material.ts';
import type { EngagementTally } from './tally.ts';

const NAME_CHARACTERS_MAX = 120;
/** Steps from phase to phase of one engagement that are recorded; the newest. */
const MOVES_MAX = 20;

export function goalFacts({ tally, views, settings }: Material, place: Place): GoalFacts {
  const everywhere = settings.workspace === null;
  const touched = newestFirst([...tally.goals].map(([id, change]) => ({ id, ...change })));
  const here = everywhere ? touched : touched.filter(({ id }) => place(goalRow(views, id)?.workspace));
  const { items, more } = listed(here);
  const shown = items.map(({ id, changes, links, position }) => {
    const row = goalRow(views, id);
    const title = row === undefined ? null : shortened(row.title, NAME_CHARACTERS_MAX);
    return { id, title, status: row?.status ?? 'deleted', changes: [...changes], links, position };
  });
  return { active: activeGoals(views).filter(({ workspace }) => place(workspace)).length, items: shown, more };
}

type Engagement = EngagementFacts['items'][number];

export function engagementFacts({ tally, views, settings }: Material, place: Place): EngagementFacts {
  const touched = [...tally.engagements].flatMap(([id, what]): readonly Engagement[] => {
    const outline = engagementOutline(views, id);
    if (outline === undefined) return settings.workspace === null ? [removed(id, what)] : [];
    const { engagement, gates } = outline;
    if (!place(engagement.workspace_path)) return [];
    const ready = phaseReadiness(outline, engagement.current_phase);
    return [
      {
        ...removed(id, what),
        name: shortened(engagement.name, NAME_CHARACTERS_MAX),
        client: shortened(engagement.client, NAME_CHARACTERS_MAX),
        status: engagement.status,
        phase: engagement.current_phase,
        gates: gates
          .filter((gate) => what.gates.has(gate.id))
          .map(({ title, verdict }) => ({ title: shortened(title, NAME_CHARACTERS_MAX), verdict })),
        deliverables_accepted: ready.deliverables.accepted,
        deliverables_total: ready.deliverables.total - ready.deliverables.waived,
        blockers: ready.blockers.length,
        gates_failed: ready.gates.fail,
      },
    ];
  });
  const active = newestEngagements(views).filter(
    ({ status, workspace_path }) => status === 'active' && place(workspace_path),
  );
  return { active: active.length, ...listed(newestFirst(touched)) };
}

/** What its events alone say: all there is of one that was removed. */
function removed(id: string, what: EngagementTally): Engagement {
  return {
    id,
    name: null,
    client: '',
    status: 'removed',
    phase: null,
    moves: what.moves.slice(-MOVES_MAX),
    gates: [],
    evidence_added: what.evidence_added,
    evidence_removed: what.evidence_removed,
    deliverables_changed: what.deliverables.size,
    deliverables_accepted: 0,
    deliverables_total: 0,
    blockers: 0,
    gates_failed: 0,
    position: what.position,
  };
}
