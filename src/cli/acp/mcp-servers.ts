/**
 * The MCP servers that an editor gives a session. Their tools are tools of the session's runs; the calls are made here.
 *
 * - A server starts in the folder of the session with the environment that the editor gives, and a few harmless
 *   variables such as PATH. It ends with the session and with this process, even when that is killed.
 * - A session is refused when one of its servers does not start; the error has the reason.
 */
import { randomUUID } from 'node:crypto';
import { type McpServer, RequestError } from '@agentclientprotocol/sdk';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { zJson } from '../../events/envelope.ts';
import { endedEarly, refused as notListed, sentenceOf } from '../../integrations/mcp/probe-failure.ts';
import { createRedactor } from '../../integrations/mcp/redact.ts';
import { type ServerProcess, startServer } from '../../integrations/mcp/server-process.ts';
import { failed } from '../../integrations/tools/tool.ts';
import { SESSION_TOOL_PREFIX } from '../../ports/delegates.ts';
import type { ModelTool } from '../../ports/models.ts';
import type { ToolCall, ToolOutcome } from '../../ports/tools.ts';
import { VERSION } from '../../version.ts';

const SERVERS_MAX = 16;
const TOOLS_MAX = 128;
const PAGES_MAX = 100;
/** Servers that are downloaded at their first start take long. */
const START_MS_MAX = 45_000;
const CALL_MS_MAX = 600_000;
const NAME_CHARACTERS_MAX = 64;
const DESCRIPTION_CHARACTERS_MAX = 4_096;

export interface SessionServers {
  readonly tools: readonly ModelTool[];
  /** Throws only when aborted. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>;
  close(): Promise<void>;
}

interface Connected {
  readonly name: string;
  readonly client: Client;
  readonly process: ServerProcess | null;
  readonly tools: readonly ListedTool[];
}

type ListedTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

/** Throws `RequestError` with a reason for the user. An abort ends the servers that are starting. */
export async function startSessionServers(
  servers: readonly McpServer[],
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<SessionServers> {
  if (servers.length > SERVERS_MAX) throw refused(`A session has at most ${SERVERS_MAX} MCP servers.`);
  const settled = await Promise.allSettled(servers.map((server) => connect(server, { cwd, signal })));
  const connected = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const close = async (): Promise<void> => void (await Promise.allSettled(connected.map(end)));
  const failure = settled.find((each) => each.status === 'rejected');
  const count = connected.reduce((sum, { tools }) => sum + tools.length, 0);
  if (failure !== undefined || count > TOOLS_MAX) {
    await close();
    throw failure?.reason ?? refused(`The MCP servers have ${count} tools; a session has at most ${TOOLS_MAX}.`);
  }
  const named = new Map<string, { readonly server: Connected; readonly tool: ListedTool }>();
  for (const server of connected) {
    for (const tool of server.tools) named.set(nameOf(server.name, tool.name, named), { server, tool });
  }
  return {
    tools: [...named].map(([name, { server, tool }]) => described(name, server.name, tool)),
    async call({ name, input }, signal) {
      const found = named.get(name);
      if (found === undefined) return failed(`There is no tool ${name} in this session.`);
      return callTool(found.server, { tool: found.tool.name, input }, signal);
    },
    close,
  };
}

async function connect(
  server: McpServer,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Connected> {
  const { name } = server;
  const { transport, process } = transportOf(server, cwd);
  const client = new Client({ name: 'daybook', version: VERSION });
  const connected = { name, client, process };
  try {
    const listed = list(client, { transport, signal });
    return { ...connected, tools: await Promise.race([listed, ...(process === null ? [] : [rejectOnExit(process)])]) };
  } catch (error) {
    // The exit of the server explains the failure, otherwise its answer does. It exits when the client closes, too.
    const ended = await Promise.race([process?.ended, null]);
    await end({ ...connected, tools: [] });
    const redactor = createRedactor(secretsOf(server));
    const reason =
      ended == null || process === null || 'type' in server
        ? notListed((error as Error).message, redactor)
        : endedEarly(ended, { command: server.command, said: process.said(), redactor });
    throw refused(`The MCP server '${name}' cannot be used. ${reason}`);
  }
}

/** What the editor gives a server and what no error shows. */
function secretsOf(server: McpServer): readonly string[] {
  return ('type' in server ? server.headers : server.env).map(({ value }) => value);
}

function transportOf(
  server: McpServer,
  cwd: string,
): { readonly transport: Transport; readonly process: ServerProcess | null } {
  if (!('type' in server)) {
    const { command, args } = server;
    const env = {
      ...getDefaultEnvironment(),
      ...Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
    };
    const process = startServer({ command, args, env, cwd, marker: `acp-mcp-${randomUUID()}` });
    return { transport: process.transport, process };
  }
  if (server.type === 'http') {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    const url = URL.parse(server.url);
    if (url === null) throw refused(`The URL of the MCP server '${server.name}' cannot be read.`);
    return { transport: new StreamableHTTPClientTransport(url, { requestInit: { headers } }), process: null };
  }
  throw refused(`The MCP server '${server.name}' is of the kind ${server.type}; Daybook supports stdio and http.`);
}

async function list(
  client: Client,
  { transport, signal }: { readonly transport: Transport; readonly signal: AbortSignal },
): Promise<readonly ListedTool[]> {
  const within = { timeout: START_MS_MAX, signal };
  await client.connect(transport, within);
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor }, within);
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined || tools.length > TOOLS_MAX) break;
  }
  return tools;
}

async function rejectOnExit({ ended }: ServerProcess): Promise<never> {
  await ended;
  throw new Error('The server has ended.');
}

async function end({ client, process }: Connected): Promise<void> {
  await client.close().catch(() => undefined);
  await process?.kill();
}

/** A name that models can use: `mcp__<server>__<tool>`, with a number where two would be the same. */
function nameOf(server: string, tool: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, '_') || '_';
  const whole = `${SESSION_TOOL_PREFIX}${plain(server)}__${plain(tool)}`;
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `_${number}`;
    const name = whole.slice(0, NAME_CHARACTERS_MAX - end.length) + end;
    if (!taken.has(name)) return name;
  }
}

function described(name: string, server: string, { description = '', inputSchema }: ListedTool): ModelTool {
  const text = `${description.slice(0, DESCRIPTION_CHARACTERS_MAX).toWellFormed()}\n(A tool of the MCP server ${server}.)`;
  const schema = zJson.parse(inputSchema);
  return { name, description: text.trim(), input_schema: { ...(schema as ModelTool['input_schema']) } };
}

async function callTool(
  { name, client }: Connected,
  { tool, input }: { readonly tool: string; readonly input: ToolCall['input'] },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return failed('The input of this tool must be an object.');
  }
  try {
    const result = await client.callTool({ name: tool, arguments: { ...input } }, { signal, timeout: CALL_MS_MAX });
    return { success: result.isError !== true, output: textOf(result), files_modified: [] };
  } catch (error) {
    signal.throwIfAborted();
    return failed(`The MCP server '${name}' did not do it: ${sentenceOf((error as Error).message)}`);
  }
}

function textOf({ content, structuredContent }: CallToolResult): string {
  const parts = content.map(textOfBlock);
  if (parts.length > 0 || structuredContent === undefined) return parts.join('\n');
  return JSON.stringify(structuredContent);
}

function textOfBlock(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[The binary resource ${block.resource.uri} is left out.]`;
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType} is left out]`;
  }
}

function refused(reason: string): RequestError {
  return RequestError.invalidParams({ mcpServers: reason }, reason);
}
