/** Ports of 127.0.0.1: of a server that takes any, and for one that is told its own. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Starts to listen on any port, and resolves with the port. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Below the ports that systems give to outgoing connections and to servers that ask for any: one of these could take the
 * port before its server, or between the end of that server and its next start.
 */
const PORTS = { from: 20_000, count: 10_000 };

/** A port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + randomInt(PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
