/**
 * MCP over Streamable HTTP at `/mcp`. Calls of tools are requests to the routes of this daemon, within its process: they
 * pass the same checks and have the same effects as those of other clients.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { runEvents } from '../../live/mcp/run-events.ts';
import type { McpSessions } from '../../live/mcp/sessions.ts';
import { MCP_PATH } from '../../live/mcp/tool-names.ts';
import { type DaemonAccess, ToolRefused } from '../../live/mcp/tools.ts';
import type { Views } from '../../projections/views.ts';
import type { Subscriptions } from '../../streams/subscriptions.ts';
import { whileConnected } from '../server/disconnect.ts';
import { zError } from '../server/errors.ts';
import { type Answer, type RouteSpec, routesOf } from '../server/route.ts';

const { get, post, del } = routesOf({ tag: 'mcp', challenge: true, keyless: true });

export interface Dependencies {
  readonly token: string;
  readonly views: Views;
  readonly subscriptions: Subscriptions;
  readonly mcpSessions: McpSessions;
}

/** Requests within the process have a rate limit of their own, because the request that causes them was counted. */
const IN_PROCESS_ADDRESS = 'mcp';

const zMessage = z.looseObject({ jsonrpc: z.literal('2.0') });
/** An error of MCP itself, such as a header that is missing. */
const zRpcError = z.looseObject({
  error: z
    .looseObject({
      code: z.int().describe('Code of JSON-RPC, such as -32600.'),
      message: z.string().describe('The fault in one sentence.'),
    })
    .describe('The fault, as JSON-RPC has it.'),
});
const zAnyError = z.union([zError, zRpcError]);

const headers = {
  'Mcp-Session-Id': z.string().optional().describe('Names the session; absent in `initialize`, and without a session.'),
  'Mcp-Protocol-Version': z.string().optional().describe('The revision that the session, or the request, has.'),
};
const session404 = { 404: 'Unknown session, or one that has ended.' };
const faults = {
  400: { description: 'No message of MCP, or a header that does not fit it.', schema: zAnyError },
  406: { description: 'The client does not accept what this route answers.', schema: zRpcError },
};

export function mcpRoutes(deps: Dependencies): readonly RouteSpec[] {
  const handle = async ({ request }: { readonly request: FastifyRequest }): Promise<Answer> => {
    const daemon = withinProcess(request.server, deps);
    const url = new URL(request.url, 'http://daybook');
    const init = { method: request.method, headers: headersOf(request) };
    // The library ends a call without a session when its client disconnects before the response.
    const response = await whileConnected(request, (signal) =>
      deps.mcpSessions.handle({ request: new Request(url, { ...init, signal }), body: request.body, daemon }),
    );
    return { kind: 'web', response };
  };
  return [
    post(MCP_PATH, {
      operation: 'send',
      summary: 'MCP over Streamable HTTP: messages of a client, answered as JSON or as a stream.',
      headers,
      body: z.union([zMessage, z.array(zMessage)], { error: 'must be a message of JSON-RPC 2.0 or an array of them' }),
      responses: {
        200: {
          description: 'The answers, after notifications of progress.',
          headers: { 'Mcp-Session-Id': 'Names the session that the request opened or belongs to.' },
          type: 'text/event-stream',
          events: { data: zMessage, id: 'Names the message in its session.', end: 'After the last answer.' },
          forms: { 'application/json': zMessage },
        },
        202: { description: 'The messages need no answer.' },
        ...faults,
        ...session404,
        415: { description: 'The body is no JSON.', schema: zRpcError },
        429: 'There are too many sessions.',
      },
      handle,
    }),
    get(MCP_PATH, {
      operation: 'listen',
      summary:
        'The stream of messages that the server sends by itself; with `Last-Event-ID` an interrupted stream continues.',
      headers,
      responses: {
        200: {
          description: 'The stream.',
          type: 'text/event-stream',
          events: { data: zMessage, id: 'Names the message in its session.', end: 'With the session.' },
        },
        ...faults,
        ...session404,
        409: { description: 'The stream is open on another connection.', schema: zRpcError },
      },
      handle,
    }),
    del(MCP_PATH, {
      operation: 'endSession',
      summary: 'Ends an MCP session.',
      headers,
      responses: { 200: { description: 'It has ended.' }, ...faults, ...session404 },
      handle,
    }),
  ];
}

function headersOf({ headers }: FastifyRequest): Headers {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of [value ?? []].flat()) copied.append(name, each);
  }
  return copied;
}

function withinProcess(app: FastifyInstance, { token, views, subscriptions }: Dependencies): DaemonAccess {
  return {
    async request({ path, method = 'GET', body }) {
      const reply = await app.inject({
        method,
        url: path,
        headers: { authorization: `Bearer ${token}` },
        remoteAddress: IN_PROCESS_ADDRESS,
        ...(body === undefined ? {} : { payload: body as object }),
      });
      const answer: unknown = reply.json();
      if (reply.statusCode < 400) return answer;
      throw new ToolRefused(zError.parse(answer).error);
    },
    runEvents: (id, signal) => runEvents({ views, subscriptions }, id, signal),
  };
}
