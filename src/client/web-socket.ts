/** The WebSocket connection that the parts of the client share. */
import type { Daemon } from './connection.ts';

/** The part of a `WebSocket` that the client uses, so that those of browsers, Node and `ws` fit. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  send(data: string | Uint8Array<ArrayBuffer> | Int16Array<ArrayBuffer>): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: string | ArrayBuffer }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

export interface SocketOptions {
  /** Default: the global one, which Node has since version 22. */
  readonly WebSocket?: (new (url: string) => Socket) | undefined;
  /** Closes the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** The part of a client that a socket needs. */
export interface HasDaemon {
  daemon(): Promise<Daemon>;
}

/** Rejects with the reason of the signal if it is aborted before the socket exists; a later abort closes the socket. */
export async function openSocket(
  client: HasDaemon,
  path: string,
  {
    query,
    signal,
    WebSocket = globalThis.WebSocket,
  }: SocketOptions & { readonly query: Readonly<Record<string, string | undefined>> },
): Promise<Socket> {
  if (WebSocket === undefined) throw new TypeError('There is no WebSocket here: give one as option.');
  const { url, token } = await client.daemon();
  signal?.throwIfAborted();
  const given = Object.entries({ token, ...query }).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}?${search}`);
  socket.binaryType = 'arraybuffer';
  // The socket of `ws` throws an error that nobody listens to. A `close` event follows.
  socket.addEventListener('error', () => undefined);
  // Here, because a caller goes on a few microtasks later, and an abort may come between.
  const close = (): void => socket.close();
  signal?.addEventListener('abort', close, { once: true });
  socket.addEventListener('close', () => signal?.removeEventListener('abort', close));
  return socket;
}
