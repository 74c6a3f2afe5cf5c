/** The records of an engagement as every reader gets them: the views and the wire share them. */
import { z } from 'zod';
import {
  type EngagementStatus,
  zBlocker,
  zDeliverableStatus,
  zEngagementStatus,
  zEvidenceKind,
  zPhase,
  zVerdict,
} from './events.ts';

export const zEngagement = z.object({
  id: z.string().describe('Id of the engagement.'),
  name: z.string().describe('What it is called.'),
  client: z.string().describe('Whom it is for; may be empty.'),
  summary: z.string().describe('What it is about; may be empty.'),
  workspace_path: z.string().nullable().describe('Folder of its files; null without one.'),
  status: zEngagementStatus.describe('`draft` until work begins, `closed` after it.'),
  current_phase: zPhase,
  created_at: z.int(),
  updated_at: z.int(),
});
z.globalRegistry.add(zEngagement, { id: 'Engagement' });
export type Engagement = Readonly<z.infer<typeof zEngagement>>;

export const zDeliverable = z.object({
  id: z.string().describe('Id of the deliverable.'),
  engagement_id: z.string(),
  phase: zPhase,
  key: z.string().describe('Names it within the engagement.'),
  title: z.string(),
  description: z.string().describe('What it consists of; may be empty.'),
  status: zDeliverableStatus.describe('How far it is. `waived`: not needed, out of scope.'),
  owner: z.string().nullable().describe('Who makes it; null when nobody is named.'),
  tool_hint: z.string().nullable(),
  notes: z.string().describe('Free text; may be empty.'),
  evidence_count: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
});
z.globalRegistry.add(zDeliverable, { id: 'Deliverable' });
export type Deliverable = Readonly<z.infer<typeof zDeliverable>>;

export const zEvidence = z.object({
  id: z.string().describe('Id of the piece of evidence.'),
  deliverable_id: z.string(),
  kind: zEvidenceKind.describe('What `reference` is.'),
  label: z.string().describe('What it shows, in few words; may be empty.'),
  reference: z.string(),
  captured_at: z.int(),
  file_path: z
    .string()
    .nullable()
    .describe(
      'The local file that the reference named when it was attached; null for other references and for missing files.',
    ),
  size_bytes: z.int().nullable(),
  sha256: z.string().nullable(),
});
z.globalRegistry.add(zEvidence, { id: 'Evidence' });
export type Evidence = Readonly<z.infer<typeof zEvidence>>;

/** One verdict of a gate, with its author and the time of recording. */
const zJudgement = z.object({
  verdict: zVerdict,
  observed: z.string().nullable(),
  rationale: z.string(),
  decided_by: z.string().nullable(),
  recorded_by: z.string().describe('The sender of the command, who need not be the author of the verdict.'),
  at: z.int(),
});
z.globalRegistry.add(zJudgement, { id: 'Judgement' });
export type Judgement = Readonly<z.infer<typeof zJudgement>>;

export const zGate = z.object({
  id: z.string().describe('Id of the gate.'),
  engagement_id: z.string(),
  phase: zPhase,
  title: z.string(),
  criterion: z.string(),
  measurement: z.string(),
  observed: z.string().nullable(),
  verdict: zVerdict,
  rationale: z.string(),
  decided_by: z.string().nullable(),
  decided_at: z.int().nullable(),
  judgements: z.array(zJudgement).describe('Every verdict so far, oldest first, the one in force last.'),
  created_at: z.int(),
  updated_at: z.int(),
});
z.globalRegistry.add(zGate, { id: 'Gate' });
export type Gate = Readonly<z.infer<typeof zGate>>;

/** A change of the current phase; `blockers` are the open ones that it passes over: none for a move back. */
export const zPhaseMove = z.object({
  id: z.string().describe('Id of the change.'),
  kind: z
    .enum(['advanced', 'forced', 'set'])
    .describe('`advanced`: past its gates. `forced`: in spite of open blockers. `set`: by hand.'),
  from: zPhase.describe('The phase that was left.'),
  to: zPhase.describe('The phase that was entered.'),
  blockers: z.array(zBlocker),
  by: z.string().describe('Who caused it: `owner`, `agent:<run>` and so on.'),
  reason: z.string().describe("Why, in the caller's words or in a default text."),
  at: z.int(),
});
export type PhaseMove = Readonly<z.infer<typeof zPhaseMove>>;

/** A change of the status, such as a close. */
export interface StatusChange {
  readonly from: EngagementStatus;
  readonly to: EngagementStatus;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** A deleted gate with its last verdict. */
export const zRemovedGate = z.object({
  id: z.string().describe('Id of the gate.'),
  phase: zPhase,
  title: z.string(),
  verdict: zVerdict,
  by: z.string().describe('Who removed it.'),
  reason: z.string().describe("Why, in the caller's words or in a default text."),
  at: z.int(),
});
export type RemovedGate = Readonly<z.infer<typeof zRemovedGate>>;

/** An engagement without its evidence; lists are in the order things came. */
export interface EngagementOutline {
  readonly engagement: Engagement;
  readonly deliverables: readonly Deliverable[];
  readonly gates: readonly Gate[];
  readonly moves: readonly PhaseMove[];
  readonly removedGates: readonly RemovedGate[];
}

/** An engagement whole. Evidence is in the order of its deliverables, then by time of attaching. */
export interface EngagementDocument extends EngagementOutline {
  readonly evidence: readonly Evidence[];
  /** Oldest first. */
  readonly statusChanges: readonly StatusChange[];
}
