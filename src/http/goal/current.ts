/** The pinned goals: one slot for each workspace and a global slot. A workspace never falls back to the global slot. */
import { z } from 'zod';
import { GOAL_NOT_FOUND, goal } from '../../commands/goal/decide.ts';
import { goalPins, PIN_SLOTS_MAX, PINS_STREAM_ID } from '../../commands/goal/pins.ts';
import { GOALS_LOCK_KEY } from '../../commands/goal/policy.ts';
import { Refusal } from '../../commands/refusal.ts';
import { zGoal } from '../../events/goal.ts';
import { goalRow } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { pinOf, pinSlot } from '../../queries/goal/pins.ts';
import { type AsOfSources, answerAt, asOfField, invalidAt, zAt } from '../server/as-of.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { allGoals, notThere, zSlotQuery, zWorkspace } from './schemas.ts';

const { get, put, del } = routesOf({ tag: 'goals' });

const zPin = z.object({
  workspace: z.string().nullable(),
  goal_id: z.string().nullable(),
  pinned_at: z.string().optional(),
  goal: zGoal.optional().describe('The pinned goal; absent without one.'),
  ...asOfField,
});

export function currentGoalRoutes(sources: AsOfSources): readonly RouteSpec[] {
  const { views } = sources;
  return [
    get('/v1/goals/current', {
      operation: 'current',
      summary:
        'The pinned goal of a workspace; without `workspace` that of the global slot. `at` answers as it was then.',
      query: zSlotQuery.extend({ at: zAt }),
      responses: ok('The pin; only `goal_id: null` when the slot is empty.', zPin, invalidAt),
      handle: ({ query: { workspace, at }, request }) =>
        answerAt(sources, { at, request }, { ...allGoals, read: (then) => shownPin(then, workspace) }),
    }),
    put('/v1/goals/current', {
      operation: 'pin',
      summary:
        'Pins a goal in a slot, in place of the goal that was pinned there. New runs of the workspace are linked to it.',
      body: z.object({
        goal_id: z.string().refine((id) => id.trim() !== '', 'must not be blank'),
        workspace: zWorkspace.optional().transform((workspace) => workspace ?? null),
      }),
      responses: ok('The pin.', zPin, {
        400: 'No goal_id.',
        ...notThere,
        409: `${PIN_SLOTS_MAX} workspaces have a pinned goal, the most that can.`,
      }),
      async handle({ body, dispatch }) {
        const { goal_id, workspace } = body;
        await dispatch(
          goalPins,
          PINS_STREAM_ID,
          { type: 'PinGoal', ...pinSlot(workspace), goal_id },
          {
            lockKey: GOALS_LOCK_KEY,
            policy: (unit) =>
              unit.read(goal, goal_id).life === 'alive' ? undefined : new Refusal('not_found', GOAL_NOT_FOUND),
          },
        );
        return value(shownPin(views, workspace));
      },
    }),
    emptySlotRoute(),
  ];
}

function emptySlotRoute(): RouteSpec {
  return del('/v1/goals/current', {
    operation: 'unpin',
    summary: 'Empties a slot.',
    query: zSlotQuery,
    responses: ok('`removed` is false when the slot was empty.', {
      workspace: z.string().nullable(),
      removed: z.boolean().describe('Whether a goal was pinned.'),
    }),
    async handle({ query: { workspace }, answerAfter }) {
      const command = { type: 'EmptySlot', ...pinSlot(workspace) } as const;
      return answerAfter(goalPins, PINS_STREAM_ID, command, {
        lockKey: GOALS_LOCK_KEY,
        answer: (_, { length }) => value({ workspace, removed: length > 0 }),
      });
    },
  });
}

/** `workspace` is shown as the caller wrote it. */
function shownPin(views: Views, workspace: string | null): z.infer<typeof zPin> {
  const pin = pinOf(views, workspace);
  const pinned = pin && goalRow(views, pin.goal_id);
  return pin === undefined || pinned === undefined
    ? { workspace, goal_id: null }
    : { workspace, goal_id: pin.goal_id, pinned_at: pin.pinned_at, goal: pinned };
}
