/**
 * The presence of peers in a room, in the awareness protocol of yjs: a state (JSON) for each client id, with a clock
 * that grows with every change. It covers peers of both protocols; states of yjs peers are passed on unchanged.
 *
 * - A state with a newer clock counts from any sender, because a client that connects again keeps its id. Echoes of the
 *   daemon's own updates are not newer, so they are not passed on.
 * - Only the connection that a client uses can end its presence; reports of other peers are ignored.
 */
import { hash } from 'node:crypto';
import { VarintReader, varints } from '../../lib/varints.ts';

/** Interval at which states are renewed. Clients remove a state that was not renewed for 30 s. */
export const RENEW_MS = 15_000;
/** Limit of client ids in a room, including those that have left. */
const CLIENTS_MAX = 256;
/** Limit of client ids of one connection; editors use few. */
const CLIENTS_OF_A_PEER_MAX = 8;
const STATE_CHARACTERS_MAX = 16_384;

const GONE = 'null';

interface Client {
  clock: number;
  /** JSON; `null` once it has left. */
  state: string;
  /** The peer that uses the client id; null once it has left. */
  owner: string | null;
}

interface AwarenessChange {
  /** The update with the new states, for peers with awareness; null when nothing is new. */
  readonly update: Uint8Array | null;
  /** The new states of the sender’s clients. */
  readonly states: readonly unknown[];
}

export class Awareness {
  readonly #clients = new Map<number, Client>();

  /** Applies the new states of a peer's update. Returns null for an unreadable update. */
  receive(peerId: string, update: Uint8Array): AwarenessChange | null {
    const entries = read(update);
    if (entries === null) return null;
    const news = entries.filter((entry) => this.#take(peerId, entry));
    return { update: encoded(news), states: news.map(({ state }) => JSON.parse(state) as unknown) };
  }

  /** Sets the state of a peer that has no client id of its own. */
  set(peerId: string, state: unknown): Uint8Array | null {
    const id = clientIdOf(peerId);
    const clock = (this.#clients.get(id)?.clock ?? 0) + 1;
    const entry = { id, clock, state: JSON.stringify(state) };
    return this.#take(peerId, entry) ? encoded([entry]) : null;
  }

  /** Removes the clients of a peer. Returns the update for the others. */
  leave(peerId: string): Uint8Array | null {
    const removed: Entry[] = [];
    for (const [id, client] of this.#clients) {
      if (client.owner !== peerId) continue;
      Object.assign(client, { clock: client.clock + 1, state: GONE, owner: null });
      removed.push({ id, clock: client.clock, state: GONE });
    }
    return encoded(removed);
  }

  /** An update with all present states; null when there are none. */
  everybody(): Uint8Array | null {
    const there = [...this.#clients].filter(([, { owner }]) => owner !== null);
    return encoded(there.map(([id, { clock, state }]) => ({ id, clock, state })));
  }

  #take(peerId: string, { id, clock, state }: Entry): boolean {
    const known = this.#clients.get(id);
    const isNewer = known === undefined || clock > known.clock;
    const isOwnEnd = known?.clock === clock && state === GONE && known.owner === peerId;
    if (!isNewer && !isOwnEnd) return false;
    if (state === GONE && known?.owner !== peerId) return false;
    if (known === undefined && !this.#hasRoomFor(peerId)) return false;
    this.#clients.set(id, { clock, state, owner: state === GONE ? null : peerId });
    return true;
  }

  /** Whether a peer may add a client; drops a client that has left if the limit is reached. */
  #hasRoomFor(peerId: string): boolean {
    const own = [...this.#clients.values()].filter(({ owner }) => owner === peerId);
    if (own.length >= CLIENTS_OF_A_PEER_MAX) return false;
    if (this.#clients.size < CLIENTS_MAX) return true;
    const departed = [...this.#clients].find(([, { owner }]) => owner === null);
    return departed !== undefined && this.#clients.delete(departed[0]);
  }
}

interface Entry {
  readonly id: number;
  readonly clock: number;
  readonly state: string;
}

function read(update: Uint8Array): readonly Entry[] | null {
  try {
    const reader = new VarintReader(update);
    const count = reader.number();
    if (count > CLIENTS_MAX) return null;
    const entries: Entry[] = [];
    while (entries.length < count) {
      const entry = { id: reader.number(), clock: reader.number(), state: reader.text() };
      if (entry.state.length > STATE_CHARACTERS_MAX) return null;
      JSON.parse(entry.state);
      entries.push(entry);
    }
    return entries;
  } catch {
    return null;
  }
}

function encoded(entries: readonly Entry[]): Uint8Array | null {
  if (entries.length === 0) return null;
  return varints(entries.length, ...entries.flatMap(({ id, clock, state }) => [id, clock, state]));
}

/** 32 bits of the id's hash; in about one of a hundred million rooms two peers collide. */
function clientIdOf(peerId: string): number {
  return hash('sha256', peerId, 'buffer').readUInt32BE(0);
}
