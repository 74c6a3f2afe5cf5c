/**
 * Daybook's own MCP server on stdin and stdout. Each call is a request to the running daemon, which is looked up for every
 * call, so that the server survives a restart of the daemon.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { faultOf } from '../../events/fault.ts';
import { OWN_MCP_TOOLS, type OwnMcpTool } from '../../queries/connector/daybook-tools.ts';
import { type Client, createClient } from '../client.ts';
import { CommandError } from '../errors.ts';
import { version } from '../version.ts';
import { OWN_TOOLS, type OwnTool } from './tools.ts';

const INSTRUCTIONS =
  'Daybook is an assistant daemon on this machine that remembers everything it did. A run started here works in the ' +
  'background: read it again with job_read until its status is complete, partial, failed or cancelled.';

/** Resolves when the client disconnects. */
export async function serveMcp(home: string): Promise<void> {
  const server = new McpServer({ name: 'daybook', version: version() }, { instructions: INSTRUCTIONS });
  const client = createClient(home);
  // The library checks the input of tools, and words what is wrong with it.
  z.config({ customError: faultOf });
  for (const [name, description] of Object.entries(OWN_MCP_TOOLS)) {
    const tool = OWN_TOOLS[name as OwnMcpTool];
    const annotations = { readOnlyHint: tool.readOnly, destructiveHint: false, openWorldHint: false };
    server.registerTool(name, { description, inputSchema: tool.input, annotations }, (input) =>
      call(client, tool, input),
    );
  }
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.server.onclose = resolve;
  await server.connect(new StdioServerTransport());
  await closed;
}

async function call(client: Client, tool: OwnTool, input: unknown) {
  const { path, ...options } = tool.request(input);
  try {
    const answer = await client.request(path, { ...options, schema: z.unknown() });
    return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { isError: true, content: [{ type: 'text' as const, text: error.message }] };
  }
}
