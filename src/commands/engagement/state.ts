/**
 * The state of one engagement, folded from its stream: the facts that rules and answers need.
 *
 * - Folding a prefix of the stream gives the engagement at that moment; time travel uses this.
 * - A state is never changed: an event that touches one deliverable copies the list of deliverables and that entry.
 *   They are lists because copying a list costs a fraction of copying a map, and an event needs one lookup.
 */
import type { EngagementEvent } from '../../events/engagement/events.ts';
import type {
  Deliverable,
  Engagement,
  EngagementDocument,
  Evidence,
  Gate,
  PhaseMove,
  RemovedGate,
} from '../../events/engagement/records.ts';
import type { Occurrence } from '../decider.ts';

export interface DeliverableEntry extends Omit<Deliverable, 'engagement_id' | 'evidence_count'> {
  readonly evidence: readonly Evidence[];
}

export type GateEntry = Omit<Gate, 'engagement_id'>;

export interface EngagementState {
  readonly presence: 'absent' | 'open' | 'removed';
  /** Everything but the id, which is the stream's. */
  readonly facts: Omit<Engagement, 'id'>;
  readonly deliverables: readonly DeliverableEntry[];
  readonly gates: readonly GateEntry[];
  readonly moves: readonly PhaseMove[];
  readonly removedGates: readonly RemovedGate[];
  /** Evidence items of all deliverables together. */
  readonly evidenceCount: number;
}

export const initialEngagement: EngagementState = {
  presence: 'absent',
  facts: {
    name: '',
    client: '',
    summary: '',
    workspace_path: null,
    status: 'draft',
    current_phase: 'discover',
    created_at: 0,
    updated_at: 0,
  },
  deliverables: [],
  gates: [],
  moves: [],
  removedGates: [],
  evidenceCount: 0,
};

/** The engagement as its readers get it. */
export function documentOf(id: string, state: EngagementState): EngagementDocument {
  return {
    engagement: engagementOf(id, state),
    deliverables: state.deliverables.map((entry) => deliverableOf(id, entry)),
    evidence: state.deliverables.flatMap(({ evidence }) => evidence.toSorted((a, b) => a.captured_at - b.captured_at)),
    gates: state.gates.map((gate) => ({ ...gate, engagement_id: id })),
    moves: state.moves,
    removedGates: state.removedGates,
  };
}

export function engagementOf(id: string, { facts }: EngagementState): Engagement {
  return { id, ...facts };
}

export function deliverableOf(engagement_id: string, { evidence, ...entry }: DeliverableEntry): Deliverable {
  return { ...entry, engagement_id, evidence_count: evidence.length };
}

export function evolveEngagement(state: EngagementState, event: EngagementEvent & Occurrence): EngagementState {
  const next = evolve(state, event);
  return next === state ? state : { ...next, facts: { ...next.facts, updated_at: event.at } };
}

function evolve(state: EngagementState, event: EngagementEvent & Occurrence): EngagementState {
  switch (event.type) {
    case 'EngagementOpened': {
      const { name, client, summary, workspace_path } = event.data;
      const facts = { ...initialEngagement.facts, name, client, summary, workspace_path, created_at: event.at };
      return { ...initialEngagement, presence: 'open', facts };
    }
    case 'EngagementStatusChanged':
      return { ...state, facts: { ...state.facts, status: event.data.to } };
    case 'PhaseAdvanced':
      return moved(state, event, event.data.forced ? 'forced' : 'advanced');
    case 'PhaseSet':
      return moved(state, event, 'set');
    case 'EngagementRemoved':
      return { ...initialEngagement, presence: 'removed' };
    case 'GateAdded':
    case 'GateJudged':
      return { ...state, gates: evolveGates(state.gates, event) };
    case 'GateRemoved': {
      const { gate_id: id, phase, title, verdict, reason } = event.data;
      const removed = { id, phase, title, verdict, by: event.actor, reason, at: event.at };
      const removedGates = [...state.removedGates, removed];
      return { ...state, gates: state.gates.filter((gate) => gate.id !== id), removedGates };
    }
    case 'EvidenceAttached':
    case 'EvidenceRemoved':
      return evolveEvidence(state, event);
    case 'DeliverableAdded':
    case 'DeliverableRevised':
    case 'DeliverableStatusChanged':
    case 'DeliverableAssigned':
    case 'DeliverableNoted':
      return { ...state, deliverables: evolveDeliverables(state.deliverables, event) };
  }
}

