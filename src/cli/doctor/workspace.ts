/** Checks of the workspace: whether tools may write there, and whether its plugins are as they were signed. */
import { realpathSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { createPlugins } from '../../integrations/plugins/plugins.ts';
import { confine } from '../../integrations/tools/confine.ts';
import { PluginStoreError } from '../../ports/plugins.ts';
import { type Finding, finding } from './finding.ts';

const MEND = 'install it again with force, or uninstall it (docs/plugins.md)';

/** A warning when the agents' tools may not write to the workspace; else nothing. */
export async function workspaceFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const access = await confine(config, config.workspace, 'write');
  if (access.ok) return [];
  return [finding('workspace', 'warning', `no tool works there: ${access.reason}`, 'set DAYBOOK_WORKSPACE to another')];
}

/** Empty without plugins. Whether the daemon itself installed a plugin is in the log and not checked here. */
export async function pluginFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const files = createPlugins(config);
  try {
    const project = realpathSync(config.workspace);
    const standings = await files.standings(project, await files.names(project));
    const altered = [...standings].flatMap(([name, standing]) =>
      standing.state === 'altered' ? [finding('plugins', 'warning', `${name}: ${standing.reason}`, MEND)] : [],
    );
    const missing = config.required_plugins.filter((name) => !standings.has(name));
    const required = missing.map((name) => {
      return finding('plugins', 'warning', `${name} is required and not in the workspace`, 'install it');
    });
    if (altered.length + required.length > 0) return [...altered, ...required];
    return standings.size === 0 ? [] : [finding('plugins', 'ok', `${standings.size} as they were signed`)];
  } catch (error) {
    if (error instanceof PluginStoreError) return [finding('plugins', 'warning', error.message)];
    throw error;
  }
}
