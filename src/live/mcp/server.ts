/** Daybook's own MCP server, for any transport: its tools, with error messages for invalid calls. */
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { faultOf } from '../../events/fault.ts';
import { OWN_MCP_TOOLS, type OwnMcpTool } from './tool-names.ts';
import { type DaemonAccess, OWN_TOOLS, type OwnTool, ToolRefused } from './tools.ts';

const INSTRUCTIONS =
  'Daybook is an assistant daemon on this machine that remembers everything it did. A run started here works in the ' +
  'background: wait for it with job_wait, or read it again with job_read until its status is complete, partial, ' +
  'failed or cancelled.';

export function createMcpServer({
  version,
  daemon,
}: {
  readonly version: string;
  readonly daemon: DaemonAccess;
}): McpServer {
  const server = new McpServer({ name: 'daybook', version }, { instructions: INSTRUCTIONS });
  for (const [name, description] of Object.entries(OWN_MCP_TOOLS)) {
    const tool = OWN_TOOLS[name as OwnMcpTool];
    const annotations = { readOnlyHint: tool.readOnly, destructiveHint: false, openWorldHint: false };
    server.registerTool(name, { description, inputSchema: worded(tool.input), annotations }, (input, context) =>
      call(tool, { input, daemon, context }),
    );
  }
  return server;
}

/**
 * A schema with Daybook's messages: the library validates the input of tools and repeats the messages of the schema.
 */
function worded(schema: z.ZodType) {
  const standard = schema['~standard'];
  return {
    '~standard': {
      ...standard,
      validate(value: unknown) {
        const parsed = schema.safeParse(value, { error: faultOf });
        return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
      },
    },
  };
}

async function call(
  tool: OwnTool,
  {
    input,
    daemon,
    context,
  }: { readonly input: unknown; readonly daemon: DaemonAccess; readonly context: ServerContext },
) {
  try {
    const answer = await tool.run({ input, daemon, signal: context.mcpReq.signal, progress: progressOf(context) });
    return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] };
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    return { isError: true, content: [{ type: 'text' as const, text: error.message }] };
  }
}

/** Sends each step to the client, if it requested progress. */
function progressOf({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
}
