/**
 * A Yjs document that is the text of a collaboration room. The caller passes Yjs, so that only one copy of it is
 * loaded.
 */
import type { Daemon } from './connection.ts';
import { pause } from './pause.ts';
import { type HasDaemon, openSocket, type Socket, type SocketOptions } from './web-socket.ts';

export type { Daemon, HasDaemon, Socket, SocketOptions };

/** The part of the `yjs` module that a room uses. */
export interface Yjs<Doc> {
  encodeStateVector(doc: Doc): Uint8Array;
  encodeStateAsUpdate(doc: Doc, stateVector?: Uint8Array): Uint8Array;
  applyUpdate(doc: Doc, update: Uint8Array, origin?: unknown): void;
}

/** The part of `Y.Doc` that a room uses. */
export interface YjsDocument {
  on(name: 'update', listener: (update: Uint8Array, origin: unknown) => void): unknown;
  off(name: 'update', listener: (update: Uint8Array, origin: unknown) => void): unknown;
}

/** The part of `Y.Text` that tells what it holds. */
export interface YjsText {
  readonly length: number;
  toString(): string;
  getAttributes(): object;
}

/**
 * Whether a shared type holds characters and nothing else. An editor may keep other content under a name: paragraphs,
 * a map, a picture in the text. `toString` leaves it out, so positions in that string are not those of the type.
 */
export function isPlainText(shared: YjsText): boolean {
  return shared.length === shared.toString().length && Object.keys(shared.getAttributes()).length === 0;
}

export interface RoomPeer {
  readonly peer_id: string;
  readonly name: string;
  readonly color: string;
  readonly cursor: unknown;
  /** Unix time in milliseconds. */
  readonly last_active: number;
}

export interface RoomCursor {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly selection_end?: readonly [line: number, column: number] | null;
}

export interface RoomOptions<Doc extends YjsDocument> extends SocketOptions {
  readonly Y: Yjs<NoInfer<Doc>>;
  readonly doc: Doc;
  /** The name that the other peers see; default: `Anonymous`. */
  readonly name?: string | undefined;
  /** Called when a peer joins, leaves or moves the cursor. The list includes this peer, whose id is `own`. */
  readonly onPeers?: ((peers: readonly RoomPeer[], own: string) => void) | undefined;
  /**
   * `connected` for every connection, once the document is synchronised with the room; `connecting` as soon as it ends.
   * `closed` when the room is left, and when the daemon refuses what the document holds: a text that is too long, or
   * updates that no text can take. The room is then not joined again.
   */
  readonly onStatus?: ((status: 'connecting' | 'connected' | 'closed') => void) | undefined;
  /** Called with errors of the daemon, such as a full room, and when it did not take what was sent before `close`. */
  readonly onError?: ((message: string) => void) | undefined;
}

export interface Room {
  /** Resolves when the document is synchronised with the room for the first time. */
  readonly synced: Promise<void>;
  setCursor(cursor: RoomCursor | null): void;
  /** Leaves the room. The document is kept. The status is `closed` when the daemon has read all that was sent. */
  close(): void;
}

const STATE_VECTOR = 0;
const DIFFERENCE = 1;
const UPDATE = 2;
/** The update of a document without changes. */
const EMPTY_UPDATE_BYTES = 2;
/** Normal closure, and a close frame without a code: the daemon has read all that was sent before. */
const CLOSED_IN_ORDER: ReadonlySet<number> = new Set([1000, 1005]);
const NOT_TAKEN = 'The connection ended before the daemon took the last changes.';
/** The daemon closes without a reason at a frame over its limit. */
const TOO_LARGE = 'The last change is too large for one frame, so the daemon did not take it.';
const TOO_LARGE_CODE = 1009;
/** The daemon refuses what the document holds. On another connection the document would be sent again. */
const REFUSED: ReadonlySet<number> = new Set([1008, TOO_LARGE_CODE]);
/** The daemon sends three frames in this time. A connection that is silent for longer is broken. */
const SILENCE_MS_MAX = 45_000;
/** The first frame comes sooner. A handshake may wait on a connection that broke while it was kept for reuse. */
const OPENING_MS_MAX = 15_000;
const PAUSE_MS_MIN = 200;
const PAUSE_MS_MAX = 5_000;

/** Joins a room, and joins it again whenever the connection is lost, until the daemon refuses the document. */
export function connectRoom<Doc extends YjsDocument>(
  client: HasDaemon,
  roomId: string,
  options: RoomOptions<Doc>,
): Room {
  const leave = new AbortController();
  const signal = options.signal === undefined ? leave.signal : AbortSignal.any([leave.signal, options.signal]);
  const { promise: synced, resolve } = promiseWithResolver<void>();
  const presence: Presence = { own: undefined, peers: new Map(), socket: undefined };
  void (async () => {
    options.onStatus?.('connecting');
    for (let failures = 0; !signal.aborted; failures += 1) {
      const ended = await connectOnce(client, { roomId, options, presence, signal, synced: resolve });
      if (ended === 'refused') break;
      if (ended === 'synced') failures = 0;
      if (!signal.aborted) options.onStatus?.('connecting');
      await pause(Math.min(PAUSE_MS_MIN * 2 ** failures, PAUSE_MS_MAX), signal).catch(() => undefined);
    }
    options.onStatus?.('closed');
  })();
  return {
    synced,
    setCursor(cursor) {
      const { own, socket } = presence;
      if (own === undefined || socket?.readyState !== 1) return;
      socket.send(JSON.stringify({ type: 'awareness', peer_id: own, cursor, timestamp: Date.now() }));
    },
    close: () => leave.abort(),
  };
}

