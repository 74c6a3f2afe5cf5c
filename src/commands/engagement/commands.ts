/** The commands of an engagement. The caller generates the ids. An absent optional field leaves its value unchanged. */
import type {
  DeliverableStatus,
  EngagementStatus,
  EvidenceKind,
  Fingerprint,
  Phase,
  Verdict,
} from '../../events/engagement/events.ts';

/** The caller's reason; may be blank. */
export interface Reasoned {
  readonly reason: string;
}

export interface OpenEngagement extends Reasoned {
  readonly type: 'OpenEngagement';
  readonly name: string;
  readonly client: string;
  readonly summary: string;
  readonly workspace_path: string | null;
  /** One for each row of the template. */
  readonly ids: readonly string[];
}

export interface SeedEngagement extends Reasoned {
  readonly type: 'SeedEngagement';
  readonly ids: readonly string[];
}

export interface ChangeEngagement extends Reasoned {
  readonly type: 'ChangeEngagement';
  readonly status?: EngagementStatus | undefined;
  readonly phase?: Phase | undefined;
  readonly move_id: string;
}

/** A deliverable whose key exists is revised: what is left out, its phase, status, owner and evidence stay. */
export interface AddDeliverable extends Reasoned {
  readonly type: 'AddDeliverable';
  readonly deliverable_id: string;
  readonly phase: Phase;
  readonly key: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly tool_hint?: string | null | undefined;
}

export interface ChangeDeliverable extends Reasoned {
  readonly type: 'ChangeDeliverable';
  readonly deliverable_id: string;
  readonly status?: DeliverableStatus | undefined;
  readonly owner?: string | null | undefined;
  readonly notes?: string | undefined;
}

export interface AttachEvidence extends Reasoned {
  readonly type: 'AttachEvidence';
  readonly evidence_id: string;
  readonly deliverable_id: string;
  readonly kind: EvidenceKind;
  readonly label: string;
  readonly reference: string;
  readonly file: Fingerprint | null;
}

/** A file that a scan proposes for a deliverable. */
export interface FoundFile {
  readonly evidence_id: string;
  readonly deliverable_key: string;
  readonly label: string;
  readonly reference: string;
  readonly file: Fingerprint | null;
}

export interface AddGate extends Reasoned {
  readonly type: 'AddGate';
  readonly gate_id: string;
  readonly phase: Phase;
  readonly title: string;
  readonly criterion: string;
  readonly measurement: string;
}

export interface JudgeGate extends Reasoned {
  readonly type: 'JudgeGate';
  readonly gate_id: string;
  readonly verdict: Verdict;
  readonly observed: string | null;
  readonly rationale: string;
  readonly decided_by: string | null;
}

export interface AdvancePhase extends Reasoned {
  readonly type: 'AdvancePhase';
  readonly move_id: string;
  readonly force: boolean;
}

export type EngagementCommand =
  | OpenEngagement
  | SeedEngagement
  | ChangeEngagement
  | (Reasoned & { readonly type: 'RemoveEngagement' })
  | AddDeliverable
  | ChangeDeliverable
  | AttachEvidence
  | (Reasoned & { readonly type: 'AttachFound'; readonly found: readonly FoundFile[] })
  | (Reasoned & { readonly type: 'RemoveEvidence'; readonly evidence_id: string })
  | AddGate
  | JudgeGate
  | (Reasoned & { readonly type: 'RemoveGate'; readonly gate_id: string })
  | AdvancePhase;

/** Ids in engagements are UUIDs of version 4 (RFC 9562 §5.4). `randomHex`: 32 random hex digits. */
export function engagementId(randomHex: string): string {
  const variant = ((Number.parseInt(randomHex[16]!, 16) & 0x3) | 0x8).toString(16);
  const digits = `${randomHex.slice(0, 12)}4${randomHex.slice(13, 16)}${variant}${randomHex.slice(17)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
