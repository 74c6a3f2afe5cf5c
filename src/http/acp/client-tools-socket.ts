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
import {
  type DelegateRegistration,
  SESSION_TOOL_PREFIX,
  type ToolDelegates,
  zDaemonFrame,
} from '../../ports/delegates.ts';
import type { ModelTool } from '../../ports/models.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { HttpError } from '../server/errors.ts';
import { jsonBody } from '../server/request-body.ts';
import type { SocketSpec } from '../server/sockets.ts';
import { type MessageListener, pingUntilClosed } from '../server/websocket-server.ts';

export interface Dependencies {
  readonly tools: ToolsPort;
  readonly delegates: ToolDelegates;
}

const SESSION = /^[0-9a-f]{32}$/;
const FRAME_BYTES_MAX = 1_048_576;

const OWN_TOOLS_MAX = 128;
/** Brought tools are part of every request to the model, and of the event that requests the run. */
const OWN_TOOLS_BYTES_MAX = 262_144;

const zOwnTools = z.object({
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

const zResult = z.object({
  type: z.literal('result'),
  call_id: z.string(),
  success: z.boolean().describe('Whether the tool succeeded.'),
  output: z.string().describe('The output, which the model reads.'),
  files_modified: z.array(z.string()),
});

export function clientToolsSocket(deps: Dependencies): SocketSpec {
  return {
    tag: 'acp',
    operation: 'tools',
    path: '/acp/v1/sessions/{id}/tools',
    summary: 'The client carries out the named tools of a session.',
    auth: 'bearer',
    params: { id: 'The session.' },
    query: z.object({
      names: z.string().optional().describe('Names of tools, separated by commas.'),
      brings: z.enum(['tools']).optional().describe('The first frame of the client is `tools`.'),
    }),
    toClient: { text: zDaemonFrame },
    fromClient: { text: z.discriminatedUnion('type', [zOwnTools, zResult]) },
    frameBytesMax: FRAME_BYTES_MAX,
    open({ params, query, accept }) {
      const session = params.id!;
      if (!SESSION.test(session)) throw new HttpError(404, 'Not found');
      const known = new Set(deps.tools.specs.map((tool) => tool.name));
      const tools = new Set((query.get('names') ?? '').split(',').filter((name) => name !== ''));
      const hasUnknown = [...tools].some((name) => !known.has(name));
      const brings = query.get('brings') === 'tools';
      if ((tools.size === 0 && !brings) || hasUnknown) {
        throw new HttpError(400, `names must be tools of this daemon, separated by commas: ${[...known].join(', ')}.`);
      }
      accept((client) => {
        client.on('error', () => client.terminate());
        const serve = (ownTools: readonly ModelTool[]) => serveTools(deps, client, { session, tools, ownTools });
        return brings ? takeOwnTools(client, serve) : serve([]);
      });
    },
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

function serveTools(deps: Dependencies, client: WebSocket, { session, tools, ownTools }: ServedTools): MessageListener {
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
