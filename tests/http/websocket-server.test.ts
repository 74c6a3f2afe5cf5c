/**
 * Errors of the daemon on a WebSocket: the connection closes with 1011 and without details. A client that answers no
 * ping is disconnected.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { EMPTY, Subject } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { roomSockets } from '../../src/http/room/socket.ts';
import { createSockets } from '../../src/http/server/sockets.ts';
import {
  closeFaulty,
  createWebSockets,
  type MessageListener,
  type PingedSocket,
  pingUntilClosed,
} from '../../src/http/server/websocket-server.ts';
import { createReplicas } from '../../src/integrations/rooms/replicas.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { Rooms } from '../../src/live/room/rooms.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';

type Upgrade = (request: IncomingMessage, connection: { socket: Duplex; head: Buffer }) => unknown;

async function upgrading(upgrade: Upgrade): Promise<string> {
  const server = createServer();
  server.on('upgrade', (request, socket, head) => upgrade(request, { socket, head }));
  onTestFinished(() => void server.close());
  return `ws://127.0.0.1:${await listening(server)}`;
}

/** What a client sees that sends one message once it is connected. */
async function seenBy(
  url: string,
): Promise<{ readonly opened: boolean; readonly code: number; readonly reason: string }> {
  const client = new WebSocket(url);
  let opened = false;
  client.on('open', () => {
    opened = true;
    client.send('x');
  });
  const [code, reason] = (await once(client, 'close')) as [number, Buffer];
  return { opened, code, reason: String(reason) };
}

const FAULTY = { opened: true, code: 1011, reason: 'Internal error; the daemon’s log has the details.' };
const FAULT = new Error('no such file: /home/somebody/secret');
const fault = (): never => {
  throw FAULT;
};

describe('an error of the daemon after the handshake', () => {
  type Serve = (client: WebSocket, announce: (line: string) => void) => MessageListener | undefined;
  it.each<[when: string, serve: Serve]>([
    ['while the client is admitted', fault],
    ['while its message is read', () => fault],
    ['later', (client, announce) => void setImmediate(() => closeFaulty(client, FAULT, announce))],
  ])('%s closes the connection with 1011, and only the daemon’s log has the details', async (_when, serve) => {
    const lines: string[] = [];
    const announce = (line: string): void => void lines.push(line);
    const sockets = createWebSockets({ frameBytesMax: 1_000, announce });
    const url = await upgrading((request, connection) =>
      sockets.accept({ request, ...connection }, (client) => serve(client, announce)),
    );
    expect(await seenBy(url)).toEqual(FAULTY);
    expect(lines).toEqual([expect.stringMatching(/^error: Error: no such file/)]);
  });

  it.each(['collab', 'yjs'])('leaves nobody in the room of /ws/%s', async (protocol) => {
    const { log } = await openStorage({ directory: temporaryFolder('data'), ephemeral: true });
    const commandHandler = createCommandHandler({ log, clock: systemClock, ids: systemIds });
    const lines: string[] = [];
    const announce = (line: string): void => void lines.push(line);
    const parts = { log, commandHandler, replicas: createReplicas(), appended$: EMPTY, isShared: false, announce };
    const left$ = new Subject<void>();
    class WatchedRooms extends Rooms {
      override release(id: string): void {
        super.release(id);
        left$.next();
      }
    }
    const rooms = new WatchedRooms(parts);
    for (const clock of [{ now: fault }, systemClock]) {
      const ids = { uuid: () => systemIds.uuid(), hex: clock === systemClock ? fault : () => 'abcd' };
      const sockets = createSockets(roomSockets({ rooms, clock, ids, announce }), announce);
      const url = await upgrading((request, connection) =>
        sockets.upgrade(new URL(`http://daybook${request.url}`), { request, ...connection }),
      );
      const released = new Promise<void>((resolve) => left$.subscribe(() => resolve()));
      expect(await seenBy(`${url}/ws/${protocol}/r`)).toEqual(FAULTY);
      await released;
      expect(rooms.inUse()).toEqual([]);
      sockets.close();
    }
    expect(lines).toEqual([expect.stringMatching(/^error: /), expect.stringMatching(/^error: /)]);
    await rooms.close();
    await log.close();
  });
});

it('a client that does not answer the closing handshake is disconnected after a second', async () => {
  const sockets = createWebSockets({ frameBytesMax: 1_000, announce: () => undefined });
  let connected: Duplex | undefined;
  const url = await upgrading((request, connection) => {
    connected = connection.socket;
    sockets.accept({ request, ...connection }, () => undefined);
  });
  const client = new WebSocket(url);
  await once(client, 'open');
  client.pause();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  sockets.close();
  const isGone = [999, 1].map((ms) => {
    vi.advanceTimersByTime(ms);
    return connected!.destroyed;
  });
  client.terminate();
  expect(isGone).toEqual([false, true]);
});

/** A socket whose other end answers pings when the test says so. */
class PingedClient extends EventEmitter implements PingedSocket {
  isPaused = false;
  isTerminated = false;
  pings = 0;
  ping(): void {
    this.pings += 1;
  }
  terminate(): void {
    this.isTerminated = true;
    this.emit('close');
  }
}

describe('a pinged client', () => {
  function pinged() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const client = new PingedClient();
    const onClose = vi.fn();
    pingUntilClosed(client, onClose);
    return { client, onClose };
  }

  it('that answers stays connected; one that does not is disconnected at the next ping', () => {
    const { client, onClose } = pinged();
    for (let each = 1; each <= 3; each += 1) {
      vi.advanceTimersByTime(15_000);
      expect([client.pings, client.isTerminated]).toEqual([each, false]);
      client.emit('pong');
    }
    vi.advanceTimersByTime(30_000);
    expect([client.isTerminated, onClose.mock.calls.length, vi.getTimerCount()]).toEqual([true, 1, 0]);
  });

  it('that is not read because it wrote too fast stays connected until it is read again', () => {
    const { client } = pinged();
    client.isPaused = true;
    vi.advanceTimersByTime(60_000);
    expect(client.isTerminated).toBe(false);
    client.isPaused = false;
    vi.advanceTimersByTime(15_000);
    expect(client.isTerminated).toBe(true);
  });

  it('that closes its connection is pinged no more', () => {
    const { client, onClose } = pinged();
    client.emit('close');
    expect([onClose.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
