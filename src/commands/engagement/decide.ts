/**
 * The rules of engagements.
 *
 * - A verdict `pass` needs an observation. Every other verdict is accepted: a person judges a gate, not a rule.
 * - A phase without blockers can be left; a phase with blockers only by force, and the event records the blockers.
 * - Seeding adds the rows of the template that the engagement lacks, and changes no existing row.
 * - Files that a scan found become evidence once per deliverable, whatever the reference; no status changes.
 */
import {
  type Blocker,
  type EngagementEvent,
  engagementEvents,
  PHASES,
  type Phase,
} from '../../events/engagement/events.ts';
import { isBlank } from '../blank.ts';
import type { Decider, Decision } from '../decider.ts';
import { Refusal, sanitiseEcho } from '../refusal.ts';
import type {
  AddDeliverable,
  AddGate,
  AdvancePhase,
  AttachEvidence,
  ChangeDeliverable,
  ChangeEngagement,
  EngagementCommand,
  JudgeGate,
  OpenEngagement,
  Reasoned,
} from './commands.ts';
import { phaseAfter, phaseFacts } from './phases.ts';
import { phaseReadiness } from './readiness.ts';
import { type EngagementState, type EvidenceEntry, evolveEngagement, initialEngagement } from './state.ts';
import { DELIVERABLE_TEMPLATES } from './template-deliverables.ts';
import { GATE_TEMPLATES } from './template-gates.ts';

const DELIVERABLES_MAX = 2_000;
export const GATES_MAX = 2_000;
export const REMOVED_GATES_MAX = 2_000;
export const EVIDENCE_ITEMS_MAX = 20_000;
export const JUDGEMENTS_PER_GATE_MAX = 1_000;
export const PHASE_MOVES_MAX = 1_000;

type Decided = Decision<EngagementEvent>;

export const engagement: Decider<EngagementCommand, EngagementState, EngagementEvent> = {
  category: 'engagement',
  events: engagementEvents,
  initial: initialEngagement,
  evolve: evolveEngagement,
  decide(command, state, { id }) {
    if (command.type === 'OpenEngagement') return open(command, state);
    if (state.presence !== 'open') return noSuch('Engagement', id);
    switch (command.type) {
      case 'SeedEngagement':
        return missingRows(state, command.ids, because(command, 'Added from the template.'));
      case 'ChangeEngagement':
        return changeEngagement(command, state);
      case 'RemoveEngagement':
        return [{ type: 'EngagementRemoved', data: { reason: because(command, 'Removed on request.') } }];
      case 'AddDeliverable':
        return addDeliverable(command, state);
      case 'ChangeDeliverable':
        return changeDeliverable(command, state);
      case 'AttachEvidence':
        return attachEvidence(command, state);
      case 'AttachFound':
        return attachFound(command, state);
      case 'RemoveEvidence':
        return removeEvidence(command, state);
      case 'AddGate':
        return addGate(command, state);
      case 'JudgeGate':
        return judge(command, state);
      case 'RemoveGate':
        return removeGate(command, state);
      case 'AdvancePhase':
        return advance(command, state);
    }
  },
};

function blockersOf({ deliverables, gates }: EngagementState, phase: Phase): Blocker[] {
  const counted = deliverables.map((entry) => ({ ...entry, evidence_count: entry.evidence.length }));
  return [...phaseReadiness({ deliverables: counted, gates }, phase).blockers];
}

function because({ reason }: Reasoned, fallback: string): string {
  return isBlank(reason) ? fallback : reason.trim();
}

function open(command: OpenEngagement, state: EngagementState): Decided {
  if (state.presence !== 'absent') return new Refusal('conflict', 'An engagement with this id exists already.');
  const { name, client, summary, workspace_path } = command;
  if (isBlank(name)) return new Refusal('invalid', 'name must not be blank.');
  const facts = { name: name.trim(), client: client.trim(), summary: summary.trim(), workspace_path };
  const reason = because(command, 'Opened on request.');
  const opened: EngagementEvent = { type: 'EngagementOpened', data: { ...facts, reason } };
  return [opened, ...missingRows(state, command.ids, 'Seeded from the template at opening.')];
}

/** Template rows that the engagement lacks: deliverables by key, gates by phase and title. */
function missingRows(state: EngagementState, ids: readonly string[], reason: string): readonly EngagementEvent[] {
  const keys = new Set(state.deliverables.map(({ key }) => key));
  const gates = new Set(state.gates.map(({ phase, title }) => `${phase}\n${title}`));
  const unused = ids.values();
  const nextId = (): string => unused.next().value!;
  const origin = 'template' as const;
  return [
    ...DELIVERABLE_TEMPLATES.filter(({ key }) => !keys.has(key)).map(
      (row): EngagementEvent => ({
        type: 'DeliverableAdded',
        data: { deliverable_id: nextId(), origin, ...row, reason },
      }),
    ),
    ...GATE_TEMPLATES.filter(({ phase, title }) => !gates.has(`${phase}\n${title}`)).map(
      (row): EngagementEvent => ({ type: 'GateAdded', data: { gate_id: nextId(), origin, ...row, reason } }),
    ),
  ];
}

