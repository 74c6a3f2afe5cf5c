/**
 * The facts of a briefing: a pure function of the activity in the period, of the views at its end, and of observations
 * outside the log. The same log up to the same position gives the same facts at any time.
 */
import { phaseReadiness } from '../../commands/engagement/readiness.ts';
import type { BriefingSettings } from '../../events/briefing/events.ts';
import type {
  ApprovalFacts,
  BriefingFacts,
  EngagementFacts,
  GoalFacts,
  IndexFacts,
  MemoryFacts,
  ReviewFacts,
  RunFacts,
} from '../../events/briefing/facts.ts';
import { engagementOutline } from '../../projections/engagement/document.ts';
import { activeEngagements } from '../../projections/engagement/list.ts';
import { activeGoals, goalRow } from '../../projections/goal.ts';
import { drawersStored } from '../../projections/memory/drawers.ts';
import { memoryCounts } from '../../projections/memory/memories.ts';
import { approval, approvalRows } from '../../projections/run/approvals.ts';
import { activeRuns, job } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import { deliveryRow } from '../../projections/webhook.ts';
import { type Activity, countOf, type EngagementActivity } from './activity.ts';
import { attentionOf, type ExpiredApproval } from './attention.ts';
import {
  listed,
  newestFirst,
  type Observations,
  shortened,
  type WorkspaceFilter,
  workspaceFilter,
} from './observations.ts';

const PENDING_MAX = 1_000;

export interface FactSources {
  readonly activity: Activity;
  readonly views: Views;
  readonly settings: BriefingSettings;
  readonly observations: Observations;
  readonly frame: Pick<BriefingFacts, 'period' | 'timezone' | 'scheduled_for' | 'late_minutes'>;
}

export function factsOf(sources: FactSources): BriefingFacts {
  const { settings, observations, frame } = sources;
  const sections = new Set(settings.sections);
  const isInWorkspace = workspaceFilter(settings.workspace);
  const facts = {
    ...frame,
    workspace: settings.workspace,
    ...(sections.has('runs') && { runs: runFacts(sources, isInWorkspace) }),
    ...(sections.has('approvals') && { approvals: approvalFacts(sources, isInWorkspace) }),
    ...(sections.has('goals') && { goals: goalFacts(sources, isInWorkspace) }),
    ...(sections.has('engagements') && { engagements: engagementFacts(sources, isInWorkspace) }),
    ...(sections.has('reviews') && { reviews: reviewFacts(sources) }),
    ...(sections.has('repositories') && { repositories: [...observations.repositories] }),
    ...(sections.has('memory') && { memory: memoryFacts(sources) }),
    ...(sections.has('index') && { index: indexFacts(sources) }),
    ...(sections.has('storage') && { storage: observations.storage }),
  };
  return { ...facts, attention: listed(attentionOf(facts, expiredApprovals(sources, isInWorkspace))) };
}

function runFacts({ activity, views }: FactSources, isInWorkspace: WorkspaceFilter): RunFacts {
  const ends = [...activity.runs].flatMap(([session_id, { at, ...end }]) => {
    const row = job(views, session_id);
    if (row === undefined || !isInWorkspace(row.workspace)) return [];
    const { task, workspace, steps_completed: steps, calls_rejected } = row;
    const files_modified = (JSON.parse(row.files_modified) as readonly string[]).length;
    const texts = { task: shortened(task), summary: shortened(end.summary) };
    return [{ ...end, session_id, workspace, steps, calls_rejected, files_modified, ...texts, ended_at: at }];
  });
  const active = activeRuns(views).filter(({ workspace }) => isInWorkspace(workspace));
  const requested = [...activity.requested]
    .filter(([id]) => isInWorkspace(job(views, id)?.workspace))
    .reduce((sum, [, count]) => sum + count, 0);
  const having = (status: string): number => ends.filter((end) => end.status === status).length;
  return {
    requested,
    complete: having('complete'),
    partial: having('partial'),
    failed: having('failed'),
    cancelled: having('cancelled'),
    running: active.filter((row) => row.status === 'running').length,
    queued: active.filter((row) => row.status === 'queued').length,
    ...listed(newestFirst(ends)),
  };
}

