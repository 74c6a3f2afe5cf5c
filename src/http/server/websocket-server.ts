/** Which requests ask for a WebSocket, the server for handshakes that the auth guard admitted, and its end. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { pendingReply, refuseUpgrade } from './connections.ts';
import { HttpError } from './errors.ts';

/** Told to a client that speaks another version of the protocol. */
const VERSION = { 'sec-websocket-version': '13' };

/**
 * An upgrade to another protocol (Java's HTTP client asks for HTTP/2 by default) is answered as a plain request where
 * the path has plain routes. So is a handshake that did not wait for an earlier reply: no frame may precede it.
 */
export function isWebSocketUpgrade({ headers, url = '', socket }: IncomingMessage): boolean {
  if (pendingReply(socket) !== undefined) return false;
  return /\bwebsocket\b/i.test(headers.upgrade ?? '') || WEBSOCKET_PATHS.test(url);
}

const WEBSOCKET_PATHS = /^\/(?:ws\/|v1\/events\/ws)/;

export interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Called for each message of a client. */
export type MessageListener = (data: Buffer, isBinary: boolean) => void;

export interface WebSockets {
  /**
   * Answers the handshake, then calls `serve`; not for a client that is gone or whose handshake is refused. `serve`
   * answers the listener of the client's messages, if it has one. What either throws is reported, and closes the
   * connection with 1011: it carries no HTTP any more.
   */
  accept(handshake: Handshake, serve: (client: WebSocket) => MessageListener | undefined): void;
  /** Takes no more clients and closes those that are connected, without waiting for them. */
  close(): void;
}

export interface WebSocketOptions {
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
        guard(client, announce, () => {
          const listener = serve(client);
          if (listener === undefined) return;
          client.on('message', (data: Buffer, isBinary: boolean) =>
            guard(client, announce, () => listener(data, isBinary)),
          );
        });
      });
    },
    close: () => closeWebSockets(server),
  };
}

/** Does some work for a client; see `WebSockets.accept` for what happens when it throws. */
export function guard(client: WebSocket, announce: (line: string) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    closeFaulty(client, error, announce);
  }
}

/** Reports an error of the daemon, and closes the connection without its text, which may hold paths or secrets. */
export function closeFaulty(client: WebSocket, error: unknown, announce: (line: string) => void): void {
  announce(`error: ${String((error as Error)?.stack ?? error)}`);
  client.close(1011, 'Internal error; the daemon’s log has the details.');
}

/** A client that does not answer the closing handshake within this time is cut off. */
const CLOSE_MS_MAX = 1_000;

function closeWebSockets(server: WebSocketServer): void {
  for (const client of server.clients) client.close(1001, 'The daemon is going down.');
  setTimeout(() => {
    for (const client of server.clients) client.terminate();
  }, CLOSE_MS_MAX).unref();
  server.close();
}
