/**
 * Which requests ask for a WebSocket, a server for handshakes the door let in, how one that is refused ends, and how
 * all clients do.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Connection, replyUnderWay } from './connection.ts';
import { HttpError, outgoing } from './errors.ts';
import { bareError } from './headers.ts';

/** What a client that speaks another version of the protocol is told. */
const VERSION = { 'sec-websocket-version': '13' };

/**
 * A client that would rather speak HTTP/2 (Java’s does by default) asks for it with the same header; where there is
 * more than a socket it is answered as if it had not asked. So is one that did not wait for an earlier reply: no frame
 * may come before it.
 */
export function asksForSocket({ headers, url = '', socket }: IncomingMessage): boolean {
  if (replyUnderWay(socket) !== null) return false;
  return /\bwebsocket\b/i.test(headers.upgrade ?? '') || SOCKETS_ONLY.test(url);
}

const SOCKETS_ONLY = /^\/(?:ws\/|v1\/events\/ws)/;

export function socketServer(frameBytesMax: number): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax, perMessageDeflate: false });
  sockets.on('wsClientError', (error, socket) => refuse(socket, new HttpError(400, `${error.message}.`, VERSION)));
  return sockets;
}

/**
 * Answers in our own shape, behind a reply that is under way, and hangs up, also on a client that would keep its half
 * of the connection open.
 */
export function refuse(socket: Duplex & Connection, error: unknown): void {
  const reply = replyUnderWay(socket);
  if (reply !== null) return void reply.once('close', () => refuse(socket, error));
  socket.once('finish', () => socket.destroy());
  socket.end(bareError(outgoing(error)));
}

/** Whoever does not answer the farewell by then is cut off. */
const FAREWELL_MS_MAX = 1_000;

/** Takes no more clients and bids those that are here farewell; none of them can hold up the end of the daemon. */
export function closeSockets(sockets: WebSocketServer): void {
  for (const client of sockets.clients) client.close(1001, 'The daemon is going down.');
  setTimeout(() => {
    for (const client of sockets.clients) client.terminate();
  }, FAREWELL_MS_MAX).unref();
  sockets.close();
}
