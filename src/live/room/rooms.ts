/**
 * The rooms of the daemon. One is in memory while somebody is in it or on the way in, and until its text is in the log;
 * a room that merely exists costs a row of the views.
 */

import { refused, sanitiseEcho } from '../../commands/refusal.ts';
import { room as decider, type RoomCommand, type RoomState } from '../../commands/room.ts';
import type { RoomTextEvent } from '../../events/room.ts';
import type { ReplicasPort } from '../../ports/replica.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Dispatcher } from '../../streams/dispatch.ts';
import type { PeerCard } from './frames.ts';
import { roomIdFault } from './names.ts';
import { cardOf } from './peer.ts';
import { createRoom, type Room } from './room.ts';
import { openRoomText } from './text.ts';

export const ROOMS_IN_USE_MAX = 128;

export interface Rooms {
  /** Ids of the rooms that somebody is in. */
  inUse(): readonly string[];
  /** null while the room is closed, was never made, or no room can have the id. */
  peers(id: string): readonly PeerCard[] | null;
  peerCount(id: string): number;
  /** The room, made if there is none, and held in memory until it is released. Throws `HttpError` when it cannot be. */
  hold(id: string): Promise<Room>;
  release(id: string): void;
  /** Everything written is recorded, if the log takes it. Sockets are closed before. */
  close(): Promise<void>;
}

export interface RoomsParts {
  readonly log: EventLog;
  readonly dispatcher: Dispatcher;
  readonly replicas: ReplicasPort;
  readonly announce: (line: string) => void;
}

interface Live {
  holds: number;
  readonly opening: Promise<Room>;
  room: Room | null;
}

const ORIGIN = { actor: 'owner', correlation: null } as const;
const NOT_KEPT = 'The log takes no writes at the moment. What is written here lasts until the daemon ends.';

export function createRooms({ log, dispatcher, replicas, announce }: RoomsParts): Rooms {
  const live = new Map<string, Live>();

  function send(id: string, command: RoomCommand, event: RoomTextEvent | null = null): Promise<{ state: RoomState }> {
    return dispatcher.dispatch(decider, id, command, {
      origin: ORIGIN,
      together: (desk) => {
        if (event !== null) desk.note(streamOf(id), event);
        return undefined;
      },
    });
  }

  async function open(id: string): Promise<Room> {
    const text = await openRoomText({
      log,
      replicas,
      stream: streamOf(id),
      append: (event) => send(id, { type: 'WriteRoomText' }, event),
      onTrouble(why) {
        announce(`Room ${sanitiseEcho(id)}: what is written cannot be recorded (${why.message}); it is tried again.`);
        live.get(id)?.room?.tell(NOT_KEPT);
      },
    });
    return createRoom(id, text);
  }

  function begin(id: string): Live {
    if (live.size >= ROOMS_IN_USE_MAX) {
      throw refused('unavailable', `${ROOMS_IN_USE_MAX} rooms are in use already; try again when one is left.`);
    }
    const begun: Live = { holds: 0, opening: open(id), room: null };
    begun.opening.then(
      (room) => {
        begun.room = room;
      },
      () => live.delete(id),
    );
    live.set(id, begun);
    return begun;
  }

  function release(id: string): void {
    const entry = live.get(id);
    if (entry === undefined) return;
    entry.holds -= 1;
    if (entry.holds === 0) void retire(id, entry);
  }

  /** Out of memory, once everything is recorded and if nobody came back meanwhile. */
  async function retire(id: string, entry: Live): Promise<void> {
    const room = await entry.opening.catch(() => null);
    await room?.text.saved();
    if (entry.holds > 0 || live.get(id) !== entry) return;
    live.delete(id);
    await room?.text.close();
  }

  return {
    inUse: () => [...live.values()].flatMap(({ room }) => (room !== null && room.peers.size > 0 ? [room.id] : [])),
    peers(id) {
      if (roomIdFault(id) !== null) return null;
      const peers = [...(live.get(id)?.room?.peers ?? [])].map(cardOf);
      return peers.length > 0 || dispatcher.load(decider, id).isWaiting ? peers : null;
    },
    peerCount: (id) => live.get(id)?.room?.peers.size ?? 0,
    async hold(id) {
      const entry = live.get(id) ?? begin(id);
      entry.holds += 1;
      try {
        await send(id, { type: 'EnterRoom' });
        return await entry.opening;
      } catch (error) {
        release(id);
        throw error;
      }
    },
    release,
    async close() {
      const open = [...live.values()].flatMap(({ room }) => (room === null ? [] : [room]));
      live.clear();
      const saved = await Promise.all(open.map(({ text }) => text.close()));
      const lost = saved.filter((isSaved) => !isSaved).length;
      if (lost > 0) announce(`Rooms whose last changes could not be recorded, as the log takes no writes: ${lost}.`);
    },
  };
}

function streamOf(id: string): string {
  return `room_text-${id}`;
}
