/**
 * Limits the connections of the server, tracks the exchanges on each, and refuses those that carry no readable HTTP.
 *
 * - A refusal is written after the pending replies of its connection, so that no client takes it for the answer to
 *   an earlier request.
 * - A server that closes sends the replies that were handed over to their end, before it closes idle connections.
 * - A connection that closes with a refusal first reads the rest of the request, which is dropped.
 * - Connections leave a part of the files that the process may have open to its other work.
 * - Garbage is refused once per connection, with the shape and headers of every error; then the connection closes.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, finished, Readable } from 'node:stream';
import { errorReply } from './errors.ts';
import { type RawError, rawError } from './headers.ts';

interface Exchanges {
  /** Replies in the order of their requests, which is the order of sending; the first ones may be sent already. */
  replies: ServerResponse[];
  latest: IncomingMessage;
}

const EXCHANGES = Symbol('exchanges');
type Tracked = Duplex & { [EXCHANGES]?: Exchanges };

export interface Connections {
  /**
   * Closes connections that have not carried a request. Clients open connections in advance, and a closing server
   * would wait for them as if they were active.
   */
  closeUnused(): void;
}

/** Files that connections leave to the store, to tools and to calls of providers; of a low limit, half. */
const RESERVED_FILES = 256;
/** Refused connections are announced at most once in this time. */
const ANNOUNCED_EVERY_MS = 60_000;

/**
 * Closes connections beyond a part of the files that the process may have open. Without a limit, clients could use them
 * up, and the store could open no further file.
 */
export function limitConnections(
  server: Server,
  { filesMax, announce }: { readonly filesMax: number; announce(line: string): void },
): void {
  const max = filesMax - Math.min(RESERVED_FILES, Math.floor(filesMax / 2));
  let announcedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = max;
  server.on('drop', () => {
    if (performance.now() - announcedAt < ANNOUNCED_EVERY_MS) return;
    announcedAt = performance.now();
    announce(`${max} connections are open; more are refused, because this process may have ${filesMax} open files.`);
  });
}

export function trackConnections(server: Server): Connections {
  const unused = new Map<string, Socket>();
  const used = new Set<Tracked>();
  const closeIdle = server.closeIdleConnections.bind(server);
  // Node takes a connection for idle as soon as its reply was handed over, and would cut off what is not sent yet.
  server.closeIdleConnections = () => {
    if (![...used].some(isSending)) closeIdle();
  };
  server.on('connection', (socket) => {
    const peer = peerOf(socket);
    unused.set(peer, socket);
    socket.once('close', () => {
      if (unused.get(peer) === socket) unused.delete(peer);
    });
  });
  server.on('upgrade', ({ socket }) => unused.delete(peerOf(socket)));
  const track = (request: IncomingMessage, response: ServerResponse): void => {
    const socket: Tracked = request.socket;
    const exchanges = socket[EXCHANGES];
    if (exchanges === undefined) {
      unused.delete(peerOf(request.socket));
      used.add(socket);
      socket.once('close', () => used.delete(socket));
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
      for (const socket of unused.values()) socket.destroy();
    },
  };
}

/** Names a connection. Over TLS the socket of a request is not the one that was accepted; their peer is the same. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The first reply on the connection that is not completely sent. */
export function pendingReply(socket: Tracked): ServerResponse | undefined {
  return socket[EXCHANGES]?.replies.find(isPending);
}

function isSending(socket: Tracked): boolean {
  return pendingReply(socket)?.writableEnded === true;
}

function isPending(reply: ServerResponse): boolean {
  return !reply.writableFinished && !reply.destroyed;
}

/** How long a closing connection waits for the next bytes of a refused request. */
const SILENCE_MS = 1_000;

/**
 * The body of a reply. Where the connection closes with the reply, it ends when the request has arrived, or its client
 * is gone or silent: a connection that closes while its client still sends is reset, and the client may lose the reply.
 */
export function lingering({ req: request, shouldKeepAlive }: ServerResponse, body: string): string | Readable {
  return shouldKeepAlive || request.complete ? body : Readable.from(untilArrived(request, body));
}

async function* untilArrived(request: IncomingMessage, body: string): AsyncGenerator<string> {
  yield body;
  const { promise, resolve } = Promise.withResolvers<void>();
  const silence = setTimeout(resolve, SILENCE_MS);
  request.on('data', () => silence.refresh());
  finished(request, () => resolve());
  await promise;
  clearTimeout(silence);
}

/** Answers a handshake with an error, then closes the connection, even if the client keeps its half open. */
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

/** A client may take this long to read the refusal before its connection is destroyed. */
const LINGER_MS = 1_000;

type ParserError = Error & { readonly code?: string };

/** Refused connections: more unreadable bytes may arrive while a reply is pending. */
const refused = new WeakSet<Duplex>();

/** The server's `clientError` handler: bytes that are not HTTP, or an incomplete request that timed out. */
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
  // The request that is being answered cannot be read to its end, and its answer has begun.
  else if (reply?.headersSent === true || !socket.writable) socket.destroy();
  // The request was answered before it was complete: it gets no second answer.
  else if (reply === undefined && (socket as Tracked)[EXCHANGES]?.latest.complete === false) endConnection(socket, '');
  else endConnection(socket, rawError(error));
}

function endConnection(socket: Socket, last: string): void {
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.end(last);
}
