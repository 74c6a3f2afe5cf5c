/** Routes of tunnels: dig one between two entries, or all between entries that are near each other. */
import { z } from 'zod';
import { memory } from '../../commands/memory/decide.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { tunnelEnds } from '../../queries/memory/tunnels.ts';
import { digTunnels, type TunnelParts } from '../../reactors/memory/tunnels.ts';
import { HttpError } from '../server/errors.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest, zId, zShare } from './schemas.ts';

const { post } = routesOf({ tag: 'memory' });

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
  return post('/memory/tunnel', {
    operation: 'addTunnel',
    summary: 'Adds a waypoint between two memories, also of different projects.',
    body: z.object({ src_id: zId, dst_id: zId, weight: zShare.nullish() }),
    responses: ok('No waypoint was added: an id is unknown, or the waypoint exists.', zTunnel, {
      201: { description: 'The waypoint.', schema: zTunnel },
      ...badRequest,
    }),
    async handle({ body, answerAfter }) {
      const { src_id, dst_id } = body;
      const weight = body.weight ?? WEIGHT_DEFAULT;
      const answer = (created: boolean): Answer => value({ created, src_id, dst_id, weight }, created ? 201 : 200);
      return memoryLock.exclusive(async () => {
        const ends = tunnelEnds(views, src_id, dst_id);
        if (ends === undefined) return answer(false);
        if (src_id === dst_id) throw new HttpError(400, 'Invalid body: dst_id: must be another memory than src_id');
        const { existingWeight } = ends;
        const tunnel = { dst_id: ends.dst_id, weight, existingWeight };
        const command = { type: 'DigTunnels', tunnels: [tunnel], automatic: false } as const;
        return answerAfter(memory, ends.src_id, command, () => answer(existingWeight === null));
      });
    },
  });
}

export function autoTunnelRoute(deps: Dependencies): RouteSpec {
  return post('/memory/auto-tunnel', {
    operation: 'autoTunnel',
    isLong: true,
    summary: 'Adds tunnels between memories, and from memories to drawers, whose similarity reaches the threshold.',
    body: z
      .object({
        threshold: zShare.nullish().describe('Similarity from which two memories are linked, 0 to 1; absent: 0.75.'),
      })
      .optional(),
    responses: ok(
      'How many tunnels were added, and among how many of the newest memories.',
      {
        tunnels_created: z.int().describe('Links that were added.'),
        threshold: z.number().describe('Similarity from which two memories were linked, 0 to 1.'),
        considered: z.int().describe('Memories that were compared.'),
      },
      badRequest,
    ),
    handle: ({ body, origin }) =>
      deps.memoryLock.exclusive(async () =>
        value(await digTunnels(deps, body?.threshold ?? THRESHOLD_DEFAULT, origin)),
      ),
  });
}
