/**
 * The facts of a briefing: a pure function of what happened in the period, of the views at its end, and of what was
 * observed beside the log. The same log up to the same position gives the same facts, whenever they are asked for.
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
import { activeJobIds, job } from '../../projections/run/jobs.ts';
import type { Views } from '../../projections/views.ts';
import { deliveryRow } from '../../projections/webhook.ts';
import { attentionOf } from './attention.ts';
import { type Expired, listed, type Material, newestFirst, type Place, shortened, within } from './material.ts';
import { counted, type Tally } from './tally.ts';
import { engagementFacts, goalFacts } from './work-facts.ts';

const PENDING_MAX = 1_000;

export function factsOf(material: Material): BriefingFacts {
  const { tally, views, settings, observed, frame } = material;
  const wants = new Set(settings.sections);
  const place = within(settings.workspace);
  const facts = {
    ...frame,
    workspace: settings.workspace,
    ...(wants.has('runs') && { runs: runFacts(material, place) }),
    ...(wants.has('approvals') && { approvals: approvalFacts(material, place) }),
    ...(wants.has('goals') && { goals: goalFacts(material, place) }),
    ...(wants.has('engagements') && { engagements: engagementFacts(material, place) }),
    ...(wants.has('reviews') && { reviews: reviewFacts(material) }),
    ...(wants.has('repositories') && { repositories: [...observed.repositories] }),
    ...(wants.has('memory') && { memory: memoryFacts(tally, views) }),
    ...(wants.has('index') && { index: indexFacts(material) }),
    ...(wants.has('storage') && { storage: observed.storage }),
  };
  return { ...facts, attention: listed(attentionOf(facts, expiredApprovals(material, place))) };
}

function runFacts({ tally, views }: Material, place: Place): RunFacts {
  const ends = [...tally.runs].flatMap(([session_id, { at, ...end }]) => {
    const row = job(views, session_id) as (ReturnType<typeof job> & { readonly files_modified: string }) | undefined;
    if (row === undefined || !place(row.workspace)) return [];
    const { task, workspace, steps_completed: steps } = row;
    const files_modified = (JSON.parse(row.files_modified) as readonly string[]).length;
    const texts = { task: shortened(task), summary: shortened(end.summary) };
    return [{ ...end, session_id, workspace, steps, files_modified, ...texts, ended_at: at }];
  });
  const active = activeJobIds(views)
    .map((id) => job(views, id))
    .filter((row) => row !== undefined && place(row.workspace));
  const having = (status: string): number => ends.filter((end) => end.status === status).length;
  return {
    requested: counted(tally, 'RunRequested', 'RunResumed'),
    complete: having('complete'),
    partial: having('partial'),
    failed: having('failed'),
    cancelled: having('cancelled'),
    running: active.filter((row) => row?.status === 'running').length,
    queued: active.filter((row) => row?.status === 'queued').length,
    ...listed(newestFirst(ends)),
  };
}

function approvalFacts({ tally, views }: Material, place: Place): ApprovalFacts {
  const waiting = approvalRows(views, { status: 'pending', limit: PENDING_MAX }).flatMap((row) => {
    const run = job(views, row.session_id);
    if (!place(run?.workspace)) return [];
    const { id, session_id, tool_name, requested_at, expires_at } = row;
    const task = shortened(run?.task ?? '', 120);
    return [{ id, session_id, tool_name, task, requested_at, expires_at, position: tally.asked.get(id) ?? null }];
  });
  const statuses = (ids: Iterable<string>): readonly string[] =>
    [...ids]
      .map((id) => approval(views, id))
      .filter((row) => row !== undefined && place(job(views, row.session_id)?.workspace))
      .map((row) => row?.status ?? '');
  const answers = statuses(tally.answered);
  return {
    asked: statuses(tally.asked.keys()).length,
    allowed: answers.filter((status) => status === 'allowed').length,
    denied: answers.filter((status) => status === 'denied').length,
    expired: statuses(tally.expired.keys()).length,
    ...listed(waiting),
  };
}

function expiredApprovals({ tally, views, settings }: Material, place: Place): readonly Expired[] {
  if (!settings.sections.includes('approvals')) return [];
  return [...tally.expired].flatMap(([id, position]) => {
    const row = approval(views, id);
    if (row === undefined || !place(job(views, row.session_id)?.workspace)) return [];
    return [{ id, session_id: row.session_id, tool_name: row.tool_name, position }];
  });
}

function reviewFacts({ tally, views }: Material): ReviewFacts {
  const ended = [...tally.reviews].flatMap(([id, position]) => {
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

function memoryFacts(tally: Tally, views: Views): MemoryFacts {
  const counts = memoryCounts(views);
  const closed = [...tally.closedFacts].map(([id, position]) => ({ id, position }));
  return {
    added: counted(tally, 'MemoryAdded', 'MemoryImported'),
    merged: counted(tally, 'MemoriesMerged'),
    reflections: counted(tally, 'ReflectionFormed'),
    faded: counted(tally, 'MemoryDecayed'),
    deleted: counted(tally, 'MemoryDeleted'),
    drawers: counted(tally, 'DrawerStored'),
    facts_added: counted(tally, 'FactAsserted'),
    facts_closed: closed.length,
    closed: listed(newestFirst(closed)),
    total_memories: counts.memories,
    total_facts: counts.facts,
  };
}

function indexFacts({ tally, observed }: Material): IndexFacts {
  const builds = counted(tally, 'IndexBuilt');
  const builds_failed = counted(tally, 'IndexBuildFailed');
  const failure = tally.indexFailure === null ? null : shortened(tally.indexFailure);
  return { ...observed.index, builds, builds_failed, failure };
}
