/**
 * What happened in a stretch of the log: a pure fold over its events, in order. Which things were touched, how often,
 * and the position of the event that each statement rests on. How the things stand now is asked of the views.
 */

import { type IndexBuildEvent, indexBuildEvents } from '../../events/code-index.ts';
import { decodeEvent } from '../../events/decode.ts';
import { type EngagementEvent, engagementEvents, type Phase } from '../../events/engagement/events.ts';
import { goalEvents } from '../../events/goal.ts';
import { factEvents } from '../../events/memory/facts.ts';
import { type RunEvent, runEvents } from '../../events/run/events.ts';
import { deliveryEvents } from '../../events/webhook.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

export interface RunEnd {
  readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
  readonly summary: string;
  readonly remaining: number;
  readonly at: number;
  readonly position: number;
}

export type GoalChange = 'created' | 'revised' | 'planned' | 'linked' | 'deleted';

export interface GoalTally {
  readonly changes: ReadonlySet<GoalChange>;
  readonly links: number;
  readonly position: number;
}

export interface EngagementTally {
  readonly moves: readonly {
    readonly kind: 'advanced' | 'forced' | 'set';
    readonly from: Phase;
    readonly to: Phase;
  }[];
  /** Gates that were judged, each once. */
  readonly gates: ReadonlySet<string>;
  readonly evidence_added: number;
  readonly evidence_removed: number;
  readonly deliverables: ReadonlySet<string>;
  readonly isRemoved: boolean;
  readonly position: number;
}

export interface Tally {
  /** The newest end of each run. */
  readonly runs: Map<string, RunEnd>;
  readonly goals: Map<string, GoalTally>;
  readonly engagements: Map<string, EngagementTally>;
  /** Reviews that ended, by delivery, with the position of the end. */
  readonly reviews: Map<string, number>;
  /** Approvals that were asked for, and those that nobody answered, with the position of that. */
  readonly asked: Map<string, number>;
  readonly expired: Map<string, number>;
  readonly answered: Set<string>;
  readonly closedFacts: Map<string, number>;
  readonly counts: Map<string, number>;
  indexFailure: string | null;
}

