/** WebSocket handshakes: which requests are handshakes, and the server for those that the auth guard admitted. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { pendingReply, refuseUpgrade } from './connections.ts';
import { HttpError } from './errors.ts';

/** Sent to a client that speaks another version of the protocol. */
const VERSION = { 'sec-websocket-version': '13' };

/**
 * An upgrade to another protocol (Java's HTTP client asks for HTTP/2 by default) is answered as a plain request where
 * the path has plain routes. So is a handshake that did not wait for an earlier reply: no frame may precede it.
 */
export function isWebSocketUpgrade({ headers, url = '', socket }: IncomingMessage): boolean {
  if (pendingReply(socket) !== undefined) return false;
  return /\bwebsocket\b/i.test(headers.upgrade ?? '') || isWebSocketPath(url.split('?', 1)[0]!);
}

/** Whether only WebSockets are served below the path. */
export function isWebSocketPath(path: string): boolean {
  return path.startsWith('/ws/') || path === '/v1/events/ws';
}

const PING_MS = 15_000;

export interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Called for each message of a client. */
export type MessageListener = (data: Buffer, isBinary: boolean) => void;

interface WebSockets {
  /**
   * Answers the handshake, then calls `serve`, unless the client has disconnected or the handshake is invalid. `serve`
   * returns the listener of the client's messages, if there is one. An error of either is reported and closes the
   * connection with 1011.
   */
  accept(handshake: Handshake, serve: (client: WebSocket) => MessageListener | undefined): void;
  /** Accepts no more clients and closes the connected ones, without waiting for them. */
  close(): void;
}

interface WebSocketOptions {
  readonly frameBytesMax: number;
  announce(line: string): void;
}

export function createWebSockets({ frameBytesMax, announce }: WebSocketOptions): WebSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax, perMessageDeflate: false });
  server.on('wsClientError', (error, socket) =>
    refuseUpgrade(socket, new HttpError(400, `${error.message}.`, VERSION)),
  );
  return {
    accept({ request, socket, head }, serve) {
      server.handleUpgrade(request, socket, head, (client) => {
        // `ws` closes the connection itself, with a code for a protocol violation.
        client.on('error', () => undefined);
        closeOnError(client, announce, () => {
          const listener = serve(client);
          if (listener === undefined) return;
          client.on('message', (data: Buffer, isBinary: boolean) =>
            closeOnError(client, announce, () => listener(data, isBinary)),
          );
        });
      });
    },
    close: () => closeWebSockets(server),
  };
}

/** Runs work for a client. An error of the work is handled as `WebSockets.accept` describes. */
export function closeOnError(client: WebSocket, announce: (line: string) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    closeFaulty(client, error, announce);
  }
}

/** The part of a WebSocket that `pingUntilClosed` uses. */
export interface PingedSocket {
  readonly isPaused: boolean;
  ping(): void;
  terminate(): void;
  on(event: 'close' | 'pong', listener: () => void): unknown;
}

/**
 * Pings a client until its connection is closed, then calls `onClose`. Terminates a client that answers no ping. Calls
 * `onPing` with each ping, which browsers do not show to a page.
 */
export function pingUntilClosed(client: PingedSocket, onClose: () => void, onPing: () => void = () => undefined): void {
  let isAlive = true;
  client.on('pong', () => {
    isAlive = true;
  });
  const ping = setInterval(() => {
    // A paused socket does not read its pong.
    if (!isAlive && !client.isPaused) return client.terminate();
    isAlive = false;
    client.ping();
    onPing();
  }, PING_MS).unref();
  client.on('close', () => {
    clearInterval(ping);
    onClose();
  });
}

/** Reports an error of the daemon, and closes the connection without its text, which may hold paths or secrets. */
export function closeFaulty(client: WebSocket, error: unknown, announce: (line: string) => void): void {
  announce(`error: ${String((error as Error)?.stack ?? error)}`);
  client.close(1011, 'Internal error; the daemon’s log has the details.');
}

/** A client that does not answer the closing handshake within this time is disconnected. */
const CLOSE_MS_MAX = 1_000;

function closeWebSockets(server: WebSocketServer): void {
  for (const client of server.clients) client.close(1001, 'The daemon is going down.');
  setTimeout(() => {
    for (const client of server.clients) client.terminate();
  }, CLOSE_MS_MAX).unref();
  server.close();
}
