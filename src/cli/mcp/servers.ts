/** The MCP servers of a project: its enabled connectors, and those of config.json, which override equal names. */
import type { ConnectorsListAnswer } from '../../client/client.ts';
import { OWN_CONNECTOR_ID } from '../../commands/connector/catalogue.ts';
import type { Config } from '../../config.ts';
import { launchOf } from '../../queries/connector/launch.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { Client } from '../client.ts';
import { OWN_PROGRAM } from '../temporary-daemon.ts';

export type Connector = ConnectorsListAnswer['connectors'][number];

/** The format of MCP client settings. */
interface McpDefinition {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface ListedServer {
  readonly name: string;
  readonly from: 'connector' | 'config.json';
  readonly note: string;
  /** The configured command line. */
  readonly commandLine: readonly string[];
  readonly definition: McpDefinition;
}

export async function connectorsOf(client: Client, scope: WorkspaceScope): Promise<readonly Connector[]> {
  return (await client.api.connectors.list({ query: { path: scope.root } })).connectors;
}

export function mergedServers(
  connectors: readonly Connector[],
  { config, scope }: { readonly config: Pick<Config, 'mcp_servers' | 'home'>; readonly scope: WorkspaceScope },
): readonly ListedServer[] {
  const { mcp_servers, home } = config;
  const configured = Object.entries(mcp_servers).map(([name, definition]) => {
    const commandLine = [definition.command, ...(definition.args ?? [])];
    return { name, from: 'config.json', note: '', commandLine, definition } as const;
  });
  const listed = connectors
    .filter(({ id, enabled }) => enabled && !Object.hasOwn(mcp_servers, id))
    .map((connector) => {
      const { id: name, command, args, missing_credentials } = connector;
      // Null only in a past state.
      const missing = missing_credentials ?? [];
      const commandLine = [command, ...args];
      const note = missing.length === 0 ? '' : `needs ${missing.join(', ')}`;
      return {
        name,
        from: 'connector',
        note,
        commandLine,
        definition: definitionOf(connector, { home, scope }),
      } as const;
    });
  return [...listed, ...configured];
}

/** A connector with credentials is launched through `daybook mcp run`, so that no other program's file holds them. */
function definitionOf(
  connector: Connector,
  { home, scope }: { readonly home: string; readonly scope: WorkspaceScope },
): McpDefinition {
  const { id, catalog_id, credential_names } = connector;
  const daybook = { command: process.execPath, env: { DAYBOOK_HOME: home } };
  if (catalog_id === OWN_CONNECTOR_ID) return { ...daybook, args: [OWN_PROGRAM, '--mcp-server'] };
  if (credential_names.length > 0) return { ...daybook, args: [OWN_PROGRAM, 'mcp', 'run', id, '--path', scope.root] };
  const { program } = launchOf(connector, { workspace: scope.root, secrets: {} });
  return { command: program!.command, args: program!.args };
}