export function emptyTally(): Tally {
  return {
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

/** How often an event of one of these types was there. */
export function counted({ counts }: Tally, ...types: readonly string[]): number {
  return types.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0);
}

/** Folds one event in. A payload that is erased is counted and says nothing more. */
export function tallyEvent(tally: Tally, event: RecordedEvent): void {
  tally.counts.set(event.type, (tally.counts.get(event.type) ?? 0) + 1);
  const fold = FOLDS[event.type];
  if (fold === undefined) return;
  const decoded = decodeEvent(EVENTS, event);
  if (decoded.kind === 'event') fold(tally, decoded.event);
}

/** The events that are folded. */
const EVENTS = {
  ...runEvents,
  ...goalEvents,
  ...engagementEvents,
  ...deliveryEvents,
  ...factEvents,
  ...indexBuildEvents,
};

type Fold = (tally: Tally, event: RecordedEvent) => void;
type DataOf<Event extends { type: string }, Type> =
  Extract<Event, { type: Type }> extends { data: infer Of } ? Of : never;

const FOLDS: Readonly<Record<string, Fold>> = {
  RunResumed: (tally, event) => void tally.runs.delete(idOf(event)),
  RunCompleted: (tally, event) => {
    const { summary } = dataOf<RunEvent, 'RunCompleted'>(event);
    ended(tally, event, { status: 'complete', summary, remaining: 0 });
  },
  RunStopped: (tally, event) => {
    const { summary, remaining_plan } = dataOf<RunEvent, 'RunStopped'>(event);
    ended(tally, event, { status: 'partial', summary, remaining: remaining_plan.length });
  },
  RunFailed: (tally, event) => {
    const { message } = dataOf<RunEvent, 'RunFailed'>(event);
    ended(tally, event, { status: 'failed', summary: message, remaining: 0 });
  },
  RunCancelled: (tally, event) => {
    const { reason } = dataOf<RunEvent, 'RunCancelled'>(event);
    ended(tally, event, { status: 'cancelled', summary: reason, remaining: 0 });
  },
  ApprovalRequested: (tally, event) => {
    const { approval_id } = dataOf<RunEvent, 'ApprovalRequested'>(event);
    tally.asked.set(approval_id, event.position);
  },
  ApprovalAnswered: (tally, event) => {
    const { approval_id } = dataOf<RunEvent, 'ApprovalAnswered'>(event);
    tally.answered.add(approval_id);
  },
  ApprovalExpired: (tally, event) => {
    const { approval_id } = dataOf<RunEvent, 'ApprovalExpired'>(event);
    tally.expired.set(approval_id, event.position);
  },
  GoalCreated: (tally, event) => goalChanged(tally, event, 'created'),
  GoalRevised: (tally, event) => goalChanged(tally, event, 'revised'),
  GoalPlanned: (tally, event) => goalChanged(tally, event, 'planned'),
  GoalLinked: (tally, event) => goalChanged(tally, event, 'linked'),
  GoalDeleted: (tally, event) => goalChanged(tally, event, 'deleted'),
  EngagementOpened: (tally, event) => engagementChanged(tally, event, () => ({})),
  EngagementStatusChanged: (tally, event) => engagementChanged(tally, event, () => ({})),
  EngagementRemoved: (tally, event) => engagementChanged(tally, event, () => ({ isRemoved: true })),
  DeliverableStatusChanged: (tally, event) => {
    const { deliverable_id } = dataOf<EngagementEvent, 'DeliverableStatusChanged'>(event);
    engagementChanged(tally, event, ({ deliverables }) => ({
      deliverables: new Set([...deliverables, deliverable_id]),
    }));
  },
  EvidenceAttached: (tally, event) =>
    engagementChanged(tally, event, ({ evidence_added }) => ({ evidence_added: evidence_added + 1 })),
  EvidenceRemoved: (tally, event) =>
    engagementChanged(tally, event, ({ evidence_removed }) => ({ evidence_removed: evidence_removed + 1 })),
  GateJudged: (tally, event) => {
    const { gate_id } = dataOf<EngagementEvent, 'GateJudged'>(event);
    engagementChanged(tally, event, ({ gates }) => ({ gates: new Set([...gates, gate_id]) }));
  },
  PhaseAdvanced: (tally, event) => {
    const { from, to, forced } = dataOf<EngagementEvent, 'PhaseAdvanced'>(event);
    const kind = forced ? 'forced' : 'advanced';
    engagementChanged(tally, event, ({ moves }) => ({ moves: [...moves, { kind, from, to }] }));
  },
  PhaseSet: (tally, event) => {
    const { from, to } = dataOf<EngagementEvent, 'PhaseSet'>(event);
    engagementChanged(tally, event, ({ moves }) => ({ moves: [...moves, { kind: 'set', from, to }] }));
  },
  ReviewCompleted: (tally, event) => void tally.reviews.set(idOf(event), event.position),
  ReviewFailed: (tally, event) => void tally.reviews.set(idOf(event), event.position),
  FactClosed: (tally, event) => void tally.closedFacts.set((event.data as { id: string }).id, event.position),
  FactReopened: (tally, event) => void tally.closedFacts.delete((event.data as { id: string }).id),
  FactDeleted: (tally, event) => void tally.closedFacts.delete((event.data as { id: string }).id),
  IndexBuilt: (tally) => {
    tally.indexFailure = null;
  },
  IndexBuildFailed: (tally, event) => {
    tally.indexFailure = dataOf<IndexBuildEvent, 'IndexBuildFailed'>(event).message;
  },
};

function dataOf<Event extends { type: string }, Type extends Event['type']>(event: RecordedEvent) {
  return event.data as unknown as DataOf<Event, Type>;
}

function idOf({ stream }: RecordedEvent): string {
  return stream.slice(stream.indexOf('-') + 1);
}

function ended(tally: Tally, event: RecordedEvent, end: Pick<RunEnd, 'status' | 'summary' | 'remaining'>): void {
  tally.runs.set(idOf(event), { ...end, at: event.at, position: event.position });
}

function goalChanged({ goals }: Tally, event: RecordedEvent, change: GoalChange): void {
  const id = idOf(event);
  const before = goals.get(id);
  goals.set(id, {
    changes: new Set([...(before?.changes ?? []), change]),
    links: (before?.links ?? 0) + (change === 'linked' ? 1 : 0),
    position: event.position,
  });
}

const UNTOUCHED: EngagementTally = {
  moves: [],
  gates: new Set(),
  evidence_added: 0,
  evidence_removed: 0,
  deliverables: new Set(),
  isRemoved: false,
  position: 0,
};

function engagementChanged(
  { engagements }: Tally,
  event: RecordedEvent,
  change: (before: EngagementTally) => Partial<EngagementTally>,
): void {
  const before = engagements.get(idOf(event)) ?? UNTOUCHED;
  engagements.set(idOf(event), { ...before, ...change(before), position: event.position });
}
