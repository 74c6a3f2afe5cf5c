/** A WebSocket server for handshakes the door let in, and how one that is refused ends. */
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { HttpError, outgoing } from './errors.ts';
import { bareError } from './headers.ts';

/** What a client that speaks another version of the protocol is told. */
const VERSION = { 'sec-websocket-version': '13' };

export function socketServer(frameBytesMax: number): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: frameBytesMax, perMessageDeflate: false });
  sockets.on('wsClientError', (error, socket) => refuse(socket, new HttpError(400, `${error.message}.`, VERSION)));
  return sockets;
}

/** Answers in our own shape and hangs up, also on a client that would keep its half of the connection open. */
export function refuse(socket: Duplex, error: unknown): void {
  socket.once('finish', () => socket.destroy());
  socket.end(bareError(outgoing(error)));
}
