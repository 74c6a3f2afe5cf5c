/** Which goal is current: a slot a workspace and one for everywhere. A slot never falls back to another. */
import { z } from 'zod';
import { GOAL_NOT_FOUND, goal } from '../../commands/goal/decide.ts';
import { goalPins, PINS_STREAM_ID } from '../../commands/goal/pins.ts';
import { GOALS_LOCK_KEY } from '../../commands/goal/policy.ts';
import { Refusal } from '../../commands/refusal.ts';
import { goalRow, pinIn } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { type Answer, value } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { knownGoal, notThere, zGoal, zSlotQuery, zWorkspace } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly views: Views;
}

const zPin = z.object({
  workspace: z.string().nullable(),
  goal_id: z.string().nullable(),
  pinned_at: z.string().optional(),
  goal: zGoal.optional(),
});

export function currentGoalRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { path: '/v1/goals/current', tag: 'goals', auth: 'bearer' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The pinned goal of a workspace; without `workspace` the one for everywhere.',
      query: zSlotQuery,
      responses: { 200: { description: 'The pin; only `goal_id: null` when the slot is empty.', schema: zPin } },
      handle: ({ query }) => pin(deps, query.workspace),
    }),
    route({
      ...common,
      method: 'PUT',
      summary: 'Pins a goal in a slot, in place of what was there. New runs of the workspace are linked to it.',
      body: z.object({
        goal_id: z.string().refine((id) => id.trim() !== '', 'must not be blank'),
        workspace: zWorkspace.optional().transform((workspace) => workspace ?? null),
      }),
      responses: {
        200: { description: 'The pin.', schema: zPin },
        400: { description: 'No goal_id.', schema: zError },
        ...notThere,
      },
      async handle({ body, dispatch }) {
        const { goal_id, workspace } = body;
        knownGoal(deps, goal_id);
        await dispatch(
          goalPins,
          PINS_STREAM_ID,
          { type: 'PinGoal', workspace, goal_id },
          {
            lockKey: GOALS_LOCK_KEY,
            policy: (desk) =>
              desk.read(goal, goal_id).life === 'alive' ? undefined : new Refusal('not_found', GOAL_NOT_FOUND),
          },
        );
        return pin(deps, workspace);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Empties a slot.',
      query: zSlotQuery,
      responses: {
        200: {
          description: '`removed` is false when the slot was empty.',
          schema: z.object({ workspace: z.string().nullable(), removed: z.boolean() }),
        },
      },
      async handle({ query: { workspace }, dispatch }) {
        const command = { type: 'EmptySlot', workspace } as const;
        const { events } = await dispatch(goalPins, PINS_STREAM_ID, command, { lockKey: GOALS_LOCK_KEY });
        return value({ workspace, removed: events.length > 0 });
      },
    }),
  ];
}

function pin(deps: Dependencies, workspace: string | null): Answer {
  const found = pinIn(deps.views, workspace);
  const goalRecord = found && goalRow(deps.views, found.goal_id);
  return found === undefined || goalRecord === undefined
    ? value({ workspace, goal_id: null })
    : value({ workspace, goal_id: found.goal_id, pinned_at: found.pinned_at, goal: goalRecord });
}
