/**
 * Daybook's own MCP server on stdin and stdout. Each call is a request to the running daemon, which is looked up for every
 * call, so that the server survives a restart of the daemon.
 */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type AgentEvent, readAgentEvent } from '../../events/run/agent-event.ts';
import { createMcpServer } from '../../live/mcp/server.ts';
import { type DaemonAccess, ToolRefused } from '../../live/mcp/tools.ts';
import { VERSION } from '../../version.ts';
import { type Client, createClient } from '../client.ts';
import { CommandError } from '../errors.ts';

/** Resolves when the client disconnects. */
export async function serveMcp(home: string): Promise<void> {
  const server = createMcpServer({ version: VERSION, daemon: daemonOf(createClient(home)) });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.server.onclose = resolve;
  await server.connect(new StdioServerTransport());
  await closed;
}

function daemonOf(client: Client): DaemonAccess {
  return {
    request: ({ path, method = 'GET', body }) => refusing(client.api.calls.json(`${method} ${path}`, [], {}, body)),
    runEvents: (id, signal) => runEvents(client, id, signal),
  };
}

async function* runEvents(client: Client, id: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  for await (const { data } of client.follow((api, options) => api.runs.stream(id, options), { signal })) {
    const event = readAgentEvent(data);
    if (event !== null) yield event;
  }
}

async function refusing<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof CommandError ? new ToolRefused(error.message) : error;
  }
}