type Of<Type extends EngagementEvent['type']> = Extract<EngagementEvent, { type: Type }> & Occurrence;

function moved(
  state: EngagementState,
  event: Of<'PhaseAdvanced' | 'PhaseSet'>,
  kind: PhaseMove['kind'],
): EngagementState {
  const { move_id: id, from, to, blockers, reason } = event.data;
  const by = event.actor;
  const move: PhaseMove = { id, kind, from, to, blockers: [...blockers], by, reason, at: event.at };
  return { ...state, facts: { ...state.facts, current_phase: to }, moves: [...state.moves, move] };
}

function evolveGates(gates: readonly GateEntry[], event: Of<'GateAdded' | 'GateJudged'>): readonly GateEntry[] {
  const id = event.data.gate_id;
  switch (event.type) {
    case 'GateAdded': {
      const { phase, title, criterion, measurement } = event.data;
      const unjudged = {
        observed: null,
        verdict: 'not_measured' as const,
        rationale: '',
        decided_by: null,
        decided_at: null,
        judgements: [],
      };
      const times = { created_at: event.at, updated_at: event.at };
      return [...gates, { id, phase, title, criterion, measurement, ...unjudged, ...times }];
    }
    case 'GateJudged': {
      const { verdict, observed, rationale, decided_by } = event.data;
      const judgement = { verdict, observed, rationale, decided_by, recorded_by: event.actor, at: event.at };
      const decided_at = verdict === 'not_measured' ? null : event.at;
      return changed(gates, id, (gate) => ({
        ...gate,
        ...{ verdict, observed, rationale, decided_by, decided_at, updated_at: event.at },
        judgements: [...gate.judgements, judgement],
      }));
    }
  }
}

/** An entry that is not there stays away: no event of a valid stream names one. */
function changed<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  id: string,
  change: (entry: Entry) => Entry,
): readonly Entry[] {
  return entries.map((entry) => (entry.id === id ? change(entry) : entry));
}

function evolveDeliverables(
  deliverables: readonly DeliverableEntry[],
  event: Of<
    'DeliverableAdded' | 'DeliverableRevised' | 'DeliverableStatusChanged' | 'DeliverableAssigned' | 'DeliverableNoted'
  >,
): readonly DeliverableEntry[] {
  const id = event.data.deliverable_id;
  if (event.type === 'DeliverableAdded') {
    const { phase, key, title, description, tool_hint } = event.data;
    const fresh = { status: 'not_started' as const, owner: null, notes: '', evidence: [] };
    const times = { created_at: event.at, updated_at: event.at };
    return [...deliverables, { id, phase, key, title, description, tool_hint, ...fresh, ...times }];
  }
  return changed(deliverables, id, (entry) => ({ ...entry, ...changeOf(event), updated_at: event.at }));
}

function changeOf(
  event: Of<'DeliverableRevised' | 'DeliverableStatusChanged' | 'DeliverableAssigned' | 'DeliverableNoted'>,
): Partial<DeliverableEntry> {
  switch (event.type) {
    case 'DeliverableRevised': {
      const { title, description, tool_hint } = event.data;
      return { title, description, tool_hint };
    }
    case 'DeliverableStatusChanged':
      return { status: event.data.to };
    case 'DeliverableAssigned':
      return { owner: event.data.owner };
    case 'DeliverableNoted':
      return { notes: event.data.notes };
  }
}

function evolveEvidence(state: EngagementState, event: Of<'EvidenceAttached' | 'EvidenceRemoved'>): EngagementState {
  const deliverables = changed(state.deliverables, event.data.deliverable_id, (entry) => ({
    ...entry,
    updated_at: event.at,
    evidence:
      event.type === 'EvidenceAttached'
        ? [...entry.evidence, evidenceOf(event)]
        : entry.evidence.filter((item) => item.id !== event.data.evidence_id),
  }));
  const step = event.type === 'EvidenceAttached' ? 1 : -1;
  return { ...state, deliverables, evidenceCount: state.evidenceCount + step };
}

function evidenceOf({ data, at }: Of<'EvidenceAttached'>): Evidence {
  const { evidence_id: id, deliverable_id, kind, label, reference, file } = data;
  return {
    id,
    deliverable_id,
    kind,
    label,
    reference,
    captured_at: at,
    file_path: file?.path ?? null,
    size_bytes: file?.size_bytes ?? null,
    sha256: file?.sha256 ?? null,
  };
}
