/** The rooms, and whether they wait for their first peer. The peers of a room are in memory only. */
import type { RoomEvent } from '../events/room.ts';
import { handlers, idOf, type Projection } from './projection.ts';
import { column } from './rows.ts';
import type { Views } from './views.ts';

export const rooms: Projection = {
  name: 'rooms',
  version: 1,
  tables: ['rooms'],
  create: `
CREATE TABLE rooms (id TEXT PRIMARY KEY, is_waiting INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX rooms_waiting ON rooms (id) WHERE is_waiting = 1;`,
  on: handlers<RoomEvent>({
    RoomCreated: (views, event) => set(views, event.stream, 1),
    RoomReopened: (views, event) => set(views, event.stream, 1),
    RoomEntered: (views, event) => set(views, event.stream, 0),
  }),
};

export function waitingRoomIds(views: Views, limit: number): readonly string[] {
  return column(views, 'SELECT id FROM rooms WHERE is_waiting = 1 ORDER BY id LIMIT ?', limit);
}

/** Ids of all rooms, also of closed ones, whose texts are kept. */
export function roomIds(views: Views, limit: number): readonly string[] {
  return column(views, 'SELECT id FROM rooms ORDER BY id LIMIT ?', limit);
}

function set(views: Views, stream: string, isWaiting: 0 | 1): void {
  views.run('INSERT OR REPLACE INTO rooms VALUES (?, ?)', idOf(stream), isWaiting);
}
