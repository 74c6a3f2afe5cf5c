/**
 * The activity in a part of the log: a pure fold over its events, in order. It holds the changed things, the number of
 * changes, and the position of the event behind each statement. The present state of the things comes from the views.
 */
import type { GoalChange } from '../../events/briefing/facts.ts';
import type { IndexBuildEvent } from '../../events/code-index.ts';
import type { EngagementEvent } from '../../events/engagement/events.ts';
import type { PhaseMove } from '../../events/engagement/records.ts';
import type { GoalEvent } from '../../events/goal.ts';
import type { FactEvent } from '../../events/memory/facts.ts';
import type { RunEndStatus, RunEvent } from '../../events/run/events.ts';
import type { DeliveryEvent } from '../../events/webhook.ts';
import { idOf } from '../../projections/projection.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

export interface RunEnd {
  readonly status: RunEndStatus;
  readonly summary: string;
  readonly remaining: number;
  readonly at: number;
  readonly position: number;
}

export interface GoalActivity {
  readonly changes: ReadonlySet<GoalChange>;
  readonly links: number;
  readonly position: number;
}

export interface EngagementActivity {
  readonly moves: readonly Pick<PhaseMove, 'kind' | 'from' | 'to'>[];
  /** Ids of the judged gates. */
  readonly gates: ReadonlySet<string>;
  readonly evidence_added: number;
  readonly evidence_removed: number;
  readonly deliverables: ReadonlySet<string>;
  readonly position: number;
}

export interface Activity {
  /** How often each run was requested or taken up again. */
  readonly requested: Map<string, number>;
  /** The newest end of each run. */
  readonly runs: Map<string, RunEnd>;
  readonly goals: Map<string, GoalActivity>;
  readonly engagements: Map<string, EngagementActivity>;
  /** Position of the end of each review, by delivery. */
  readonly reviews: Map<string, number>;
  /** Position of the request, by approval. */
  readonly asked: Map<string, number>;
  /** Position of the expiry, by approval. */
  readonly expired: Map<string, number>;
  readonly answered: Set<string>;
  readonly closedFacts: Map<string, number>;
  readonly counts: Map<string, number>;
  indexFailure: string | null;
}

export function noActivity(): Activity {
  return {
    requested: new Map(),
    runs: new Map(),
    goals: new Map(),
    engagements: new Map(),
    reviews: new Map(),
    asked: new Map(),
    expired: new Map(),
    answered: new Set(),
    closedFacts: new Map(),
    counts: new Map(),
    indexFailure: null,
  };
}

/** The number of events of these types. */
export function countOf({ counts }: Activity, ...types: readonly string[]): number {
  return types.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0);
}

/** Folds one event. An event with an erased payload is only counted by its type. */
export function foldActivity(activity: Activity, event: RecordedEvent): void {
  activity.counts.set(event.type, (activity.counts.get(event.type) ?? 0) + 1);
  if (event.erased === true) return;
  (FOLDS as Folds)[event.type]?.(activity, event);
}

type Folded = RunEvent | GoalEvent | EngagementEvent | DeliveryEvent | FactEvent | IndexBuildEvent;
type Of<Type> = Omit<RecordedEvent, 'data'> & Pick<Extract<Folded, { type: Type }>, 'data'>;
type Folds = Readonly<Record<string, ((activity: Activity, event: RecordedEvent) => void) | undefined>>;

