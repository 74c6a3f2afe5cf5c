/**
 * What is under way on each connection of the server, and how a connection ends that carries no readable HTTP.
 *
 * - A refusal is written after the replies that are under way on its connection: no client takes it for the answer to
 *   an earlier request.
 * - Garbage is refused once per connection, with the shape and headers of every error; then the connection closes.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorReply } from './errors.ts';
import { type RawError, rawError } from './headers.ts';

interface Exchanges {
  /** Replies in the order of their requests, which is the order in which they are sent; the first ones may be sent. */
  replies: ServerResponse[];
  latest: IncomingMessage;
}

const EXCHANGES = Symbol('exchanges');
type Tracked = Duplex & { [EXCHANGES]?: Exchanges };

export interface Connections {
  /**
   * Closes connections that have not carried a request. Clients open some ahead of need, and a server that closes
   * would wait for them as if they were busy.
   */
  closeUnused(): void;
}

export function trackConnections(server: Server): Connections {
  const unused = new Set<Duplex>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('upgrade', (_request, socket) => unused.delete(socket));
  const track = (request: IncomingMessage, response: ServerResponse): void => {
    const socket: Tracked = request.socket;
    const exchanges = socket[EXCHANGES];
    if (exchanges === undefined) {
      unused.delete(socket);
      socket[EXCHANGES] = { replies: [response], latest: request };
    } else {
      exchanges.latest = request;
      exchanges.replies = [...exchanges.replies.filter(isPending), response];
    }
  };
  server.prependListener('request', track);
  server.prependListener('checkExpectation', track);
  return {
    closeUnused() {
      for (const socket of unused) socket.destroy();
    },
  };
}

/** The first reply on the connection that is not sent yet. */
export function pendingReply(socket: Tracked): ServerResponse | undefined {
  return socket[EXCHANGES]?.replies.find(isPending);
}

function isPending(reply: ServerResponse): boolean {
  return !reply.writableFinished && !reply.destroyed;
}

/** Answers a handshake with an error, then closes the connection, also on a client that keeps its half of it open. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  const reply = pendingReply(socket);
  if (reply !== undefined) return void reply.once('close', () => refuseUpgrade(socket, error));
  socket.once('finish', () => socket.destroy());
  socket.end(rawError(errorReply(error)));
}

const PARSER_ERRORS: Readonly<Record<string, RawError>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};

const UNREADABLE: RawError = { status: 400, message: 'The request cannot be read as HTTP.' };

/** How long a client may take to read the refusal before its connection is cut. */
const LINGER_MS = 1_000;

type ParserError = Error & { readonly code?: string };

/** More garbage may come while a reply is under way. */
const refused = new WeakSet<Duplex>();

/** The server's `clientError` handler: bytes that are not HTTP, or that stopped coming. */
export function refuseGarbage(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (!refused.has(socket)) {
    refused.add(socket);
    refuseInOrder(PARSER_ERRORS[error.code ?? ''] ?? UNREADABLE, socket);
  }
}

function refuseInOrder(error: RawError, socket: Socket): void {
  const reply = pendingReply(socket);
  if (reply?.req.complete === true) reply.once('close', () => refuseInOrder(error, socket));
  // The rest of the request that is being answered cannot be read, and its answer is already on its way.
  else if (reply?.headersSent === true || !socket.writable) socket.destroy();
  // The request was answered before all of it had come: it gets no second answer.
  else if (reply === undefined && (socket as Tracked)[EXCHANGES]?.latest.complete === false) hangUp(socket, '');
  else hangUp(socket, rawError(error));
}

function hangUp(socket: Socket, last: string): void {
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.end(last);
}
