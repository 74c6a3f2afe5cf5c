/** One visit of a room: it is entered, read or changed, and left. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Doc } from 'yjs';
import { connectRoom, type Room, type RoomPeer } from '../../client/yjs.ts';
import { type Client, RequestRefused } from '../client.ts';
import { CommandError } from '../errors.ts';

const PEER_NAME = 'daybook room';
const ENTER_MS_MAX = 20_000;
const UPGRADE_REQUIRED = 426;

export interface Visit {
  readonly doc: Doc;
  /** The peers beside this command. */
  peers(): readonly RoomPeer[];
}

interface VisitOptions {
  /** Called after every change of texts and peers. With it, the visit continues after a lost connection. */
  readonly changed?: () => void;
}

/**
 * Enters a room, runs `work`, and leaves the room when the daemon has taken all changes. Throws `CommandError` for a
 * change that it did not take.
 */
export async function visit<Result>(
  client: Client,
  id: string,
  work: (visit: Visit) => Promise<Result>,
  { changed }: VisitOptions = {},
): Promise<Result> {
  const Y = await import('yjs');
  const doc = new Y.Doc();
  let peers: readonly RoomPeer[] = [];
  let hasEntered = false;
  let attempts = 0;
  const entering = new AbortController();
  const { promise: refused, resolve: noteRefusal } = Promise.withResolvers<void>();
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const room: Room = connectRoom(client.api, id, {
    Y,
    doc,
    name: PEER_NAME,
    onPeers(now) {
      peers = now.filter(({ name }) => name !== PEER_NAME);
      changed?.();
    },
    onStatus(status) {
      if (status === 'closed') resolve();
      if (status === 'connecting') attempts += 1;
      if (attempts > 1) noteRefusal();
    },
    onError: (message) => void (!(hasEntered && changed) && reject(new CommandError(message))),
  });
  if (changed !== undefined) doc.on('update', changed);
  let result: Result;
  try {
    await Promise.race([room.synced, failed, notEntered(client, id, { refused, signal: entering.signal })]);
    hasEntered = true;
    entering.abort();
    result = await Promise.race([work({ doc, peers: () => peers }), failed]);
  } finally {
    entering.abort();
    room.close();
    // A visit that continues after a lost connection changes nothing, and may be on one that is lost.
    if (changed === undefined) await left;
    doc.destroy();
  }
  return Promise.race([failed, result]);
}

/**
 * Rejects when the room is not entered in time. A handshake that is refused has no reason; the same request without a
 * handshake has one, and waits for the rate limit.
 */
async function notEntered(
  { api }: Client,
  id: string,
  { refused, signal }: { readonly refused: Promise<void>; readonly signal: AbortSignal },
): Promise<never> {
  await Promise.race([refused, sleep(ENTER_MS_MAX, undefined, { signal })]);
  const { token } = await api.daemon();
  const options = { query: { token }, signal };
  await api.calls.text('GET /ws/collab/{}', [id], options).catch((error: unknown) => {
    if (!(error instanceof RequestRefused) || error.status !== UPGRADE_REQUIRED) throw error;
  });
  await sleep(ENTER_MS_MAX, undefined, { signal });
  throw new CommandError(`The room ${id} could not be entered within ${ENTER_MS_MAX / 1_000} s.`);
}