function changeEngagement(command: ChangeEngagement, state: EngagementState): Decided {
  const { status, current_phase } = state;
  const events: EngagementEvent[] = [];
  if (command.status !== undefined && command.status !== status) {
    const reason = because(command, `Status set to ${command.status} on request.`);
    events.push({ type: 'EngagementStatusChanged', data: { from: status, to: command.status, reason } });
  }
  if (command.phase === undefined || command.phase === current_phase) return events;
  if (state.moves >= PHASE_MOVES_MAX) return tooMany('phase changes', PHASE_MOVES_MAX);
  const { phase: to, move_id } = command;
  const forward = PHASES.indexOf(to) > PHASES.indexOf(current_phase);
  const blockers = forward ? blockersOf(state, current_phase) : [];
  const reason = because(command, `Phase set to ${to} on request.`);
  events.push({ type: 'PhaseSet', data: { move_id, from: current_phase, to, blockers, reason } });
  return events;
}

function addDeliverable(command: AddDeliverable, state: EngagementState): Decided {
  const key = command.key.trim();
  const title = command.title.trim();
  if (isBlank(key)) return new Refusal('invalid', 'key must not be blank.');
  if (isBlank(title)) return new Refusal('invalid', 'title must not be blank.');
  const existing = state.deliverables.find((entry) => entry.key === key);
  if (existing !== undefined) {
    const description = command.description ?? existing.description;
    const tool_hint = command.tool_hint === undefined ? existing.tool_hint : command.tool_hint;
    const same = title === existing.title && description === existing.description && tool_hint === existing.tool_hint;
    if (same) return [];
    const reason = because(command, 'Revised on request.');
    return [
      { type: 'DeliverableRevised', data: { deliverable_id: existing.id, title, description, tool_hint, reason } },
    ];
  }
  if (state.deliverables.length >= DELIVERABLES_MAX) return tooMany('deliverables', DELIVERABLES_MAX);
  const { deliverable_id, phase, description = '', tool_hint = null } = command;
  const reason = because(command, 'Added on request.');
  const data = { deliverable_id, origin: 'added' as const, phase, key, title, description, tool_hint, reason };
  return [{ type: 'DeliverableAdded', data }];
}

function changeDeliverable(command: ChangeDeliverable, state: EngagementState): Decided {
  const { deliverable_id, status, owner, notes } = command;
  const entry = state.deliverables.find(({ id }) => id === deliverable_id);
  if (entry === undefined) return noSuch('Deliverable', deliverable_id);
  const events: EngagementEvent[] = [];
  if (status !== undefined && status !== entry.status) {
    const reason = because(command, `Status set to ${status} on request.`);
    events.push({ type: 'DeliverableStatusChanged', data: { deliverable_id, from: entry.status, to: status, reason } });
  }
  if (owner !== undefined && owner !== entry.owner) {
    const reason = because(command, owner === null ? 'Owner cleared on request.' : 'Owner set on request.');
    events.push({ type: 'DeliverableAssigned', data: { deliverable_id, owner, reason } });
  }
  if (notes !== undefined && notes !== entry.notes) {
    const reason = because(command, 'Notes written on request.');
    events.push({ type: 'DeliverableNoted', data: { deliverable_id, notes, reason } });
  }
  return events;
}

function attachEvidence(command: AttachEvidence, state: EngagementState): Decided {
  const { evidence_id, deliverable_id, kind, label, reference, file } = command;
  if (!state.deliverables.some(({ id }) => id === deliverable_id)) return noSuch('Deliverable', deliverable_id);
  if (evidenceCount(state) >= EVIDENCE_ITEMS_MAX) return tooMany('evidence items', EVIDENCE_ITEMS_MAX);
  const reason = because(command, 'Attached on request.');
  return [{ type: 'EvidenceAttached', data: { evidence_id, deliverable_id, kind, label, reference, file, reason } }];
}

function attachFound(command: Extract<EngagementCommand, { type: 'AttachFound' }>, state: EngagementState): Decided {
  const byKey = new Map(state.deliverables.map((entry) => [entry.key, entry]));
  const attached = new Set<string>();
  const events: EngagementEvent[] = [];
  for (const { evidence_id, deliverable_key, label, reference, file } of command.found) {
    const entry = byKey.get(deliverable_key);
    const once = `${deliverable_key}\n${reference}`;
    if (entry === undefined || attached.has(once)) continue;
    const isSame = (item: EvidenceEntry): boolean =>
      item.reference === reference || (file !== null && item.file_path === file.path);
    if (entry.evidence.some(isSame)) continue;
    attached.add(once);
    const reason = because(command, 'Attached from a scan of the workspace; a proposal, not a finding.');
    const data = { evidence_id, deliverable_id: entry.id, kind: 'file' as const, label, reference, file, reason };
    events.push({ type: 'EvidenceAttached', data });
  }
  if (evidenceCount(state) + events.length > EVIDENCE_ITEMS_MAX) return tooMany('evidence items', EVIDENCE_ITEMS_MAX);
  return events;
}

