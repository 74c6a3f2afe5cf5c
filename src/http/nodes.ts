/** `GET /v1/nodes`: the daemons of this log. */
import { z } from 'zod';
import { type Nodes, zNode } from '../reactors/nodes/nodes.ts';
import { ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get } = routesOf({ tag: 'nodes', withoutViews: true });

export interface Dependencies {
  readonly nodes: Pick<Nodes, 'list'>;
}

export function nodeRoutes({ nodes }: Dependencies): readonly RouteSpec[] {
  return [
    get('/v1/nodes', {
      operation: 'list',
      summary:
        'The daemons of this log, the one that answers first: the folders whose runs each takes (none: all), the runs ' +
        'that it executes, and the position that its views have folded.',
      responses: ok('At least the daemon itself.', { nodes: z.array(zNode).describe('The one that answers first.') }),
      handle: () => value({ nodes: nodes.list() }),
    }),
  ];
}
