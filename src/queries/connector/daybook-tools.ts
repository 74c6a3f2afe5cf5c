/** The tools of Daybook's own MCP server, by name: its card and `daybook --mcp-server` list the same ones. */

export const OWN_MCP_TOOLS = {
  jobs_list: 'Lists agent runs of this Daybook daemon, most recent first.',
  job_read: 'Reads one agent run: task, status, what it did and its summary.',
  run_start:
    'Starts an agent run in the background and answers its session id. What it may do unattended is decided by the ' +
    'daemon’s approval policy.',
  memory_query: 'Finds what the daemon remembers about a question.',
  memory_add: 'Keeps a text in the daemon’s memory.',
  goals_list: 'Lists goals, last changed first.',
} as const;

export type OwnMcpTool = keyof typeof OWN_MCP_TOOLS;

export const OWN_MCP_TRANSPORTS = ['stdio'] as const;
