/** The policy of runs whose request names none. Appended by `PUT /v1/approval-policy` to `settings-approval-policy`. */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';
import { APPROVALS } from './run/events.ts';

export const approvalPolicyEvents = {
  ApprovalPolicySet: define('ApprovalPolicySet', z.object({ policy: z.enum(APPROVALS) }), {
    // The strictest one.
    whenErased: { policy: 'chat-only' },
  }),
  /** The policy of the daemon's configuration applies again. */
  ApprovalPolicyCleared: define('ApprovalPolicyCleared', z.object({})),
} as const;

export type ApprovalPolicyEvent = EventIn<typeof approvalPolicyEvents>;
