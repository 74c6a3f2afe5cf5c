/** A client of a room: a real WebSocket, and a real replica of the text. */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import * as Y from 'yjs';

export const STEP_1 = 0;
export const STEP_2 = 1;
export const UPDATE = 2;

export interface PeerCard {
  readonly peer_id: string;
  readonly name: string;
  readonly color: string;
  readonly cursor: unknown;
  readonly last_active: number;
}

export interface TextFrame {
  readonly type: string;
  readonly room_id?: string;
  readonly peer_id?: string;
  readonly peer?: PeerCard;
  readonly peers?: readonly PeerCard[];
  readonly message?: string;
}

export interface Client {
  readonly socket: WebSocket;
  /** What the WebSocket speaks over. */
  readonly raw: Socket;
  readonly document: Y.Doc;
  /** Everything that came, text frames parsed, in order. */
  readonly frames: readonly (TextFrame | Buffer)[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  texts(type: string): readonly TextFrame[];
  text(): string;
  send(tag: number, rest: Uint8Array): void;
  sendRaw(frame: Uint8Array | string): void;
  /** Looks after every frame, and at once. Fails when the connection ends before it holds. */
  until(holds: () => boolean): Promise<void>;
  leave(): Promise<void>;
}

export interface JoinOptions {
  readonly url: string;
  readonly token: string;
  readonly room: string;
  readonly name?: string;
  /** A replica that was somewhere else before. */
  readonly document?: Y.Doc;
  /** A client that reads frames and answers none. */
  readonly isMute?: boolean;
}

export const FILE = 'src/a.ts';

/** Resolves when the first frame came: welcome, or why not. */
export async function join(options: JoinOptions): Promise<Client> {
  const { url, token, room, name, document = new Y.Doc(), isMute = false } = options;
  const query = name === undefined ? '' : `&name=${encodeURIComponent(name)}`;
  const at = `${url.replace(/^http/, 'ws')}/ws/collab/${encodeURIComponent(room)}?token=${token}${query}`;
  const socket = new WebSocket(at);
  let raw: Socket | undefined;
  socket.once('upgrade', (response) => {
    raw = response.socket;
  });
  const frames: (TextFrame | Buffer)[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const send = (tag: number, rest: Uint8Array): void => socket.send(Buffer.concat([Buffer.from([tag]), rest]));
  const local = (update: Uint8Array, origin: unknown): void => {
    if (origin !== socket && socket.readyState === socket.OPEN) send(UPDATE, update);
  };
  document.on('update', local);
  socket.on('close', () => document.off('update', local));
  socket.on('message', (data: Buffer, isBinary) => {
    frames.push(isBinary ? data : (JSON.parse(data.toString()) as TextFrame));
    if (isBinary && !isMute) answer(data);
    look();
  });
  const answer = (frame: Buffer): void => {
    const rest = frame.subarray(1);
    try {
      if (frame[0] === STEP_1) send(STEP_2, Y.encodeStateAsUpdate(document, rest));
      if (frame[0] === STEP_2 || frame[0] === UPDATE) Y.applyUpdate(document, rest, socket);
    } catch {
      // Garbage of others is passed on, too; this replica has no use for it.
    }
  };
  const client: Client = {
    socket,
    get raw() {
      return raw!;
    },
    document,
    frames,
    closed,
    texts: (type) => frames.filter((frame): frame is TextFrame => !Buffer.isBuffer(frame) && frame.type === type),
    text: () => document.getText(FILE).toString(),
    send,
    sendRaw: (frame) => socket.send(frame),
    until: (holds) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!holds()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void closed.then(({ code, reason }) => reject(new Error(`closed ${code} ${reason} before it held`)));
      }),
    async leave() {
      socket.close();
      await closed;
    },
  };
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.once('message', () => resolve());
  });
  if (!isMute) send(STEP_1, Y.encodeStateVector(document));
  return client;
}

/** Until they see the same text, and it is the text given, if one is. */
export async function converge(clients: readonly Client[], text?: string): Promise<string> {
  const wanted = text ?? clients[0]!.text();
  await Promise.all(clients.map((client) => client.until(() => client.text() === wanted)));
  return wanted;
}
