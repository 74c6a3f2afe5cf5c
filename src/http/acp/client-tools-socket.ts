/**
 * `/acp/v1/sessions/{id}/tools`, a WebSocket: the client carries out the named tools of a session. Frames are JSON:
 * `{type: call | cancel, call_id, …}` from the daemon, `{type: result, call_id, success, output, files_modified}` to it.
 *
 * - With `brings=tools` in the query, the first frame of the client is `{type: tools, tools: [{name, description,
 *   input_schema}]}`: tools that it brings for the runs of the session.
 * - An invalid frame ends the connection: calls in progress fail, and the daemon runs the later ones itself.
 */
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { zJson } from '../../events/envelope.ts';
import { type DelegateRegistration, SESSION_TOOL_PREFIX, type ToolDelegates } from '../../ports/delegates.ts';
import type { ModelTool } from '../../ports/models.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { HttpError } from '../server/errors.ts';
import { jsonBody } from '../server/request-body.ts';
import {
  createWebSockets,
  type MessageListener,
  pingUntilClosed,
  type WebSocketHandler,
} from '../server/websocket-server.ts';

export interface ClientToolsSocketDependencies {
  readonly tools: ToolsPort;
  readonly delegates: ToolDelegates;
  announce(line: string): void;
}

const PATH = /^\/acp\/v1\/sessions\/([0-9a-f]{32})\/tools$/;
const FRAME_BYTES_MAX = 1_048_576;

const OWN_TOOLS_MAX = 128;
/** Brought tools are part of every request to the model, and of the event that requests the run. */
const OWN_TOOLS_BYTES_MAX = 262_144;

export const zOwnTools = z.object({
  type: z.literal('tools'),
  tools: z
    .array(
      z.object({
        name: z
          .string()
          .regex(new RegExp(`^${SESSION_TOOL_PREFIX}[A-Za-z0-9_-]{1,59}$`))
          .describe('Name of the tool, as the model calls it.'),
        description: z.string().describe('Description of the tool, for the model.'),
        input_schema: z.record(z.string(), zJson),
      }),
    )
    .max(OWN_TOOLS_MAX)
    .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length)
    .describe('The tools that the client performs; names are unique.'),
});

z.globalRegistry.add(zOwnTools, {
  examples: [
    {
      type: 'tools',
      tools: [
        { name: `${SESSION_TOOL_PREFIX}notes_find`, description: 'Finds notes.', input_schema: { type: 'object' } },
      ],
    },
  ],
});

export const zResult = z.object({
  type: z.literal('result'),
  call_id: z.string(),
  success: z.boolean().describe('Whether the tool succeeded.'),
  output: z.string().describe('The output, which the model reads.'),
  files_modified: z.array(z.string()),
});

export function clientToolsSockets(deps: ClientToolsSocketDependencies): WebSocketHandler {
  const sockets = createWebSockets({ frameBytesMax: FRAME_BYTES_MAX, announce: deps.announce });
  return {
    upgrade(url, handshake) {
      const session = PATH.exec(url.pathname)?.[1];
      if (session === undefined) return false;
      const known = new Set(deps.tools.specs.map((tool) => tool.name));
      const tools = new Set((url.searchParams.get('names') ?? '').split(',').filter((name) => name !== ''));
      const hasUnknown = [...tools].some((name) => !known.has(name));
      const brings = url.searchParams.get('brings') === 'tools';
      if ((tools.size === 0 && !brings) || hasUnknown) {
        throw new HttpError(400, `names must be tools of this daemon, separated by commas: ${[...known].join(', ')}.`);
      }
      sockets.accept(handshake, (client) => {
        client.on('error', () => client.terminate());
        const serve = (ownTools: readonly ModelTool[]) => serveTools(deps, client, { session, tools, ownTools });
        return brings ? takeOwnTools(client, serve) : serve([]);
      });
      return true;
    },
    close: () => sockets.close(),
  };
}

/** Reads the tools from the first frame of a client; the listener that `serve` returns gets the later frames. */
function takeOwnTools(client: WebSocket, serve: (ownTools: readonly ModelTool[]) => MessageListener): MessageListener {
  let served: MessageListener | null = null;
  return (data, isBinary) => {
    if (served !== null) return served(data, isBinary);
    const ownTools = data.length > OWN_TOOLS_BYTES_MAX ? null : readFrame(zOwnTools, () => jsonBody(data));
    if (ownTools !== null) served = serve(ownTools.tools);
    else client.close(1008, `The tools cannot be read, or are more than ${OWN_TOOLS_MAX} or 256 KiB.`);
  };
}

interface ServedTools {
  readonly session: string;
  readonly tools: ReadonlySet<string>;
  readonly ownTools: readonly ModelTool[];
}

function serveTools(
  deps: ClientToolsSocketDependencies,
  client: WebSocket,
  { session, tools, ownTools }: ServedTools,
): MessageListener {
  const send = (frame: object): void => client.send(JSON.stringify(frame));
  const registration: DelegateRegistration = deps.delegates.register(session, {
    tools,
    ownTools,
    call: ({ callId: call_id, name, input, workspace }) => send({ type: 'call', call_id, name, input, workspace }),
    cancel: (call_id) => send({ type: 'cancel', call_id }),
  });
  pingUntilClosed(client, () => registration.end());
  send({ type: 'ready' });
  return (data) => {
    const result = readFrame(zResult, () => JSON.parse(String(data)));
    if (result === null) client.close(1008, 'The frame cannot be read.');
    else registration.settle(result.call_id, result);
  };
}

function readFrame<Frame>(schema: z.ZodType<Frame>, read: () => unknown): Frame | null {
  try {
    return schema.parse(read());
  } catch {
    return null;
  }
}