/** Evidence items of all deliverables together. */
function evidenceCount({ deliverables }: EngagementState): number {
  return deliverables.reduce((sum, { evidence }) => sum + evidence.length, 0);
}

function removeEvidence(
  command: Extract<EngagementCommand, { type: 'RemoveEvidence' }>,
  state: EngagementState,
): Decided {
  const { evidence_id } = command;
  const entry = state.deliverables.find(({ evidence }) => evidence.some(({ id }) => id === evidence_id));
  if (entry === undefined) return noSuch('Evidence', evidence_id);
  const reason = because(command, 'Removed on request.');
  return [{ type: 'EvidenceRemoved', data: { evidence_id, deliverable_id: entry.id, reason } }];
}

function addGate(command: AddGate, state: EngagementState): Decided {
  const { gate_id, phase, criterion } = command;
  const title = command.title.trim();
  const measurement = command.measurement.trim();
  if (isBlank(title)) return new Refusal('invalid', 'title must not be blank.');
  if (isBlank(measurement)) {
    return new Refusal('invalid', 'measurement must not be blank: a gate needs a procedure by which it is judged.');
  }
  if (state.gates.length >= GATES_MAX) return tooMany('gates', GATES_MAX);
  const reason = because(command, 'Added on request.');
  const data = { gate_id, origin: 'added' as const, phase, title, criterion, measurement, reason };
  return [{ type: 'GateAdded', data }];
}

/** A repeated verdict is recorded as another judgement. `not_measured` for a gate without a verdict changes nothing. */
function judge(command: JudgeGate, state: EngagementState): Decided {
  const { gate_id, verdict, rationale } = command;
  const gate = state.gates.find(({ id }) => id === gate_id);
  if (gate === undefined) return noSuch('Gate', gate_id);
  const observed = command.observed === null || isBlank(command.observed) ? null : command.observed;
  if (verdict === 'pass' && observed === null) {
    return new Refusal('invalid', 'observed must say what was observed: a gate cannot pass with nothing observed.');
  }
  const decided_by = verdict === 'not_measured' || isBlank(command.decided_by ?? '') ? null : command.decided_by;
  const isStillUnjudged = verdict === 'not_measured' && gate.verdict === 'not_measured';
  if (isStillUnjudged && observed === gate.observed && rationale === gate.rationale) return [];
  if (gate.judgements >= JUDGEMENTS_PER_GATE_MAX) return tooMany('judgements of a gate', JUDGEMENTS_PER_GATE_MAX);
  const reason = because(command, isBlank(rationale) ? `Judged ${verdict} on request.` : rationale.trim());
  const data = { gate_id, from: gate.verdict, verdict, observed, rationale, decided_by, reason };
  return [{ type: 'GateJudged', data }];
}

function removeGate(command: Extract<EngagementCommand, { type: 'RemoveGate' }>, state: EngagementState): Decided {
  const { gate_id } = command;
  const gate = state.gates.find(({ id }) => id === gate_id);
  if (gate === undefined) return noSuch('Gate', gate_id);
  if (state.removedGates >= REMOVED_GATES_MAX) return tooMany('removed gates', REMOVED_GATES_MAX);
  const { phase, title, verdict } = gate;
  const reason = because(command, 'Removed on request.');
  return [{ type: 'GateRemoved', data: { gate_id, phase, title, verdict, reason } }];
}

/** Decides no event when the phase cannot be left. This is not an error; the outcome has the blockers. */
function advance(command: AdvancePhase, state: EngagementState): Decided {
  const from = state.current_phase;
  const to = phaseAfter(from);
  const blockers = blockersOf(state, from);
  if (to === null || (blockers.length > 0 && !command.force)) return [];
  if (state.moves >= PHASE_MOVES_MAX) return tooMany('phase changes', PHASE_MOVES_MAX);
  const forced = blockers.length > 0;
  const words = forced ? 'Forced on request, without a reason given.' : `${phaseFacts(from).title} was complete.`;
  const { move_id } = command;
  return [{ type: 'PhaseAdvanced', data: { move_id, from, to, forced, blockers, reason: because(command, words) } }];
}

export function noSuch(kind: 'Engagement' | 'Deliverable' | 'Evidence' | 'Gate', id: string): Refusal {
  return new Refusal('not_found', `${kind} '${sanitiseEcho(id)}' not found`);
}

function tooMany(what: string, max: number): Refusal {
  return new Refusal('invalid', `An engagement holds at most ${max} ${what}.`);
}