const FOLDS: { readonly [Type in Folded['type']]?: (activity: Activity, event: Of<Type>) => void } = {
  RunRequested: (activity, event) => requested(activity, event),
  RunResumed: (activity, event) => {
    requested(activity, event);
    activity.runs.delete(idOf(event.stream));
  },
  RunCompleted: (activity, event) =>
    ended(activity, event, { status: 'complete', summary: event.data.summary, remaining: 0 }),
  RunStopped: (activity, event) => {
    const { summary, remaining_plan } = event.data;
    ended(activity, event, { status: 'partial', summary, remaining: remaining_plan.length });
  },
  RunFailed: (activity, event) =>
    ended(activity, event, { status: 'failed', summary: event.data.message, remaining: 0 }),
  RunCancelled: (activity, event) =>
    ended(activity, event, { status: 'cancelled', summary: event.data.reason, remaining: 0 }),
  ApprovalRequested: (activity, event) => void activity.asked.set(event.data.approval_id, event.position),
  ApprovalAnswered: (activity, event) => void activity.answered.add(event.data.approval_id),
  ApprovalExpired: (activity, event) => void activity.expired.set(event.data.approval_id, event.position),
  GoalCreated: (activity, event) => goalChanged(activity, event, 'created'),
  GoalRevised: (activity, event) => {
    const { status, ...others } = event.data.changes;
    // A changed status is in the facts themselves.
    goalChanged(activity, event, status !== undefined && Object.keys(others).length === 0 ? null : 'revised');
  },
  GoalPlanned: (activity, event) => goalChanged(activity, event, 'planned'),
  GoalLinked: (activity, event) => goalChanged(activity, event, 'linked'),
  GoalDeleted: (activity, event) => goalChanged(activity, event, 'deleted'),
  EngagementOpened: (activity, event) => engagementChanged(activity, event, () => ({})),
  EngagementStatusChanged: (activity, event) => engagementChanged(activity, event, () => ({})),
  EngagementRemoved: (activity, event) => engagementChanged(activity, event, () => ({})),
  DeliverableStatusChanged: (activity, event) =>
    engagementChanged(activity, event, ({ deliverables }) => ({
      deliverables: new Set([...deliverables, event.data.deliverable_id]),
    })),
  EvidenceAttached: (activity, event) =>
    engagementChanged(activity, event, ({ evidence_added }) => ({ evidence_added: evidence_added + 1 })),
  EvidenceRemoved: (activity, event) =>
    engagementChanged(activity, event, ({ evidence_removed }) => ({ evidence_removed: evidence_removed + 1 })),
  GateJudged: (activity, event) =>
    engagementChanged(activity, event, ({ gates }) => ({ gates: new Set([...gates, event.data.gate_id]) })),
  PhaseAdvanced: (activity, event) => {
    const { from, to, forced } = event.data;
    const kind = forced ? 'forced' : 'advanced';
    engagementChanged(activity, event, ({ moves }) => ({ moves: [...moves, { kind, from, to }] }));
  },
  PhaseSet: (activity, event) => {
    const { from, to } = event.data;
    engagementChanged(activity, event, ({ moves }) => ({ moves: [...moves, { kind: 'set', from, to }] }));
  },
  ReviewCompleted: (activity, event) => void activity.reviews.set(idOf(event.stream), event.position),
  ReviewFailed: (activity, event) => void activity.reviews.set(idOf(event.stream), event.position),
  FactClosed: (activity, event) => void activity.closedFacts.set(event.data.id, event.position),
  FactReopened: (activity, event) => void activity.closedFacts.delete(event.data.id),
  FactDeleted: (activity, event) => void activity.closedFacts.delete(event.data.id),
  IndexBuilt: (activity) => {
    activity.indexFailure = null;
  },
  IndexBuildFailed: (activity, event) => {
    activity.indexFailure = event.data.message;
  },
};

type Seen = Pick<RecordedEvent, 'stream' | 'position' | 'at'>;

function requested({ requested: counts }: Activity, { stream }: Seen): void {
  const id = idOf(stream);
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

function ended(activity: Activity, event: Seen, end: Pick<RunEnd, 'status' | 'summary' | 'remaining'>): void {
  activity.runs.set(idOf(event.stream), { ...end, at: event.at, position: event.position });
}

function goalChanged({ goals }: Activity, event: Seen, change: GoalChange | null): void {
  const id = idOf(event.stream);
  const before = goals.get(id);
  goals.set(id, {
    changes: new Set([...(before?.changes ?? []), ...(change === null ? [] : [change])]),
    links: (before?.links ?? 0) + (change === 'linked' ? 1 : 0),
    position: event.position,
  });
}

const UNTOUCHED: EngagementActivity = {
  moves: [],
  gates: new Set(),
  evidence_added: 0,
  evidence_removed: 0,
  deliverables: new Set(),
  position: 0,
};

function engagementChanged(
  { engagements }: Activity,
  event: Seen,
  change: (before: EngagementActivity) => Partial<EngagementActivity>,
): void {
  const before = engagements.get(idOf(event.stream)) ?? UNTOUCHED;
  engagements.set(idOf(event.stream), { ...before, ...change(before), position: event.position });
}
