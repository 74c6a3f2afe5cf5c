/**
 * The rooms of the daemon. A room is in memory while it has peers or entering peers, and until its text is in the log;
 * every other room costs a row of the views.
 */
import type { Observable } from 'rxjs';
import { refused, sanitiseEcho } from '../../commands/refusal.ts';
import { room as decider, type RoomCommand, type RoomState, roomText } from '../../commands/room.ts';
import { decodeReadable } from '../../events/decode.ts';
import { type RoomTextEvent, roomTextEvents } from '../../events/room.ts';
import type { ReplicasPort } from '../../ports/replica.ts';
import { idOf } from '../../projections/projection.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { EventBatch } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import type { PeerCard } from './frames.ts';
import { roomIdFault } from './names.ts';
import { peerCard } from './peer.ts';
import { Room } from './room.ts';
import { openRoomText } from './text.ts';

export const ROOMS_IN_USE_MAX = 128;

interface RoomsParts {
  readonly log: EventLog;
  readonly commandHandler: CommandHandler;
  readonly replicas: ReplicasPort;
  /** Every batch of events once it is durable. */
  readonly appended$: Observable<EventBatch>;
  /** Whether other daemons append to the log. */
  readonly isShared: boolean;
  readonly announce: (line: string) => void;
}

interface LoadedRoom {
  /** Number of connections that are in the room or entering it. */
  users: number;
  readonly opening: Promise<Room>;
  room: Room | null;
}

const ORIGIN = { actor: 'owner', correlation: null } as const;
const NOT_KEPT = 'The log takes no writes at the moment. What is written here lasts until the daemon ends.';

export class Rooms {
  readonly #parts: RoomsParts;
  readonly #loaded = new Map<string, LoadedRoom>();

  constructor(parts: RoomsParts) {
    this.#parts = parts;
    if (parts.isShared)
      parts.appended$.pipe(select({ category: roomText.category })).subscribe((events) => this.#receive(events));
  }

  /** Ids of the rooms that have peers. */
  inUse(): readonly string[] {
    return [...this.#loaded.values()].flatMap(({ room }) => (room !== null && room.peers.size > 0 ? [room.id] : []));
  }

  /** null for a closed or unknown room, and for an invalid id. */
  peers(id: string): readonly PeerCard[] | null {
    if (roomIdFault(id) !== null) return null;
    const peers = [...(this.#loaded.get(id)?.room?.peers ?? [])].map(peerCard);
    return peers.length > 0 || this.#parts.commandHandler.load(decider, id).isWaiting ? peers : null;
  }

  peerCount(id: string): number {
    return this.#loaded.get(id)?.room?.peers.size ?? 0;
  }

  /**
   * Loads the room, creating it if there is none, and keeps it in memory until `release`. Throws `Refused` when too
   * many rooms are in use. Passes on errors of recording the entry.
   */
  async acquire(id: string): Promise<Room> {
    const entry = this.#loaded.get(id) ?? this.#load(id);
    entry.users += 1;
    try {
      await this.#send(id, { type: 'EnterRoom' });
      return await entry.opening;
    } catch (error) {
      this.#release(id, entry);
      throw error;
    }
  }

  release(id: string): void {
    const entry = this.#loaded.get(id);
    if (entry !== undefined) this.#release(id, entry);
  }

  /** Records all changes, if the log takes them. Called after the sockets are closed. */
  async close(): Promise<void> {
    const open = [...this.#loaded.values()].flatMap(({ room }) => (room === null ? [] : [room]));
    this.#loaded.clear();
    const saved = await Promise.all(open.map(({ text }) => text.close()));
    const lost = saved.filter((isSaved) => !isSaved).length;
    if (lost === 0) return;
    this.#parts.announce(`Rooms whose last changes could not be recorded, as the log takes no writes: ${lost}.`);
  }

  /** Sends the updates that other daemons recorded to the peers of this one. */
  #receive(events: EventBatch): void {
    const leaveOut = ({ stream }: RecordedEvent, { message }: Error): void => {
      const id = idOf(stream);
      if (!this.#loaded.has(id)) return;
      this.#parts.announce(`Room ${sanitiseEcho(id)}: a change of another daemon is not shown here: ${message}`);
    };
    for (const event of decodeReadable(roomTextEvents, events, leaveOut)) {
      const loaded = this.#loaded.get(idOf(event.stream));
      if (loaded === undefined || this.#parts.commandHandler.isAppending(event)) continue;
      const text = event.type === 'RoomTextCompacted' ? event.data.state : event.data.update;
      void loaded.opening.then((room) => room.receiveRecorded(Buffer.from(text, 'base64'))).catch(() => undefined);
    }
  }

  #load(id: string): LoadedRoom {
    if (this.#loaded.size >= ROOMS_IN_USE_MAX) {
      throw refused('unavailable', `${ROOMS_IN_USE_MAX} rooms are in use already; try again when one is left.`);
    }
    const entry: LoadedRoom = { users: 0, opening: this.#open(id), room: null };
    entry.opening.then(
      (room) => {
        entry.room = room;
      },
      () => this.#loaded.delete(id),
    );
    this.#loaded.set(id, entry);
    return entry;
  }

  #release(id: string, entry: LoadedRoom): void {
    entry.users -= 1;
    if (entry.users === 0) void this.#unload(id, entry);
  }

  async #open(id: string): Promise<Room> {
    const { log, replicas, announce, isShared } = this.#parts;
    const text = await openRoomText({
      log,
      replicas,
      stream: `${roomText.category}-${id}`,
      isShared,
      append: (event) => this.#send(id, { type: 'WriteRoomText' }, event),
      onTrouble: ({ message }) => {
        announce(`Room ${sanitiseEcho(id)}: what is written cannot be recorded (${message}); it is tried again.`);
        this.#loaded.get(id)?.room?.sendError(NOT_KEPT);
      },
    });
    return new Room(id, text);
  }

  /** Removes the room from memory once all changes are recorded, unless a peer has entered meanwhile. */
  async #unload(id: string, entry: LoadedRoom): Promise<void> {
    const room = await entry.opening.catch(() => null);
    await room?.text.saved();
    if (entry.users > 0 || this.#loaded.get(id) !== entry) return;
    this.#loaded.delete(id);
    await room?.text.close();
  }

  #send(id: string, command: RoomCommand, text: RoomTextEvent | null = null): Promise<{ state: RoomState }> {
    return this.#parts.commandHandler.dispatch(decider, id, command, {
      origin: ORIGIN,
      policy: (unit) => {
        if (text !== null) unit.send(roomText, id, { type: 'RecordRoomText', text });
        return undefined;
      },
    });
  }
}
