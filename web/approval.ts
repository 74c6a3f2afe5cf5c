/**
 * Whether an agent asks before it changes something: the policies, the default policy of runs, and the open requests.
 */
import { type ApprovalPolicy, type Approval as ApprovalRequest, api, type Envelope } from './api.ts';
import { numberOf, objectOf, textOf } from './lib/json.ts';
import { resource } from './resource.ts';

export const APPROVALS = ['suggest', 'auto-edit', 'full-auto', 'read-only', 'chat-only'] as const;
export type Approval = (typeof APPROVALS)[number];

const STREAM = 'settings-approval-policy';

export const approvalPolicy = resource<ApprovalPolicy>({
  load: () => api.approvals.policy(),
  concerns: ({ stream }) => stream === STREAM,
});

/** Null for an empty choice, and for an unknown policy. */
export function approvalOf(text: string): Approval | null {
  return APPROVALS.find((name) => name === text) ?? null;
}

/** Shown immediately, and updated when the daemon has answered. */
export function setApprovalPolicy(policy: Approval | null): Promise<void> {
  return approvalPolicy.change(
    (before) => ({ ...before, policy, effective: policy ?? before.configured }),
    () => api.approvals.setPolicy({ policy }),
  );
}

const CHANGES = ['ApprovalRequested', 'ApprovalAnswered', 'ApprovalExpired', 'ApprovalWithdrawn'];

/** The open requests for approval. */
export const approvals = resource({
  load: async () => (await api.approvals.list({ query: { status: 'pending' } })).approvals,
  concerns: ({ type }) => CHANGES.includes(type),
  fold: pendingAfter,
});

/** The open requests after an event. One that is open already keeps its place, and with it what the user writes there. */
export function pendingAfter(
  pending: readonly ApprovalRequest[],
  { stream, type, at, data }: Envelope,
): readonly ApprovalRequest[] {
  const { approval_id, call, expires_at } = objectOf(data);
  const id = textOf(approval_id);
  if (type !== 'ApprovalRequested') return pending.filter((approval) => approval.id !== id);
  if (pending.some((approval) => approval.id === id)) return pending;
  const { name, input = null } = objectOf(call);
  const asked = { id, session_id: stream.slice('run-'.length), tool_name: textOf(name), input };
  const open = { status: 'pending', decision: null, reason: null, decided_at: null } as const;
  return [...pending, { ...asked, ...open, requested_at: at, expires_at: numberOf(expires_at) }];
}
