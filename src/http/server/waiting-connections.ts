/**
 * Connections on which no request is under way: those that stay quiet for long are closed, and at the end nobody waits
 * for those on which none has begun.
 *
 * - The quiet ones are looked for now and then. Node would set and stop a timer of the connection for each request.
 * - Clients open some ahead of need, and a server that closes waits for those as if they were busy.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { replyUnderWay } from './connection.ts';

/** What a client is told: for so long it may expect to find its connection open. */
export const QUIET_MS_TOLD = 72_000;

/** A request may be on its way when the time that was told ends. */
const QUIET = { quietMs: QUIET_MS_TOLD + 2_000, everyMs: 8_000 };

export interface WaitingConnections {
  /** Closes those on which no request has begun, and looks for quiet ones no more. */
  close(): void;
}

/** How far a connection had been read when it was last found to be in use. */
interface Use {
  bytes: number;
  at: number;
}

/** In place of the server's own `keepAliveTimeout`. */
export function waitingConnections(server: Server, { quietMs, everyMs } = QUIET): WaitingConnections {
  server.keepAliveTimeout = 0;
  const unused = new Set<Socket>();
  const uses = new Map<Socket, Use>();
  server.on('connection', (socket) => {
    unused.add(socket);
    uses.set(socket, { bytes: 0, at: performance.now() });
    socket.once('close', () => {
      unused.delete(socket);
      uses.delete(socket);
    });
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  server.on('upgrade', ({ socket }) => {
    unused.delete(socket);
    uses.delete(socket);
  });
  const looking = setInterval(() => {
    const now = performance.now();
    for (const [socket, use] of uses) {
      const isUsed = socket.bytesRead !== use.bytes || replyUnderWay(socket) !== null;
      if (isUsed) Object.assign(use, { bytes: socket.bytesRead, at: now });
      else if (now - use.at >= quietMs) socket.destroy();
    }
  }, everyMs).unref();
  return {
    close() {
      clearInterval(looking);
      for (const socket of unused) socket.destroy();
    },
  };
}
