/**
 * The approval policy of runs whose request names none: the policy that was set, the configured one, the effective one.
 */
import { z } from 'zod';
import { APPROVAL_POLICY_STREAM_ID, approvalPolicy } from '../commands/approval-policy.ts';
import { APPROVALS, type Approval } from '../events/run/events.ts';
import { approvalPolicySet } from '../projections/approval-policy.ts';
import type { Views } from '../projections/views.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get, put } = routesOf({ tag: 'approvals' });

interface Dependencies {
  readonly config: { readonly approval: Approval };
  readonly views: Views;
}

const zPolicy = z.enum(APPROVALS);
const zStatus = z.object({
  policy: zPolicy.nullable().describe('The policy that was set; null while the configured one applies.'),
  configured: zPolicy.describe('`approval` in config.json, or DAYBOOK_APPROVAL.'),
  effective: zPolicy.describe('The policy of a run whose request names none.'),
});
z.globalRegistry.add(zStatus, { id: 'ApprovalPolicy' });

export function approvalPolicyRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/v1/approval-policy', {
      operation: 'policy',
      summary: 'The approval policy of runs whose request names none.',
      responses: ok('The policy.', zStatus),
      handle: () => status(deps),
    }),
    put('/v1/approval-policy', {
      operation: 'setPolicy',
      summary: 'Sets that policy for runs that are requested from now on; null restores the configured one.',
      body: z
        .object({ policy: zPolicy.nullable().describe('Null takes back what was set.') })
        .meta({ examples: [{ policy: 'auto-edit' }] }),
      responses: ok('The policy as it is now.', zStatus, { 400: 'policy is missing, or neither a policy nor null.' }),
      async handle({ body: { policy }, dispatch }) {
        const command =
          policy === null
            ? ({ type: 'ClearApprovalPolicy' } as const)
            : ({ type: 'SetApprovalPolicy', policy } as const);
        await dispatch(approvalPolicy, APPROVAL_POLICY_STREAM_ID, command);
        return status(deps);
      },
    }),
  ];
}

function status({ config, views }: Dependencies): Answer {
  const policy = approvalPolicySet(views);
  return value({ policy, configured: config.approval, effective: policy ?? config.approval });
}
