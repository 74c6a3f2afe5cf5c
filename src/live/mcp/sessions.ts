/**
 * The clients of MCP over Streamable HTTP. A client of a revision with sessions has its own server, identified by
 * `Mcp-Session-Id`; requests of the newer revision have no session.
 *
 * - A session ends when its client deletes it, when it was unused for half an hour, or with the daemon. A session with
 *   an open stream is in use.
 * - When SESSIONS_MAX is reached, the session that was unused longest ends. If all are in use, the new client is
 *   refused.
 * - A cancelled request is answered with an error, although the protocol advises against an answer. The library ends a
 *   stream with its last answer only, and its clients open a stream again that ends without one: so the connection
 *   would stay open, and the session in use.
 * - The library, which takes 10 MB, is loaded with the first client.
 */
import type { McpHttpHandler, RequestId, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { type Refused, refused } from '../../commands/refusal.ts';
import type { Clock } from '../../ports/clock.ts';
import { createEventStore } from './event-store.ts';
import type { DaemonAccess } from './tools.ts';

const SESSIONS_MAX = 64;
const UNUSED_MS_MAX = 30 * 60_000;
/** The library's status, without a body, of a call that ends before its answer. */
const ENDED_UNANSWERED = 499;
/** The code of the Language Server Protocol; MCP has none. */
const REQUEST_CANCELLED = -32_800;

interface McpExchange {
  /** The body of this object is not read: `body` is the parsed one. */
  readonly request: Request;
  readonly body: unknown;
  readonly daemon: DaemonAccess;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  streams: number;
}

interface Dependencies {
  readonly clock: Clock;
  readonly version: string;
}

const loadLibrary = async () => ({
  ...(await import('@modelcontextprotocol/server')),
  ...(await import('./server.ts')),
});
type Library = Awaited<ReturnType<typeof loadLibrary>>;

export class McpSessions {
  readonly #deps: Dependencies;
  readonly #sessions = new Map<string, Session>();
  /** Serves requests of the revision without sessions. */
  #single: McpHttpHandler | undefined;
  #isClosed = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Throws `Refused` for an unknown session, when all sessions are in use, and when the daemon stops meanwhile. */
  async handle(exchange: McpExchange): Promise<Response> {
    const library = await loadLibrary();
    const { request, body } = exchange;
    if (this.#isClosed) throw goingDown();
    if (!(await library.isLegacyRequest(request, body))) return this.#handleSingle(library, exchange);
    this.#endUnused();
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.#open(library, exchange) : this.#sessions.get(id);
    if (session === undefined) throw refused('not_found', 'There is no such MCP session: it has ended.');
    session.usedAt = this.#deps.clock.now();
    const parsed = request.method === 'POST' ? { parsedBody: body } : {};
    return this.#counted(session, await session.transport.handleRequest(request, parsed));
  }

  /** Ends every session and its streams. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
    await this.#single?.close();
  }

  async #handleSingle({ createMcpHandler, createMcpServer }: Library, exchange: McpExchange): Promise<Response> {
    const { daemon, request, body } = exchange;
    const { version } = this.#deps;
    this.#single ??= createMcpHandler(() => createMcpServer({ version, daemon }), {
      legacy: 'reject',
      maxSubscriptions: SESSIONS_MAX,
    });
    const response = await this.#single.fetch(request, { parsedBody: body });
    if (this.#isClosed && response.status === ENDED_UNANSWERED) throw goingDown();
    return response;
  }

  /**
   * Opens a session, which gets its id, and a place among the sessions, when the transport accepts its `initialize`.
   * Throws `Refused` when all sessions are in use.
   */
  async #open(library: Library, { daemon }: McpExchange): Promise<Session> {
    if (this.#sessions.size >= SESSIONS_MAX && this.#oldestUnused() === undefined) {
      throw refused('too_many', `There are ${SESSIONS_MAX} MCP sessions already.`);
    }
    const transport = new library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: createEventStore(),
      onsessioninitialized: (id) => {
        if (this.#sessions.size >= SESSIONS_MAX) void this.#oldestUnused()?.transport.close();
        this.#sessions.set(id, session);
      },
    });
    const session: Session = { transport, usedAt: this.#deps.clock.now(), streams: 0 };
    await library.createMcpServer({ version: this.#deps.version, daemon }).connect(transport);
    const { onclose, onmessage } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      onclose?.();
    };
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      if (library.isSpecType.CancelledNotification(message)) void answerCancelled(transport, message.params.requestId);
    };
    return session;
  }

  #oldestUnused(): Session | undefined {
    const unused = [...this.#sessions.values()].filter(({ streams }) => streams === 0);
    return unused.sort((one, other) => one.usedAt - other.usedAt)[0];
  }

  #endUnused(): void {
    const since = this.#deps.clock.now() - UNUSED_MS_MAX;
    for (const { streams, usedAt, transport } of this.#sessions.values()) {
      if (streams === 0 && usedAt < since) void transport.close();
    }
  }

  /** The response, whose stream counts as a use of the session until it ends. */
  #counted(session: Session, response: Response): Response {
    if (response.body === null) return response;
    session.streams += 1;
    const ended = (): void => {
      session.streams -= 1;
      session.usedAt = this.#deps.clock.now();
    };
    const counting = new TransformStream<Uint8Array, Uint8Array>({ flush: ended, cancel: ended });
    return new Response(response.body.pipeThrough(counting), response);
  }
}

function goingDown(): Refused {
  return refused('unavailable', 'The daemon is going down.');
}

async function answerCancelled(
  transport: WebStandardStreamableHTTPServerTransport,
  id: RequestId | undefined,
): Promise<void> {
  if (id === undefined) return;
  const error = { code: REQUEST_CANCELLED, message: 'The request was cancelled.' };
  // The transport refuses the answer of a request that has ended.
  await transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
}
