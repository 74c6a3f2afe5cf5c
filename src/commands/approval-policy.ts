/** The decider of the policy of runs whose request names none: set, replaced or cleared. */
import { type ApprovalPolicyEvent, approvalPolicyEvents } from '../events/approval-policy.ts';
import type { Approval } from '../events/run/events.ts';
import type { Decider } from './decider.ts';

export type ApprovalPolicyCommand =
  | { readonly type: 'SetApprovalPolicy'; readonly policy: Approval }
  | { readonly type: 'ClearApprovalPolicy' };

export interface ApprovalPolicyState {
  readonly policy: Approval | null;
}

/** The id of the only stream, `settings-approval-policy`. */
export const APPROVAL_POLICY_STREAM_ID = 'approval-policy';

export const approvalPolicy: Decider<ApprovalPolicyCommand, ApprovalPolicyState, ApprovalPolicyEvent> = {
  category: 'settings',
  events: approvalPolicyEvents,
  initial: { policy: null },
  decide(command, state) {
    switch (command.type) {
      case 'SetApprovalPolicy':
        return command.policy === state.policy ? [] : [{ type: 'ApprovalPolicySet', data: { policy: command.policy } }];
      case 'ClearApprovalPolicy':
        return state.policy === null ? [] : [{ type: 'ApprovalPolicyCleared', data: {} }];
    }
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'ApprovalPolicySet':
        return { policy: event.data.policy };
      case 'ApprovalPolicyCleared':
        return { policy: null };
    }
  },
};
