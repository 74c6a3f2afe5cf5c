/** Commands of engagements. */
import fc from 'fast-check';
import { engagement } from '../../commands/engagement/decide.ts';
import type { EngagementState } from '../../commands/engagement/state.ts';
import {
  zDeliverableStatus,
  zEngagementStatus,
  zEvidenceKind,
  zPhase,
  zVerdict,
} from '../../events/engagement/events.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { anywhere, type CommandSource, command, few, fresh, only, times, type Wish } from './parts.ts';

const phase = arbitraryOf(zPhase);
const reasoned = { reason: smallText };
/** Indexes into the lists of an engagement, which `inEngagement` replaces by ids. */
const named = { deliverable_id: fc.constantFrom('0', '1'), gate_id: fc.constantFrom('0', '1') };
const template = fc.array(fresh, { minLength: 60, maxLength: 60 });

export const engagementCommands = {
  engagement: {
    decider: engagement,
    ids: few('e'),
    fitted: inEngagement,
    weight: 4,
    command: fc.oneof(
      times(3, 'OpenEngagement', {
        name: smallText,
        client: smallText,
        summary: smallText,
        workspace_path: anywhere,
        ids: template,
        ...reasoned,
      }),
      command('SeedEngagement', { ids: template, ...reasoned }),
      command('ChangeEngagement', { move_id: fresh, ...reasoned }, { status: arbitraryOf(zEngagementStatus), phase }),
      times(
        3,
        'AddDeliverable',
        { deliverable_id: fresh, phase, key: smallText, title: smallText, ...reasoned },
        { description: smallText, tool_hint: anywhere },
      ),
      times(
        3,
        'ChangeDeliverable',
        { deliverable_id: named.deliverable_id, ...reasoned },
        { status: arbitraryOf(zDeliverableStatus), owner: anywhere, notes: smallText },
      ),
      times(3, 'AttachEvidence', {
        evidence_id: fresh,
        deliverable_id: named.deliverable_id,
        kind: arbitraryOf(zEvidenceKind),
        label: smallText,
        reference: smallText,
        file: fc.constant(null),
        ...reasoned,
      }),
      command('AttachFound', {
        found: fc.array(
          fc.record({
            evidence_id: fresh,
            deliverable_key: smallText,
            label: smallText,
            reference: smallText,
            file: fc.constant(null),
          }),
          { maxLength: 2 },
        ),
        ...reasoned,
      }),
      command('RemoveEvidence', { evidence_id: only('0'), ...reasoned }),
      times(2, 'AddGate', {
        gate_id: fresh,
        phase,
        title: smallText,
        criterion: smallText,
        measurement: smallText,
        ...reasoned,
      }),
      times(3, 'JudgeGate', {
        gate_id: named.gate_id,
        verdict: arbitraryOf(zVerdict),
        observed: anywhere,
        rationale: smallText,
        decided_by: anywhere,
        ...reasoned,
      }),
      command('RemoveGate', { gate_id: named.gate_id, ...reasoned }),
      times(2, 'AdvancePhase', { move_id: fresh, force: fc.boolean(), ...reasoned }),
      command('RemoveEngagement', reasoned),
    ),
  },
} satisfies Readonly<Record<string, CommandSource>>;

type Named = Wish & {
  readonly deliverable_id?: string;
  readonly gate_id?: string;
  readonly found?: readonly object[];
};

/** Replaces indexes into the lists of an engagement by the ids at these indexes. */
function inEngagement(command: Named, { deliverables, gates }: EngagementState): Wish {
  const { type, deliverable_id = '', gate_id = '' } = command;
  if (type === 'ChangeDeliverable' || type === 'AttachEvidence')
    return { ...command, deliverable_id: deliverables[Number(deliverable_id)]?.id ?? 'none' } as Wish;
  if (type === 'JudgeGate' || type === 'RemoveGate')
    return { ...command, gate_id: gates[Number(gate_id)]?.id ?? 'none' } as Wish;
  if (type === 'AttachFound') {
    const deliverable_key = deliverables[0]?.key ?? 'none';
    return { ...command, found: (command.found ?? []).map((each) => ({ ...each, deliverable_key })) } as Wish;
  }
  if (type !== 'RemoveEvidence') return command;
  return { ...command, evidence_id: deliverables.flatMap(({ evidence }) => evidence)[0]?.id ?? 'none' } as Wish;
}
