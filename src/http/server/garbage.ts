/**
 * Bytes that are not HTTP, or that stopped coming: answered once in our own shape, then the connection closes.
 *
 * - Replies that are under way on the connection come first: nobody takes the refusal for another request's answer.
 */
import type { Socket } from 'node:net';
import { type Connection, replyUnderWay } from './connection.ts';
import { type BareError, bareError } from './headers.ts';

const GARBAGE: Readonly<Record<string, BareError>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};

const UNREADABLE: BareError = { status: 400, message: 'The request cannot be read as HTTP.' };

const LINGER_MS = 1_000;

type ParserError = Error & { readonly code?: string };

/** More garbage may come while a reply is under way. */
const refused = new WeakSet<Socket>();

export function refuseGarbage(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (!refused.has(socket)) {
    refused.add(socket);
    refuseInTurn(error, socket);
  }
}

function refuseInTurn(error: ParserError, socket: Socket & Connection): void {
  const reply = replyUnderWay(socket);
  if (reply?.req.complete === true) reply.once('close', () => refuseInTurn(error, socket));
  // The fault is in the request that is being answered: nothing more of it can be read, nor told inside of the answer.
  else if (reply?.headersSent === true || !socket.writable) socket.destroy();
  // It was answered before all of it had come.
  else if (reply === null && socket.parser?.incoming?.complete === false) hangUp(socket);
  else hangUp(socket, bareError(GARBAGE[error.code ?? ''] ?? UNREADABLE));
}

/** Not before the client could read the last of it, and not later because it keeps its half of the connection open. */
function hangUp(socket: Socket, last = ''): void {
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.end(last);
}
