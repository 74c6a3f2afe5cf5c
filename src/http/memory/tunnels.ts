/** Routes of tunnels: dig one between two entries, or all between entries that are near each other. */
import { z } from 'zod';
import { memory } from '../../commands/memory/decide.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { drawerRow } from '../../projections/memory/drawers.ts';
import { memoryRow } from '../../projections/memory/memories.ts';
import { tunnelBetween } from '../../projections/memory/waypoints.ts';
import type { Views } from '../../projections/views.ts';
import { digTunnels, type TunnelParts } from '../../reactors/memory/tunnels.ts';
import { type Answer, value } from '../server/answer.ts';
import { HttpError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { badRequest, common, zId, zShare } from './schemas.ts';

interface Dependencies extends TunnelParts {
  readonly memoryLock: ReadWriteLock;
}

const WEIGHT_DEFAULT = 0.8;
const THRESHOLD_DEFAULT = 0.75;

const zTunnel = z.object({
  created: z.boolean().describe('Whether it is new.'),
  src_id: z.string(),
  dst_id: z.string(),
  weight: z.number(),
});

export function tunnelRoute({ views, memoryLock }: Pick<Dependencies, 'views' | 'memoryLock'>): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/tunnel',
    operation: 'addTunnel',
    summary: 'Digs a waypoint between two memories, across projects if need be.',
    body: z.object({ src_id: zId, dst_id: zId, weight: zShare.nullish() }),
    responses: {
      201: { description: 'The waypoint.', schema: zTunnel },
      200: { description: 'None was dug: an id is unknown, or it is there already.', schema: zTunnel },
      ...badRequest,
    },
    async handle({ body, dispatch }) {
      const { src_id, dst_id } = body;
      const weight = body.weight ?? WEIGHT_DEFAULT;
      const answer = (created: boolean): Answer => value({ created, src_id, dst_id, weight }, created ? 201 : 200);
      return memoryLock.exclusive(async () => {
        if (memoryRow(views, src_id, 0) === undefined || !exists(views, dst_id)) return answer(false);
        if (src_id === dst_id) throw new HttpError(400, 'Invalid body: dst_id: must be another memory than src_id');
        const existing = tunnelBetween(views, src_id, dst_id);
        // Two entries share one tunnel, in whichever direction it was dug: a second request only changes its weight.
        const ends = existing ?? { src_id, dst_id };
        const tunnel = { dst_id: ends.dst_id, weight, existingWeight: existing?.weight ?? null };
        const command = { type: 'DigTunnels', tunnels: [tunnel], automatic: false } as const;
        await dispatch(memory, ends.src_id, command, () => answer(existing === undefined));
        return answer(existing === undefined);
      });
    },
  });
}

function exists(views: Views, id: string): boolean {
  return memoryRow(views, id, 0) !== undefined || drawerRow(views, id) !== undefined;
}

export function autoTunnelRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/auto-tunnel',
    operation: 'autoTunnel',
    summary: 'Digs tunnels between memories, and from memories to drawers, that are at least so near.',
    body: z
      .object({
        threshold: zShare.nullish().describe('Similarity from which two memories are linked, 0 to 1; absent: 0.75.'),
      })
      .optional(),
    responses: {
      200: {
        description: 'How many were dug, and among how many of the newest memories.',
        schema: z.object({
          tunnels_created: z.int().describe('Links that were added.'),
          threshold: z.number().describe('Similarity from which two memories were linked, 0 to 1.'),
          considered: z.int().describe('Memories that were compared.'),
        }),
      },
      ...badRequest,
    },
    handle: ({ body, origin }) =>
      deps.memoryLock.exclusive(async () =>
        value(await digTunnels(deps, body?.threshold ?? THRESHOLD_DEFAULT, origin)),
      ),
  });
}
