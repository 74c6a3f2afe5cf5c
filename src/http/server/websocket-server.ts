/** Which requests ask for a WebSocket, the server for handshakes that the auth guard admitted, and its end. */
import type { IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
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

export function createWebSocketServer(frameBytesMax: number): WebSocketServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax, perMessageDeflate: false });
  server.on('wsClientError', (error, socket) =>
    refuseUpgrade(socket, new HttpError(400, `${error.message}.`, VERSION)),
  );
  return server;
}

/** A client that does not answer the closing handshake within this time is cut off. */
const CLOSE_MS_MAX = 1_000;

/** Takes no more clients and closes those that are connected, without waiting for them. */
export function closeWebSockets(server: WebSocketServer): void {
  for (const client of server.clients) client.close(1001, 'The daemon is going down.');
  setTimeout(() => {
    for (const client of server.clients) client.terminate();
  }, CLOSE_MS_MAX).unref();
  server.close();
}
