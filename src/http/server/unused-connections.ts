/**
 * Connections on which no request has begun. Clients open some ahead of need, and a server that closes waits for those
 * as if they were busy.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface UnusedConnections {
  close(): void;
}

export function unusedConnections(server: Server): UnusedConnections {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  server.on('upgrade', ({ socket }) => unused.delete(socket));
  return {
    close() {
      for (const socket of unused) socket.destroy();
    },
  };
}