function approvalFacts({ activity, views }: FactSources, isInWorkspace: WorkspaceFilter): ApprovalFacts {
  const waiting = approvalRows(views, { status: 'pending', limit: PENDING_MAX }).flatMap((row) => {
    const run = job(views, row.session_id);
    if (!isInWorkspace(run?.workspace)) return [];
    const { id, session_id, tool_name, requested_at, expires_at } = row;
    const task = shortened(run?.task ?? '', 120);
    return [{ id, session_id, tool_name, task, requested_at, expires_at, position: activity.asked.get(id) ?? null }];
  });
  const statuses = (ids: Iterable<string>): readonly string[] =>
    [...ids]
      .map((id) => approval(views, id))
      .filter((row) => row !== undefined && isInWorkspace(job(views, row.session_id)?.workspace))
      .map((row) => row?.status ?? '');
  const answers = statuses(activity.answered);
  return {
    asked: statuses(activity.asked.keys()).length,
    allowed: answers.filter((status) => status === 'allowed').length,
    denied: answers.filter((status) => status === 'denied').length,
    expired: statuses(activity.expired.keys()).length,
    ...listed(waiting),
  };
}

function expiredApprovals(
  { activity, views, settings }: FactSources,
  isInWorkspace: WorkspaceFilter,
): readonly ExpiredApproval[] {
  if (!settings.sections.includes('approvals')) return [];
  return [...activity.expired].flatMap(([id, position]) => {
    const row = approval(views, id);
    if (row === undefined || !isInWorkspace(job(views, row.session_id)?.workspace)) return [];
    return [{ id, session_id: row.session_id, tool_name: row.tool_name, position }];
  });
}

function reviewFacts({ activity, views }: FactSources): ReviewFacts {
  const ended = [...activity.reviews].flatMap(([id, position]) => {
    const row = deliveryRow(views, id);
    if (row === undefined || (row.status !== 'reviewed' && row.status !== 'failed')) return [];
    const { repository, number, title } = JSON.parse(row.request ?? '{}') as Record<string, string & number>;
    const review = JSON.parse(row.review ?? '{}') as { readonly findings?: readonly unknown[] };
    const what = { repository: repository ?? '', number: number ?? 0, title: shortened(title ?? '', 120) };
    return [{ id, ...what, status: row.status, findings: review.findings?.length ?? 0, position } as const];
  });
  return {
    reviewed: ended.filter(({ status }) => status === 'reviewed').length,
    failed: ended.filter(({ status }) => status === 'failed').length,
    findings: ended.reduce((sum, { findings }) => sum + findings, 0),
    ...listed(newestFirst(ended)),
  };
}

function memoryFacts({ activity, views, frame: { period } }: FactSources): MemoryFacts {
  const counts = memoryCounts(views);
  const closed = [...activity.closedFacts].map(([id, position]) => ({ id, position }));
  return {
    added: countOf(activity, 'MemoryAdded', 'MemoryImported'),
    merged: countOf(activity, 'MemoriesMerged'),
    reflections: countOf(activity, 'ReflectionFormed'),
    faded: countOf(activity, 'MemoryDecayed'),
    deleted: countOf(activity, 'MemoryDeleted'),
    drawers: drawersStored(views, period.from_position, period.to_position),
    facts_added: countOf(activity, 'FactAsserted'),
    facts_closed: closed.length,
    closed: listed(newestFirst(closed)),
    total_memories: counts.memories,
    total_facts: counts.facts,
  };
}

function indexFacts({ activity, observations }: FactSources): IndexFacts {
  const builds = countOf(activity, 'IndexBuilt');
  const builds_failed = countOf(activity, 'IndexBuildFailed');
  const failure = activity.indexFailure === null ? null : shortened(activity.indexFailure);
  return { ...observations.index, builds, builds_failed, failure };
}

const NAME_CHARACTERS_MAX = 120;
/** Limit of the recorded phase changes of one engagement; the newest are recorded. */
const MOVES_MAX = 20;

function goalFacts({ activity, views, settings }: FactSources, isInWorkspace: WorkspaceFilter): GoalFacts {
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

function engagementFacts({ activity, views, settings }: FactSources, isInWorkspace: WorkspaceFilter): EngagementFacts {
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
  const active = activeEngagements(views).filter(({ workspace_path }) => isInWorkspace(workspace_path));
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
