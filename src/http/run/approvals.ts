/** Approvals of interactive runs: the list, one approval, and a person's answer to it. */
import { z } from 'zod';
import { Refused, sanitiseEcho } from '../../commands/refusal.ts';
import { run } from '../../commands/run/decide.ts';
import { APPROVAL_DECISIONS } from '../../events/run/events.ts';
import {
  APPROVAL_STATUSES,
  type ApprovalRow,
  approval,
  approvalRows,
  zApproval,
} from '../../projections/run/approvals.ts';
import type { Views } from '../../projections/views.ts';
import { HttpError, notFound } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { get, post } = routesOf({ tag: 'approvals' });

export interface Dependencies {
  readonly views: Views;
}

const LIMIT_DEFAULT = 200;
const LIMIT_MAX = 1_000;
const REASON_CHARACTERS_MAX = 2_000;

const zId = z.object({ id: z.string() });
const zAnswer = z.object({
  decision: z.enum(APPROVAL_DECISIONS).describe('`allow_run`: this tool for the rest of the run.'),
  reason: z
    .string()
    .max(REASON_CHARACTERS_MAX)
    .nullish()
    .describe('Recorded with the answer; after `deny` the model reads it.'),
});
const unknown = { 404: 'Unknown approval.' };

export function approvalRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/approvals', {
      operation: 'list',
      summary: 'Pending approvals, oldest first, then decided ones, newest first.',
      query: z.object({
        status: z.enum(APPROVAL_STATUSES).optional().describe('Only those with this status.'),
        session_id: z.string().optional(),
        limit: queryNumber({ min: 1, max: LIMIT_MAX }).default(LIMIT_DEFAULT),
      }),
      responses: ok('Approvals.', {
        approvals: z.array(zApproval).describe('Those that wait first, the oldest of them first.'),
      }),
      handle: ({ query }) => value({ approvals: approvalRows(deps.views, query) }),
    }),
    get('/approvals/{id}', {
      operation: 'get',
      summary: 'One approval.',
      params: zId,
      responses: ok('The approval.', zApproval, unknown),
      handle: ({ params }) => value(knownApproval(deps.views, params.id)),
    }),
    post('/approvals/{id}', {
      operation: 'answer',
      dispatchOnly: true,
      summary: 'Answers an approval: allows this call, allows this tool until the run ends, or denies it.',
      params: zId,
      body: zAnswer,
      responses: ok('The approval as it is now.', zApproval, {
        400: 'No decision, or one that is not allowed.',
        ...unknown,
        409: 'Answered already, expired or withdrawn: says what was decided.',
      }),
      handle: (call) => answer(deps, call),
    }),
  ];
}

async function answer(
  { views }: Dependencies,
  { params, body, answerAfter }: Call<z.infer<typeof zId>, unknown, z.infer<typeof zAnswer>>,
): Promise<Answer> {
  const { id, session_id } = knownApproval(views, params.id);
  const { decision, reason = null } = body;
  const command = { type: 'AnswerApproval', approval: id, decision, reason } as const;
  try {
    return await answerAfter(run, session_id, command, () => value(knownApproval(views, id)));
  } catch (error) {
    if (error instanceof Refused && error.refusal.kind === 'conflict') throw alreadyDecided(knownApproval(views, id));
    throw error;
  }
}

function knownApproval(views: Views, id: string): ApprovalRow {
  const row = approval(views, id);
  if (row === undefined) throw notFound('Approval', id);
  return row;
}

const OUTCOMES: Readonly<Record<ApprovalRow['status'], string>> = {
  pending: 'has expired and counts as denied (decision: deny)',
  allowed: 'was allowed already',
  denied: 'was denied already',
  expired: 'has expired and counts as denied (decision: deny)',
  cancelled: 'was cancelled with its run',
};

/** 409 with the earlier decision. An approval that is still pending was refused because it has expired. */
function alreadyDecided({ id, status, decision, decided_at }: ApprovalRow): HttpError {
  const answer = status === 'allowed' || status === 'denied' ? ` (decision: ${decision})` : '';
  const time = decided_at === null ? '' : ` at ${new Date(decided_at).toISOString()}`;
  return new HttpError(409, `Approval '${sanitiseEcho(id)}' ${OUTCOMES[status]}${answer}${time}.`);
}
