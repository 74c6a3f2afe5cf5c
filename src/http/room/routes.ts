/** Collaboration rooms: open one, list the open ones, list the peers of one. Texts are sent over the WebSocket. */
import { z } from 'zod';
import { room as decider } from '../../commands/room.ts';
import { zPeer } from '../../live/room/frames.ts';
import { roomIdFault } from '../../live/room/names.ts';
import type { Rooms } from '../../live/room/rooms.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { roomIds, waitingRoomIds } from '../../projections/room.ts';
import type { Views } from '../../projections/views.ts';
import { notFound } from '../server/errors.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { get, post } = routesOf({ tag: 'rooms' });

export interface Dependencies {
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly rooms: Rooms;
}

/** Ids in a list; rooms with peers come before rooms that wait for their first peer. */
const LISTED_MAX = 10_000;
const ALL_MAX = 100_000;

const zRoomId = z.string().superRefine((id, context) => {
  const fault = roomIdFault(id);
  if (fault !== null) context.addIssue(fault);
});

export function roomRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    post('/collab/rooms', {
      operation: 'open',
      dispatchOnly: true,
      summary: 'Opens a room; an open room stays as it is. A closed room has kept its texts.',
      body: z.object({ room_id: zRoomId.nullish() }),
      responses: ok(
        'The room.',
        { room_id: z.string(), peer_count: z.int().describe('Peers that are connected.') },
        { 400: 'No body, or an id no room can have.' },
      ),
      async handle({ body, answerAfter }) {
        const id = body.room_id ?? deps.ids.hex(8);
        return answerAfter(decider, id, { type: 'OpenRoom', peers: deps.rooms.peerCount(id) }, () =>
          value({ room_id: id, peer_count: deps.rooms.peerCount(id) }),
        );
      },
    }),
    get('/collab/rooms', {
      operation: 'list',
      summary: 'Ids of the open rooms: those with peers, and those that wait for their first peer.',
      query: z.object({
        all: z
          .enum(['true', 'false'])
          .optional()
          .describe('`true`: also the closed rooms, which have kept their texts.'),
      }),
      responses: ok(`At most ${LISTED_MAX}, in no order; at most ${ALL_MAX} with \`all\`.`, z.array(z.string())),
      handle({ query }) {
        if (query.all === 'true') return value(roomIds(deps.views, ALL_MAX));
        const ids = new Set([...deps.rooms.inUse(), ...waitingRoomIds(deps.views, LISTED_MAX)]);
        return value([...ids].slice(0, LISTED_MAX));
      },
    }),
    get('/collab/rooms/{room_id}/peers', {
      operation: 'peers',
      summary: 'The peers of an open room.',
      params: z.object({ room_id: z.string() }),
      responses: ok('Its peers; empty while it waits for the first one.', z.array(zPeer), {
        404: 'Unknown room, or a closed one, which all peers have left.',
      }),
      handle({ params: { room_id } }) {
        const peers = deps.rooms.peers(room_id);
        if (peers === null) throw notFound('Room', room_id);
        return value(peers);
      },
    }),
  ];
}
