/**
 * Engagements: work in four phases that people will have to defend later, with its deliverables, their evidence, its
 * gates and every step from phase to phase. Stream `engagement-<id>`, written by the engagement routes alone.
 *
 * - Every event carries the reason of its change: the caller's words, or ours when there were none.
 * - A gate is judged, never overwritten: each judgement is an event of its own and stays.
 */
import { z } from 'zod';
import { define, type EventIn, from, type Upcast } from '../define.ts';

export const PHASES = ['discover', 'prove', 'build', 'operate'] as const;
export const zPhase = z.enum(PHASES);
export type Phase = z.infer<typeof zPhase>;

export const zEngagementStatus = z.enum(['draft', 'active', 'paused', 'closed']);
export type EngagementStatus = z.infer<typeof zEngagementStatus>;

export const zDeliverableStatus = z.enum(['not_started', 'in_progress', 'ready', 'accepted', 'waived']);
export type DeliverableStatus = z.infer<typeof zDeliverableStatus>;

export const zEvidenceKind = z.enum(['file', 'url', 'run', 'metric', 'note']);
export type EvidenceKind = z.infer<typeof zEvidenceKind>;

export const zVerdict = z.enum(['not_measured', 'pending', 'pass', 'fail', 'waived']);
export type Verdict = z.infer<typeof zVerdict>;

export const zBlocker = z.object({
  kind: z.enum([
    'deliverable_without_evidence',
    'deliverable_outstanding',
    'gate_not_measured',
    'gate_pending',
    'gate_failed',
  ]),
  /** A deliverable's key or a gate's id. */
  subject: z.string(),
  detail: z.string(),
});
export type Blocker = z.infer<typeof zBlocker>;

/** A local file as it was when it was attached; without a hash when it could not be, or was not to be, read. */
export const zFingerprint = z.object({
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

/** Version 1 repeated in `by` who sent the command. The envelope says it as `actor`: that is the one to read. */
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
  /** Says what was removed: a gate that failed does not go away by being deleted. */
  GateRemoved: define('GateRemoved', { version: 2, data: zGateRemoved, upcast: { 1: withoutSender(zGateRemoved) } }),
  /** The phase `from` was closed: `blockers` are those that stood, and were overridden when there are any. */
  PhaseAdvanced: define('PhaseAdvanced', {
    version: 2,
    data: zPhaseAdvanced,
    upcast: { 1: withoutSender(zPhaseAdvanced) },
  }),
  /** The current phase was set by hand, past the gates: `blockers` are those of the phase that was left. */
  PhaseSet: define('PhaseSet', { version: 2, data: zPhaseSet, upcast: { 1: withoutSender(zPhaseSet) } }),
  EngagementRemoved: define('EngagementRemoved', z.object({ reason })),
} as const;

export type EngagementEvent = EventIn<typeof engagementEvents>;
