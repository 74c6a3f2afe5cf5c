/** The environment of the client's behaviours: a real daemon, a relay before it, and a server that they control. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';
import { type Relay, startRelay } from './relay.ts';

export interface Rig {
  /** Takes the commands of `control` in behaviours.ts. */
  readonly controlUrl: string;
  readonly relay: Relay;
  readonly daemon: () => TestDaemon;
  close(): Promise<void>;
}

/** Above the highest of Linux. */
const NO_PID = 4_194_305;

type Commands = Readonly<Record<string, (given: unknown) => unknown>>;

export async function startRig(): Promise<Rig> {
  const relay = await startRelay(() => daemon.port);
  const flood = createFlood();
  const commands: Commands = {
    daemon: () => ({ url: relay.url, token: daemon.token, home: daemon.home, localUrl: daemon.url }),
    cutAfter: (bytes) => relay.cutAfter(bytes as number[]),
    cut: () => relay.cut(),
    endedDaemon() {
      const folder = temporaryFolder('ended');
      writeFileSync(
        join(folder, 'daemon.json'),
        JSON.stringify({ pid: NO_PID, url: 'http://127.0.0.1:1', token: 't' }),
      );
      return folder;
    },
    async restart() {
      await daemon.stop();
      relay.cut();
      daemon = await testDaemon({ home, workspace, env });
    },
    flood: () => flood.open(),
    flooded: () => flood.written(),
  };
  const control = controlServer(commands);
  const controlUrl = `http://127.0.0.1:${await listening(control)}`;
  // Pages of the control server may ask the daemon.
  const env = { DAYBOOK_ALLOWED_ORIGINS: controlUrl };
  // Deno reads nothing under /dev, where homes of tests in memory are.
  let daemon = await testDaemon({ env, home: temporaryFolder('home') });
  const { home, workspace } = daemon;
  return {
    controlUrl,
    relay,
    daemon: () => daemon,
    async close() {
      for (const server of [control, ...flood.servers]) {
        server.closeAllConnections();
        server.close();
      }
      relay.close();
      await daemon.stop();
    },
  };
}

/** `POST /<command>` with JSON; `GET /` is a page. */
function controlServer(commands: Commands): Server {
  return createServer(async (request, response) => {
    const headers = { 'content-type': request.method === 'GET' ? 'text/html' : 'application/json' };
    if (request.method === 'GET') return void response.writeHead(200, headers).end('<!doctype html><title>t</title>');
    let text = '';
    for await (const part of request) text += String(part);
    try {
      const done = await commands[request.url!.slice(1)]!(text === '' ? undefined : JSON.parse(text));
      response.writeHead(200, headers).end(JSON.stringify(done ?? null));
    } catch (error) {
      response.writeHead(500, headers).end(String(error));
    }
  });
}

const FLOOD_EVENT = `data: ${JSON.stringify({ text: 'x'.repeat(1_000) })}\n\n`;

/** An endless stream that counts the bytes that the network took. */
function createFlood() {
  const servers: Server[] = [];
  let written = 0;
  async function open(): Promise<string> {
    written = 0;
    const server = createServer((request, response) => {
      const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
      response.writeHead(request.method === 'OPTIONS' ? 204 : 200, { ...headers, 'content-type': 'text/event-stream' });
      if (request.method === 'OPTIONS') return void response.end();
      let id = 0;
      const go = (): void => {
        for (;;) {
          id += 1;
          const bytes = `id: ${id}\n${FLOOD_EVENT}`;
          written += bytes.length;
          if (!response.write(bytes)) return;
        }
      };
      response.on('drain', go);
      go();
    });
    servers.push(server);
    return `http://127.0.0.1:${await listening(server)}`;
  }
  return { servers, open, written: () => written };
}
