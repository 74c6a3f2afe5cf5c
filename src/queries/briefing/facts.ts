/**
 * The facts of a briefing: a pure function of the activity in the period, of the views at its end, and of observations
 * outside the log. The same log up to the same position gives the same facts at any time.
 */
import type {
  ApprovalFacts,
  BriefingFacts,
  IndexFacts,
  MemoryFacts,
  ReviewFacts,
  RunFacts,
} from '../../events/briefing/facts.ts';
import { memoryCounts } from '../../projections/memory/memories.ts';
import { approval, approvalRows } from '../../projections/run/approvals.ts';
import { activeJobIds, job } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import { deliveryRow } from '../../projections/webhook.ts';
import { type Activity, countOf } from './activity.ts';
import { attentionOf, type ExpiredApproval } from './attention.ts';
import { listed, newestFirst, shortened, type WorkspaceFilter, workspaceFilter } from './lists.ts';
import type { Observations } from './observations.ts';
import { engagementFacts, goalFacts, type WorkSources } from './work-facts.ts';

const PENDING_MAX = 1_000;

export interface FactSources extends WorkSources {
  readonly observations: Observations;
  readonly frame: Pick<BriefingFacts, 'period' | 'timezone' | 'scheduled_for' | 'late_minutes'>;
}

export function factsOf(sources: FactSources): BriefingFacts {
  const { activity, views, settings, observations, frame } = sources;
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
    ...(sections.has('memory') && { memory: memoryFacts(activity, views) }),
    ...(sections.has('index') && { index: indexFacts(sources) }),
    ...(sections.has('storage') && { storage: observations.storage }),
  };
  return { ...facts, attention: listed(attentionOf(facts, expiredApprovals(sources, isInWorkspace))) };
}

function runFacts({ activity, views }: FactSources, isInWorkspace: WorkspaceFilter): RunFacts {
  const ends = [...activity.runs].flatMap(([session_id, { at, ...end }]) => {
    const row = job(views, session_id) as (ReturnType<typeof job> & { readonly files_modified: string }) | undefined;
    if (row === undefined || !isInWorkspace(row.workspace)) return [];
    const { task, workspace, steps_completed: steps } = row;
    const files_modified = (JSON.parse(row.files_modified) as readonly string[]).length;
    const texts = { task: shortened(task), summary: shortened(end.summary) };
    return [{ ...end, session_id, workspace, steps, files_modified, ...texts, ended_at: at }];
  });
  const active = activeJobIds(views)
    .map((id) => job(views, id))
    .filter((row) => row !== undefined && isInWorkspace(row.workspace));
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
    running: active.filter((row) => row?.status === 'running').length,
    queued: active.filter((row) => row?.status === 'queued').length,
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

function memoryFacts(activity: Activity, views: Views): MemoryFacts {
  const counts = memoryCounts(views);
  const closed = [...activity.closedFacts].map(([id, position]) => ({ id, position }));
  return {
    added: countOf(activity, 'MemoryAdded', 'MemoryImported'),
    merged: countOf(activity, 'MemoriesMerged'),
    reflections: countOf(activity, 'ReflectionFormed'),
    faded: countOf(activity, 'MemoryDecayed'),
    deleted: countOf(activity, 'MemoryDeleted'),
    drawers: countOf(activity, 'DrawerStored'),
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
