/**
 * Daybook's own MCP server on stdin and stdout. Each call is a request to the running daemon, which is looked up for every
 * call, so that the server survives a restart of the daemon.
 *
 * - After the end of stdin the calls in progress are answered, as for a pipe that ends with the last call. A wait for a
 *   run is then over.
 */
import { Readable } from 'node:stream';
import { isJSONRPCRequest, isJSONRPCResponse, isSpecType } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type AgentEvent, readAgentEvent } from '../../events/run/agent-event.ts';
import { createMcpServer } from '../../live/mcp/server.ts';
import { type DaemonAccess, ToolRefused } from '../../live/mcp/tools.ts';
import { VERSION } from '../../version.ts';
import { type Client, createClient } from '../client.ts';
import { CommandError } from '../errors.ts';

const LAST_ANSWERS_MS_MAX = 5_000;

/** Resolves when the client disconnects. */
export async function serveMcp(home: string): Promise<void> {
  const ended = new AbortController();
  const server = createMcpServer({ version: VERSION, daemon: daemonOf(createClient(home), ended.signal) });
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  server.server.onclose = close;
  const calls = new OpenCalls();
  async function* input(): AsyncGenerator<Buffer> {
    try {
      yield* process.stdin as AsyncIterable<Buffer>;
    } catch {
      // A stdin that cannot be read has ended.
    }
    ended.abort();
    using _late = setTimeout(close, LAST_ANSWERS_MS_MAX);
    await Promise.race([calls.answered(), closed]);
  }
  const transport = new StdioServerTransport(Readable.from(input()));
  await server.connect(transport);
  calls.track(transport);
  await closed;
  process.stdin.destroy();
}

/** The requests of a client that have no answer yet. */
class OpenCalls {
  readonly #ids = new Set<string | number | undefined>();
  readonly #answered = Promise.withResolvers<void>();
  #isLast = false;

  track(transport: StdioServerTransport): void {
    const { onmessage } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message) => {
      if (isJSONRPCRequest(message)) this.#ids.add(message.id);
      // The library answers no call that is cancelled.
      if (isSpecType.CancelledNotification(message)) this.#ids.delete(message.params.requestId);
      onmessage?.(message);
    };
    transport.send = async (message) => {
      await send(message);
      if (isJSONRPCResponse(message)) this.#ids.delete(message.id);
      this.#check();
    };
  }

  /** Resolves when each request has its answer. No request comes any more. */
  answered(): Promise<void> {
    this.#isLast = true;
    this.#check();
    return this.#answered.promise;
  }

  #check(): void {
    if (this.#isLast && this.#ids.size === 0) this.#answered.resolve();
  }
}

function daemonOf(client: Client, ended: AbortSignal): DaemonAccess {
  return {
    request: ({ path, method = 'GET', body }) => refusing(client.api.calls.json(`${method} ${path}`, [], {}, body)),
    runEvents: (id, signal) => runEvents(client, id, AbortSignal.any([signal, ended])),
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
