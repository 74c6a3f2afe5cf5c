/**
 * Readiness of a phase: counts of its deliverables and gates, its blockers, and its completion.
 *
 * - The five verdicts are disjoint: a gate without a measurement is open, not failed.
 * - Completion is null, not zero, when nothing is in scope.
 * - A phase can be left exactly when it has no blockers.
 */
import { z } from 'zod';
import { type Blocker, PHASES, type Phase, type Verdict, zBlocker, zPhase } from '../../events/engagement/events.ts';
import type { Deliverable, Gate } from '../../events/engagement/records.ts';
import { phaseFacts } from './phases.ts';

type Item = Pick<Deliverable, 'phase' | 'key' | 'title' | 'status' | 'evidence_count'>;
type Check = Pick<Gate, 'id' | 'phase' | 'title' | 'verdict'>;

export interface Contents {
  readonly deliverables: Iterable<Item>;
  readonly gates: Iterable<Check>;
}

const zCount = z.int().min(0);

export const zPhaseReadiness = z.object({
  phase: zPhase,
  title: z.string(),
  cadence: z.string().nullable(),
  deliverables: z
    .object({
      total: zCount.describe('Those of the phase, waived ones too.'),
      not_started: zCount.describe('Those with this status.'),
      in_progress: zCount.describe('Those with this status.'),
      ready: zCount.describe('Those with this status.'),
      accepted: zCount.describe('Those with this status.'),
      waived: zCount.describe('Those with this status; out of scope.'),
      claimed_without_evidence: zCount.describe('Those that are ready or accepted and have no evidence.'),
    })
    .describe("Counts of the phase's deliverables."),
  gates: z
    .object({
      total: zCount.describe('Those of the phase, waived ones too.'),
      not_measured: zCount.describe('Those whose verdict this is.'),
      pending: zCount.describe('Those whose verdict this is.'),
      pass: zCount.describe('Those whose verdict this is.'),
      fail: zCount.describe('Those whose verdict this is.'),
      waived: zCount.describe('Those whose verdict this is; out of scope.'),
    })
    .describe("Counts of the phase's gates."),
  completion: z.number().nullable().describe('0 to 1, or null when nothing is in scope.'),
  blockers: z.array(zBlocker),
  can_exit: z.boolean().describe('The phase has no blockers.'),
});
export type PhaseReadiness = Readonly<z.infer<typeof zPhaseReadiness>>;

export function readiness(contents: Contents): readonly PhaseReadiness[] {
  return PHASES.map((phase) => phaseReadiness(contents, phase));
}

export function phaseReadiness(contents: Contents, phase: Phase): PhaseReadiness {
  const { title, cadence } = phaseFacts(phase);
  const items = [...contents.deliverables].filter((item) => item.phase === phase);
  const checks = [...contents.gates].filter((check) => check.phase === phase);
  const statuses = countsOf(
    ['not_started', 'in_progress', 'ready', 'accepted', 'waived'],
    items,
    (item) => item.status,
  );
  const verdicts = countsOf(['not_measured', 'pending', 'pass', 'fail', 'waived'], checks, (check) => check.verdict);
  const inScope = items.length - statuses.waived;
  const blockers = [...items.flatMap(blockersOfDeliverable), ...checks.flatMap(blockersOfGate)];
  return {
    phase,
    title,
    cadence,
    deliverables: {
      total: items.length,
      ...statuses,
      claimed_without_evidence: items.filter(claimedWithoutEvidence).length,
    },
    gates: { total: checks.length, ...verdicts },
    completion: inScope === 0 ? null : statuses.accepted / inScope,
    blockers,
    can_exit: blockers.length === 0,
  };
}

function countsOf<Item, Name extends string>(
  names: readonly Name[],
  items: readonly Item[],
  nameOf: (item: Item) => Name,
): Record<Name, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const item of items) counts[nameOf(item)] += 1;
  return counts;
}

function claimedWithoutEvidence({ status, evidence_count }: Item): boolean {
  return (status === 'ready' || status === 'accepted') && evidence_count === 0;
}

const OUTSTANDING = {
  not_started: 'has not been started',
  in_progress: 'is in progress',
  ready: 'is ready but not accepted',
} as const;

function blockersOfDeliverable(item: Item): readonly Blocker[] {
  const { key: subject, title, status } = item;
  const blockers: Blocker[] = [];
  if (claimedWithoutEvidence(item)) {
    const detail = `“${title}” is marked ${status} but no evidence is attached.`;
    blockers.push({ kind: 'deliverable_without_evidence', subject, detail });
  }
  if (status !== 'accepted' && status !== 'waived') {
    blockers.push({ kind: 'deliverable_outstanding', subject, detail: `“${title}” ${OUTSTANDING[status]}.` });
  }
  return blockers;
}

const OPEN_GATES: Readonly<Record<Verdict, { readonly kind: Blocker['kind']; readonly words: string } | null>> = {
  not_measured: { kind: 'gate_not_measured', words: 'has not been measured' },
  pending: { kind: 'gate_pending', words: 'is awaiting a verdict' },
  fail: { kind: 'gate_failed', words: 'was measured and failed' },
  pass: null,
  waived: null,
};

function blockersOfGate({ id: subject, title, verdict }: Check): readonly Blocker[] {
  const open = OPEN_GATES[verdict];
  return open === null ? [] : [{ kind: open.kind, subject, detail: `Gate “${title}” ${open.words}.` }];
}
