/**
 * Engagements: work in four phases with an audit trail: deliverables, their evidence, gates, and every phase change.
 * Stream `engagement-<id>`, appended to by the engagement routes only.
 *
 * - Every event has the reason of its change: the caller's text, or a default text.
 * - Judgements of a gate are never overwritten: each one is an event.
 */
import { z } from 'zod';
import { define, ERASED_TEXT, type EventIn, from, type Upcast } from '../define.ts';

export const PHASES = ['discover', 'prove', 'build', 'operate'] as const;
export const zPhase = z.enum(PHASES);
export type Phase = z.infer<typeof zPhase>;

export const zEngagementStatus = z.enum(['draft', 'active', 'paused', 'closed']);
export type EngagementStatus = z.infer<typeof zEngagementStatus>;

export const zDeliverableStatus = z.enum(['not_started', 'in_progress', 'ready', 'accepted', 'waived']);
export type DeliverableStatus = z.infer<typeof zDeliverableStatus>;

export const zEvidenceKind = z.enum(['file', 'url', 'run', 'metric', 'note']);

export const zVerdict = z.enum(['not_measured', 'pending', 'pass', 'fail', 'waived']);
export type Verdict = z.infer<typeof zVerdict>;

export const zBlocker = z.object({
  kind: z
    .enum([
      'deliverable_without_evidence',
      'deliverable_outstanding',
      'gate_not_measured',
      'gate_pending',
      'gate_failed',
    ])
    .describe('What is missing.'),
  subject: z.string().describe("A deliverable's key or a gate's id."),
  detail: z.string().describe('One sentence that says what is missing.'),
});
z.globalRegistry.add(zBlocker, { id: 'Blocker' });
export type Blocker = z.infer<typeof zBlocker>;

/** A local file at the time of attaching; without a hash when it could not or must not be read. */
const zFingerprint = z.object({
  path: z.string(),
  size_bytes: z.int().min(0),
  sha256: z.string().length(64).nullable(),
});
export type Fingerprint = z.infer<typeof zFingerprint>;

const reason = z.string();
const deliverable_id = z.string();
const gate_id = z.string();
/** Seeded from the template, or put there by hand. */
const origin = z.enum(['template', 'added']);

const zGateJudged = z.object({
  gate_id,
  from: zVerdict,
  verdict: zVerdict,
  observed: z.string().nullable(),
  rationale: z.string(),
  decided_by: z.string().nullable(),
  reason,
});

const zGateRemoved = z.object({ gate_id, phase: zPhase, title: z.string(), verdict: zVerdict, reason });

const zPhaseSet = z.object({ move_id: z.string(), from: zPhase, to: zPhase, blockers: z.array(zBlocker), reason });

const zPhaseAdvanced = zPhaseSet.extend({ forced: z.boolean() });

/** Version 1 repeated the sender of the command in `by`. The envelope has it as `actor`. */
function withoutSender(data: z.ZodObject): Upcast {
  return from(data.extend({ by: z.string() }), ({ by: _by, ...rest }) => rest);
}

export const engagementEvents = {
  EngagementOpened: define(
    'EngagementOpened',
    z.object({
      name: z.string(),
      client: z.string(),
      summary: z.string(),
      workspace_path: z.string().nullable(),
      reason,
    }),
  ),
  EngagementStatusChanged: define(
    'EngagementStatusChanged',
    z.object({ from: zEngagementStatus, to: zEngagementStatus, reason }),
  ),
  DeliverableAdded: define(
    'DeliverableAdded',
    z.object({
      deliverable_id,
      origin,
      phase: zPhase,
      key: z.string(),
      title: z.string(),
      description: z.string(),
      tool_hint: z.string().nullable(),
      reason,
    }),
  ),
  DeliverableRevised: define(
    'DeliverableRevised',
    z.object({
      deliverable_id,
      title: z.string(),
      description: z.string(),
      tool_hint: z.string().nullable(),
      reason,
    }),
  ),
  DeliverableStatusChanged: define(
    'DeliverableStatusChanged',
    z.object({ deliverable_id, from: zDeliverableStatus, to: zDeliverableStatus, reason }),
  ),
  DeliverableAssigned: define(
    'DeliverableAssigned',
    z.object({ deliverable_id, owner: z.string().nullable(), reason }),
  ),
  DeliverableNoted: define('DeliverableNoted', z.object({ deliverable_id, notes: z.string(), reason })),
  EvidenceAttached: define(
    'EvidenceAttached',
    z.object({
      evidence_id: z.string(),
      deliverable_id,
      kind: zEvidenceKind,
      label: z.string(),
      reference: z.string(),
      file: zFingerprint.nullable(),
      reason,
    }),
  ),
  EvidenceRemoved: define('EvidenceRemoved', z.object({ evidence_id: z.string(), deliverable_id, reason })),
  GateAdded: define(
    'GateAdded',
    z.object({
      gate_id,
      origin,
      phase: zPhase,
      title: z.string(),
      criterion: z.string(),
      measurement: z.string(),
      reason,
    }),
  ),
  GateJudged: define('GateJudged', { version: 2, data: zGateJudged, upcast: { 1: withoutSender(zGateJudged) } }),
  /** Names the removed gate with its verdict: deleting a failed gate does not hide it. */
  GateRemoved: define('GateRemoved', { version: 2, data: zGateRemoved, upcast: { 1: withoutSender(zGateRemoved) } }),
  /** The phase `from` is closed. `blockers` are the open ones; they are overridden by `force`. */
  PhaseAdvanced: define('PhaseAdvanced', {
    version: 2,
    data: zPhaseAdvanced,
    upcast: { 1: withoutSender(zPhaseAdvanced) },
  }),
  /**
   * The current phase is set by hand, past the gates. `blockers` are the open blockers that the move passes over; none
   * for a move back.
   */
  PhaseSet: define('PhaseSet', { version: 2, data: zPhaseSet, upcast: { 1: withoutSender(zPhaseSet) } }),
  EngagementRemoved: define('EngagementRemoved', z.object({ reason }), { whenErased: { reason: ERASED_TEXT } }),
} as const;

export type EngagementEvent = EventIn<typeof engagementEvents>;
