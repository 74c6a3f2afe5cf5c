/** A relay before a daemon that cuts a connection after a given number of the daemon's bytes. */
import { connect, createServer, type Socket } from 'node:net';
import { listening } from '../support/ports.ts';

export interface Relay {
  readonly url: string;
  /** Each connection from now on is cut after the next number of bytes from the daemon; then no connection is cut. */
  cutAfter(bytes: readonly number[]): void;
  /** Cuts every connection that there is. */
  cut(): void;
  close(): void;
}

export async function startRelay(port: () => number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let plan: number[] = [];
  const server = createServer((near) => {
    let left = plan.shift() ?? Number.POSITIVE_INFINITY;
    const far = connect(port(), '127.0.0.1');
    const end = (): void => {
      for (const socket of [near, far]) socket.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      const part = bytes.subarray(0, left);
      left -= part.length;
      const isTaken = near.write(part, () => left === 0 && end());
      if (isTaken) return;
      far.pause();
      near.once('drain', () => far.resume());
    });
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url,
    cutAfter(bytes) {
      cut();
      plan = [...bytes];
    },
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
