/**
 * Our own MCP server on stdin and stdout. It knows nothing itself: each call asks the running daemon, found anew for
 * every call, so that a daemon that was restarted is simply asked again.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { OWN_MCP_TOOLS, type OwnMcpTool } from '../../queries/connector/daybook-tools.ts';
import { type Client, createClient } from '../client.ts';
import { CommandError } from '../failures.ts';
import { version } from '../version.ts';
import { OWN_TOOLS, type OwnTool } from './tools.ts';

const INSTRUCTIONS =
  'Daybook is an assistant daemon on this machine that remembers everything it did. A run started here works in the ' +
  'background: read it again with job_read until its status is complete, partial, failed or cancelled.';

/** Resolves when the client has gone. */
export async function serveMcp(home: string): Promise<void> {
  const server = new McpServer({ name: 'daybook', version: version() }, { instructions: INSTRUCTIONS });
  const client = createClient(home);
  for (const [name, description] of Object.entries(OWN_MCP_TOOLS)) {
    const own = OWN_TOOLS[name as OwnMcpTool];
    const annotations = { readOnlyHint: own.readOnly, destructiveHint: false, openWorldHint: false };
    server.registerTool(name, { description, inputSchema: own.input, annotations }, (input) =>
      call(client, own, input),
    );
  }
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  server.server.onclose = resolve;
  await server.connect(new StdioServerTransport());
  await gone;
}

async function call(client: Client, own: OwnTool, input: unknown) {
  const { path, ...how } = own.request(input);
  try {
    const answer = await client.request(path, { ...how, schema: z.unknown() });
    return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { isError: true, content: [{ type: 'text' as const, text: error.message }] };
  }
}
