/** `GET /v1/nodes`: the daemons of this log. */
import { z } from 'zod';
import type { Nodes } from '../reactors/nodes/nodes.ts';
import { value } from './server/answer.ts';
import { type RouteSpec, route } from './server/route.ts';

export interface Dependencies {
  readonly nodes: Pick<Nodes, 'list'>;
}

const zNode = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  /** When its process started, and when it was last seen: Unix milliseconds. */
  since: z.int(),
  last_seen: z.int(),
  alive: z.boolean(),
  workspaces: z.array(z.string()),
  runs: z.array(z.string()),
  position: z.int(),
});
z.globalRegistry.add(zNode, { id: 'Node' });

export function nodeRoutes({ nodes }: Dependencies): readonly RouteSpec[] {
  return [
    route({
      method: 'GET',
      path: '/v1/nodes',
      operation: 'list',
      summary:
        'The daemons of this log, the one that answers first: the folders whose runs each takes (none: all), the runs ' +
        'that it executes, and the position that its views have folded.',
      tag: 'nodes',
      auth: 'bearer',
      withoutViews: true,
      responses: { 200: { description: 'At least the daemon itself.', schema: z.object({ nodes: z.array(zNode) }) } },
      handle: () => value({ nodes: nodes.list() }),
    }),
  ];
}