interface Presence {
  own: string | undefined;
  readonly peers: Map<string, RoomPeer>;
  socket: Socket | undefined;
}

interface Connecting<Doc extends YjsDocument> {
  readonly roomId: string;
  readonly options: RoomOptions<Doc>;
  readonly presence: Presence;
  readonly signal: AbortSignal;
  synced(): void;
}

/** Resolves when the connection ends: whether the document was synchronised with the room, or refused. */
async function connectOnce<Doc extends YjsDocument>(
  client: HasDaemon,
  each: Connecting<Doc>,
): Promise<'refused' | 'synced' | 'not synced'> {
  const { options, presence, signal } = each;
  const { Y, doc } = options;
  const path = `/ws/collab/${encodeURIComponent(each.roomId)}`;
  const opened = openSocket(client, path, { ...options, signal, query: { name: options.name } });
  const socket = await opened.catch((error: Error) => {
    if (!signal.aborted) options.onError?.(error.message);
  });
  if (socket === undefined) return 'not synced';
  presence.socket = socket;
  let hasSynced = false;
  let hasSentChanges = false;
  const send = (tag: number, rest: Uint8Array): void => {
    const frame = new Uint8Array(rest.length + 1);
    frame[0] = tag;
    frame.set(rest, 1);
    if (socket.readyState !== 1) return;
    socket.send(frame);
    if (tag !== STATE_VECTOR && rest.length > EMPTY_UPDATE_BYTES) hasSentChanges = true;
  };
  const changed = (update: Uint8Array, origin: unknown): void => {
    if (origin !== socket) send(UPDATE, update);
  };
  const received = (frame: Uint8Array): void => {
    const tag = frame[0];
    const content = frame.subarray(1);
    if (tag === STATE_VECTOR) send(DIFFERENCE, Y.encodeStateAsUpdate(doc, content));
    if (tag === DIFFERENCE || tag === UPDATE) Y.applyUpdate(doc, content, socket);
    if (tag !== DIFFERENCE || hasSynced) return;
    hasSynced = true;
    each.synced();
    options.onStatus?.('connected');
  };
  doc.on('update', changed);
  socket.addEventListener('close', ({ code, reason }) => {
    // A socket that is being closed drops the daemon's `error` frame. Only the code says that a change was refused.
    const isUntold = signal.aborted ? hasSentChanges && !CLOSED_IN_ORDER.has(code) : REFUSED.has(code) && reason === '';
    if (isUntold) options.onError?.(reason || (code === TOO_LARGE_CODE ? TOO_LARGE : NOT_TAKEN));
  });
  const ended = endOf(socket);
  socket.addEventListener('message', ({ data }) => {
    if (presence.socket !== socket) return;
    if (typeof data !== 'string') received(new Uint8Array(data));
    else if (applyFrame(presence, JSON.parse(data), options)) send(STATE_VECTOR, Y.encodeStateVector(doc));
  });
  const code = await ended;
  presence.socket = undefined;
  doc.off('update', changed);
  if (code !== undefined && REFUSED.has(code)) return 'refused';
  return hasSynced ? 'synced' : 'not synced';
}

/**
 * Resolves with the code when the connection is closed, or without one when it is silent for too long: a broken one may
 * take minutes to close.
 */
function endOf(socket: Socket): Promise<number | undefined> {
  const { promise, resolve } = promiseWithResolver<number | undefined>();
  const lost = (): void => {
    socket.close();
    resolve(undefined);
  };
  let silence = setTimeout(lost, OPENING_MS_MAX);
  socket.addEventListener('message', () => {
    clearTimeout(silence);
    silence = setTimeout(lost, SILENCE_MS_MAX);
  });
  socket.addEventListener('close', ({ code }) => {
    clearTimeout(silence);
    resolve(code);
  });
  return promise;
}

type Frame = { readonly [name: string]: unknown; readonly type: string };

/** Applies a frame to the presence and calls the listeners; true if it is the welcome of the room. */
function applyFrame<Doc extends YjsDocument>(presence: Presence, frame: Frame, options: RoomOptions<Doc>): boolean {
  const { peers } = presence;
  const { type, peer, peer_id } = frame;
  if (type === 'error') options.onError?.(String(frame.message));
  if (type === 'welcome') {
    presence.own = String(peer_id);
    peers.clear();
    for (const each of Array.isArray(frame.peers) ? frame.peers.filter(isPeer) : []) peers.set(each.peer_id, each);
  }
  if (type === 'peer_joined' && isPeer(peer)) peers.set(peer.peer_id, peer);
  if (type === 'peer_left') peers.delete(String(peer_id));
  const moved = type === 'awareness' ? peers.get(String(peer_id)) : undefined;
  if (moved !== undefined) peers.set(moved.peer_id, { ...moved, cursor: frame.cursor });
  if (type !== 'error') options.onPeers?.([...peers.values()], presence.own ?? '');
  return type === 'welcome';
}

function isPeer(value: unknown): value is RoomPeer {
  return typeof value === 'object' && value !== null && 'peer_id' in value && typeof value.peer_id === 'string';
}

/** Node 20 does not have `Promise.withResolvers`. */
function promiseWithResolver<Value>(): { readonly promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
