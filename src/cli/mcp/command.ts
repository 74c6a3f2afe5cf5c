/** `daybook mcp`: lists the MCP servers of a project, probes or runs one, and serves Daybook's own. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { Refused } from '../../commands/refusal.ts';
import { homeOf, loadConfig } from '../../config/load.ts';
import { type WorkspaceScope, workspaceScope } from '../../queries/workspace-scope.ts';
import { createClient } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { notes } from '../help.ts';
import { homeOption, subcommand, withoutSubcommand } from '../options.ts';
import { print, printable, printJson, table } from '../text.ts';
import { type Connector, connectorsOf, type ListedServer, mergedServers } from './servers.ts';

interface McpOptions {
  readonly home?: string;
  readonly path?: string;
  readonly json?: boolean;
}

const HELP = `
  daybook mcp                          the servers of the current project
  daybook mcp --json > .mcp.json       the same as settings of an MCP client, without the credentials
                                       of connectors; env of config.json is included
  daybook mcp probe github             launch it and list its tools
  daybook mcp run github               how clients launch a connector that has credentials
  daybook --mcp-server                 Daybook's own server, the same as: daybook mcp serve
`;

export function command(): Command {
  const mcp = new Command('mcp')
    .description(
      'MCP servers: enabled connectors, and those of config.json, which override connectors of the same name.',
    )
    .option('--json', 'an object mcpServers, in the format of MCP clients; of probe its result')
    .allowExcessArguments()
    .action(withoutSubcommand(list));
  subcommand(mcp, 'probe', 'launch a connector, list its tools and end it')
    .argument('<id>', 'connector')
    .action((id: string) => probe(id, mcp.opts()));
  subcommand(mcp, 'run', 'launch a connector with its credentials on this stdin and stdout')
    .argument('<id>', 'connector')
    .action((id: string) => run(id, mcp.opts()));
  subcommand(mcp, 'serve', 'serve Daybook’s own tools on stdin and stdout').action(() => serve(mcp.opts()));
  mcp.option('--path <dir>', 'folder of the project, or a folder in it (default: here)');
  return homeOption(mcp).addHelpText('after', notes(HELP));
}

function contextOf({ path = '.', ...options }: McpOptions) {
  const home = homeOf(process.env, options);
  const config = loadConfig(process.env, { home, workspace: resolve(path) }, process.cwd());
  return { config, scope: scopeOf(config, resolve(path)), client: createClient(home) };
}

function scopeOf(config: Parameters<typeof workspaceScope>[0], path: string): WorkspaceScope {
  try {
    return workspaceScope(config, path);
  } catch (error) {
    throw error instanceof Refused ? new UsageError(error.message) : error;
  }
}

async function list(options: McpOptions): Promise<void> {
  const { config, scope, client } = contextOf(options);
  const servers = mergedServers(await connectorsOf(client, scope), { config, scope });
  if (options.json === true) return print(asSettings(servers));
  if (servers.length === 0) return print('No MCP servers in this project.\n');
  const rows = servers.map(({ name, from, note, commandLine }) => [name, from, note, commandLine.join(' ')]);
  await print(table([['NAME', 'FROM', 'NOTE', 'COMMAND'], ...rows]));
}

function asSettings(servers: readonly ListedServer[]): string {
  const mcpServers = Object.fromEntries(servers.map(({ name, definition }) => [name, definition]));
  return `${JSON.stringify({ mcpServers }, null, 2)}\n`;
}

async function probe(id: string, options: McpOptions): Promise<void> {
  const { scope, client } = contextOf(options);
  const { result } = await client.api.connectors.probe({ id, path: scope.root });
  if (options.json === true) await printJson(result);
  else if (result.state === 'ok') await print(toolsText(result.tools));
  switch (result.state) {
    case 'ok':
      return;
    case 'failed':
      throw new CommandError(result.error);
    case 'timedout':
      throw new CommandError(`It did not list its tools within ${result.after_secs} s.`);
  }
}

function toolsText(tools: readonly string[]): string {
  return tools.map((tool) => `${printable(tool)}\n`).join('') || 'It has no tools.\n';
}

async function run(id: string, options: McpOptions): Promise<void> {
  const { config, scope, client } = contextOf(options);
  const { position } = await client.api.log.head();
  const connector = launchable(id, await connectorsOf(client, scope));
  const { runConnector, untilDisabled } = await import('./run.ts');
  const disabled = (signal: AbortSignal) => untilDisabled(client, { scopeKey: scope.key, id, position }, signal);
  process.exitCode = await runConnector(connector, { config, scope, disabled });
}

function launchable(id: string, connectors: readonly Connector[]): Connector {
  const connector = connectors.find((each) => each.id === id);
  if (connector === undefined) throw new CommandError(`The connector '${id}' is not configured here.`);
  if (!connector.enabled) throw new CommandError(`The connector '${id}' is disabled.`);
  return connector;
}

async function serve(options: McpOptions): Promise<void> {
  const { serveMcp } = await import('./server.ts');
  await serveMcp(homeOf(process.env, options));
}
