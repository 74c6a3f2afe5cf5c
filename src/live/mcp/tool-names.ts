/** The tools of Daybook's own MCP server, by name. The MCP card and the server list the same tools. */

export const OWN_MCP_TOOLS = {
  jobs_list: 'Lists agent runs of this Daybook daemon, most recent first.',
  job_read: 'Reads one agent run: task, status, what it did and its summary.',
  job_wait:
    'Waits until an agent run has ended, reports its steps as progress, and answers the run. A run that has not ended ' +
    'in time is answered as it is then.',
  run_start:
    'Starts an agent run in the background and answers its session id. What it may do unattended is decided by the ' +
    'daemon’s approval policy.',
  memory_query: 'Finds what the daemon remembers about a question.',
  memory_add: 'Keeps a text in the daemon’s memory.',
  goals_list: 'Lists goals, last changed first.',
} as const;

export type OwnMcpTool = keyof typeof OWN_MCP_TOOLS;

export const OWN_MCP_TRANSPORTS = ['stdio', 'streamable_http'] as const;

/** The newest revision of MCP with sessions; older ones and the revision without sessions are negotiated. */
export const MCP_PROTOCOL_VERSION = '2025-11-25';

/** The path of MCP over Streamable HTTP. */
export const MCP_PATH = '/mcp';
