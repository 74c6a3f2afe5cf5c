/**
 * A proxy before PostgreSQL that cuts the connections at a chosen statement. It counts two steps for each statement: one
 * before the server gets it, and one between the answer of the server and its delivery to the client.
 */
import { connect, createServer, type Socket } from 'node:net';
import { listening } from './ports.ts';

export interface CuttingProxy {
  readonly port: number;
  readonly isCut: boolean;
  /** Cuts all connections at a future step, 0 for the next one. Until `mend` no connection is accepted. */
  cutAfter(steps: number): void;
  cut(): void;
  mend(): void;
  /** The number of connections that were not accepted so far. */
  readonly refused: number;
  close(): Promise<void>;
}

const QUERY = 'Q'.charCodeAt(0);
const EXECUTE = 'E'.charCodeAt(0);
const READY = 'Z'.charCodeAt(0);

/** `target` is the port of the server on 127.0.0.1. */
export async function cuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const state = { left: Number.POSITIVE_INFINITY, isCut: false, refused: 0 };
  const cut = (): void => {
    state.isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  /** Counts a step; false when the connections were cut at it. */
  const step = (): boolean => {
    if (state.left === 0) cut();
    state.left -= 1;
    return !state.isCut;
  };
  const server = createServer((client) => {
    if (state.isCut) {
      state.refused += 1;
      client.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    let pending = 0;
    const asked = messagesOf({ hasStartup: true }, (kind) => {
      if (kind !== QUERY && kind !== EXECUTE) return true;
      pending += 1;
      return step();
    });
    const answered = messagesOf({ hasStartup: false }, (kind) => {
      if (kind !== READY || pending === 0) return true;
      pending = 0;
      return step();
    });
    relay(client, upstream, asked);
    relay(upstream, client, answered);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  return {
    port: await listening(server),
    cut,
    mend() {
      state.isCut = false;
      state.left = Number.POSITIVE_INFINITY;
    },
    cutAfter(steps) {
      state.left = steps;
    },
    get isCut() {
      return state.isCut;
    },
    get refused() {
      return state.refused;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards bytes as long as the messages in them may pass. */
function relay(from: Socket, to: Socket, mayPass: (bytes: Buffer) => boolean): void {
  from.on('data', (bytes) => {
    if (mayPass(bytes)) to.write(bytes);
  });
  from.on('end', () => to.end());
}

/** Calls `visit` with the kind of each message of the protocol; false as soon as `visit` returns false. */
function messagesOf({ hasStartup }: { hasStartup: boolean }, visit: (kind: number) => boolean) {
  let isStartup = hasStartup;
  let rest: Buffer = Buffer.alloc(0);
  return (bytes: Buffer): boolean => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const kindBytes = isStartup ? 0 : 1;
      if (rest.length < kindBytes + 4) return true;
      const end = kindBytes + rest.readUInt32BE(kindBytes);
      if (rest.length < end) return true;
      const kind = isStartup ? 0 : rest[0]!;
      isStartup = false;
      rest = rest.subarray(end);
      if (!visit(kind)) return false;
    }
  };
}
