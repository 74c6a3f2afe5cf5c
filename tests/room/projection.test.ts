/** The rooms that wait for their first peer, as a table. */
import { it } from 'vitest';
import type { RoomEvent } from '../../src/events/room.ts';
import { roomIds, rooms, waitingRoomIds } from '../../src/projections/room.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';

const of = (id: string, type: RoomEvent['type']) => ({ stream: `room-${id}`, type, data: {} });

it('a room waits from its creation until a peer enters it, and again after it is reopened', () => {
  const waiting = (...ids: readonly string[]) => given.thenAnswer((views) => waitingRoomIds(views, 10), ids);
  const given = givenProjection(rooms, [of('b-2', 'RoomCreated'), of('a', 'RoomCreated'), of('c', 'RoomCreated')]);
  waiting('a', 'b-2', 'c');
  given.thenAnswer((views) => waitingRoomIds(views, 2), ['a', 'b-2']);
  given.when([of('a', 'RoomEntered'), of('c', 'RoomEntered')]);
  waiting('b-2');
  given.when([of('a', 'RoomReopened')]);
  waiting('a', 'b-2');
  given.thenAnswer((views) => roomIds(views, 10), ['a', 'b-2', 'c']);
  given.thenAnswer((views) => roomIds(views, 2), ['a', 'b-2']);
});
