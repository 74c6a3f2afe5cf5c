/**
 * `/acp/v1/sessions/{id}/tools`, a WebSocket: the client carries out the named tools of a session. Frames are JSON:
 * `{type: call | cancel, call_id, …}` from the daemon, `{type: result, call_id, success, output, files_modified}` to it.
 *
 * - A frame that cannot be read ends the connection: calls in progress fail, and the daemon runs the later ones.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { DelegateRegistration, ToolDelegates } from '../../ports/delegates.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { HttpError } from '../server/errors.ts';
import { closeWebSockets, createWebSocketServer } from '../server/websocket-server.ts';

interface Dependencies {
  readonly tools: ToolsPort;
  readonly delegates: ToolDelegates;
}

const PATH = /^\/acp\/v1\/sessions\/([0-9a-f]{32})\/tools$/;
const FRAME_BYTES_MAX = 1_048_576;
const PING_MS = 15_000;

const zResult = z.object({
  type: z.literal('result'),
  call_id: z.string(),
  success: z.boolean(),
  output: z.string(),
  files_modified: z.array(z.string()),
});

export interface ClientToolsSockets {
  /** Handles the authorised handshake; false when its path is another one. Throws `HttpError` for a bad one. */
  upgrade(url: URL, request: IncomingMessage, connection: { socket: Duplex; head: Buffer }): boolean;
  close(): void;
}

export function clientToolsSockets(deps: Dependencies): ClientToolsSockets {
  const sockets = createWebSocketServer(FRAME_BYTES_MAX);
  return {
    upgrade(url, request, { socket, head }) {
      const session = PATH.exec(url.pathname)?.[1];
      if (session === undefined) return false;
      const known = new Set(deps.tools.specs.map((tool) => tool.name));
      const tools = new Set((url.searchParams.get('names') ?? '').split(',').filter((name) => name !== ''));
      const hasUnknown = [...tools].some((name) => !known.has(name));
      if (tools.size === 0 || hasUnknown) {
        throw new HttpError(400, `names must be tools of this daemon, separated by commas: ${[...known].join(', ')}.`);
      }
      sockets.handleUpgrade(request, socket, head, (client) => serveTools(deps, client, { session, tools }));
      return true;
    },
    close() {
      closeWebSockets(sockets);
    },
  };
}

function serveTools(
  deps: Dependencies,
  client: WebSocket,
  { session, tools }: { readonly session: string; readonly tools: ReadonlySet<string> },
): void {
  const send = (frame: object): void => client.send(JSON.stringify(frame));
  const registration: DelegateRegistration = deps.delegates.register(session, {
    tools,
    call: ({ callId: call_id, name, input, workspace }) => send({ type: 'call', call_id, name, input, workspace }),
    cancel: (call_id) => send({ type: 'cancel', call_id }),
  });
  const ping = setInterval(() => client.ping(), PING_MS).unref();
  client.on('message', (data) => {
    const result = readResult(String(data));
    if (result === null) client.close(1008, 'The frame cannot be read.');
    else registration.settle(result.call_id, result);
  });
  client.on('error', () => client.terminate());
  client.on('close', () => {
    clearInterval(ping);
    registration.end();
  });
  send({ type: 'ready' });
}

function readResult(text: string): z.infer<typeof zResult> | null {
  try {
    return zResult.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
