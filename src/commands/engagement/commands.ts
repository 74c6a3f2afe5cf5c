/** The commands of an engagement. The caller generates the ids. An absent optional field leaves its value unchanged. */
import type { DataOf } from '../../events/define.ts';
import type { DeliverableStatus, EngagementEvent, EngagementStatus, Phase } from '../../events/engagement/events.ts';

type Data<Type extends EngagementEvent['type']> = DataOf<EngagementEvent, Type>;

/** The caller's reason; may be blank. */
export interface Reasoned {
  readonly reason: string;
}

export interface OpenEngagement extends Data<'EngagementOpened'> {
  readonly type: 'OpenEngagement';
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
export interface AddDeliverable
  extends Pick<Data<'DeliverableAdded'>, 'deliverable_id' | 'phase' | 'key' | 'title' | 'reason'> {
  readonly type: 'AddDeliverable';
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

export interface AttachEvidence extends Data<'EvidenceAttached'> {
  readonly type: 'AttachEvidence';
}

/** A file that a scan proposes for a deliverable. */
export interface FoundFile extends Pick<Data<'EvidenceAttached'>, 'evidence_id' | 'label' | 'reference' | 'file'> {
  readonly deliverable_key: string;
}

export interface AddGate extends Omit<Data<'GateAdded'>, 'origin'> {
  readonly type: 'AddGate';
}

export interface JudgeGate extends Omit<Data<'GateJudged'>, 'from'> {
  readonly type: 'JudgeGate';
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
