/** The policy of runs whose request names none; no row while the configuration applies. */
import type { ApprovalPolicyEvent } from '../events/approval-policy.ts';
import type { Approval } from '../events/run/events.ts';
import { handlers, type Projection } from './projection.ts';
import type { Views } from './views.ts';

export const approvalPolicies: Projection = {
  name: 'approval-policy',
  version: 1,
  tables: ['approval_policy'],
  create: 'CREATE TABLE approval_policy (only INTEGER PRIMARY KEY CHECK (only = 1), policy TEXT NOT NULL);',
  on: handlers<ApprovalPolicyEvent>({
    ApprovalPolicySet: (views, event) =>
      views.run('INSERT OR REPLACE INTO approval_policy VALUES (1, ?)', event.data.policy),
    ApprovalPolicyCleared: (views) => views.run('DELETE FROM approval_policy'),
  }),
};

/** The policy that was set; null while the configuration of the daemon applies. */
export function approvalPolicySet(views: Views): Approval | null {
  return views.get<{ policy: Approval }>('SELECT policy FROM approval_policy')?.policy ?? null;
}
