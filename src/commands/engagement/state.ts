/**
 * The state of one engagement that its rules need, folded from its stream.
 *
 * - A state is immutable: an event about one deliverable copies the list of deliverables and that entry.
 *   They are lists because copying a list costs a fraction of copying a map, and an event needs one lookup.
 */
import type { EngagementEvent } from '../../events/engagement/events.ts';
import type { Deliverable, Engagement, Evidence, Gate } from '../../events/engagement/records.ts';

export type EvidenceEntry = Pick<Evidence, 'id' | 'reference' | 'file_path'>;

type DeliverableEntry = Omit<Deliverable, 'engagement_id' | 'evidence_count' | 'created_at' | 'updated_at'> & {
  readonly evidence: readonly EvidenceEntry[];
};

type GateEntry = Pick<Gate, 'id' | 'phase' | 'title' | 'verdict' | 'observed' | 'rationale'> & {
  /** Number so far. */
  readonly judgements: number;
};

export interface EngagementState extends Pick<Engagement, 'status' | 'current_phase'> {
  readonly presence: 'absent' | 'open' | 'removed';
  readonly deliverables: readonly DeliverableEntry[];
  readonly gates: readonly GateEntry[];
  /** Number so far. */
  readonly moves: number;
  readonly removedGates: number;
}

export const initialEngagement: EngagementState = {
  presence: 'absent',
  status: 'draft',
  current_phase: 'discover',
  deliverables: [],
  gates: [],
  moves: 0,
  removedGates: 0,
};

export function evolveEngagement(state: EngagementState, event: EngagementEvent): EngagementState {
  switch (event.type) {
    case 'EngagementOpened':
      return { ...initialEngagement, presence: 'open' };
    case 'EngagementStatusChanged':
      return { ...state, status: event.data.to };
    case 'PhaseAdvanced':
    case 'PhaseSet':
      return { ...state, current_phase: event.data.to, moves: state.moves + 1 };
    case 'EngagementRemoved':
      return { ...initialEngagement, presence: 'removed' };
    case 'GateAdded': {
      const { gate_id: id, phase, title } = event.data;
      const unjudged = { verdict: 'not_measured' as const, observed: null, rationale: '', judgements: 0 };
      return { ...state, gates: [...state.gates, { id, phase, title, ...unjudged }] };
    }
    case 'GateJudged': {
      const { gate_id, verdict, observed, rationale } = event.data;
      const judge = (gate: GateEntry): GateEntry => {
        return { ...gate, verdict, observed, rationale, judgements: gate.judgements + 1 };
      };
      return { ...state, gates: changed(state.gates, gate_id, judge) };
    }
    case 'GateRemoved': {
      const gates = state.gates.filter(({ id }) => id !== event.data.gate_id);
      return { ...state, gates, removedGates: state.removedGates + 1 };
    }
    case 'EvidenceAttached':
    case 'EvidenceRemoved':
      return { ...state, deliverables: evolveEvidence(state.deliverables, event) };
    case 'DeliverableAdded':
    case 'DeliverableRevised':
    case 'DeliverableStatusChanged':
    case 'DeliverableAssigned':
    case 'DeliverableNoted':
      return { ...state, deliverables: evolveDeliverables(state.deliverables, event) };
  }
}

type Of<Type extends EngagementEvent['type']> = Extract<EngagementEvent, { type: Type }>;

/** Ignores an unknown entry: the event that added it is erased. */
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
    return [...deliverables, { id, phase, key, title, description, tool_hint, ...fresh }];
  }
  return changed(deliverables, id, (entry) => ({ ...entry, ...changeOf(event) }));
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

function evolveEvidence(
  deliverables: readonly DeliverableEntry[],
  event: Of<'EvidenceAttached' | 'EvidenceRemoved'>,
): readonly DeliverableEntry[] {
  const { evidence_id: id, deliverable_id } = event.data;
  return changed(deliverables, deliverable_id, (entry) => ({
    ...entry,
    evidence:
      event.type === 'EvidenceAttached'
        ? [...entry.evidence, { id, reference: event.data.reference, file_path: event.data.file?.path ?? null }]
        : entry.evidence.filter((item) => item.id !== id),
  }));
}
