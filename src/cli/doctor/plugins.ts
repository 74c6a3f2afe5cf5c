/** Checks of the workspace's plugins: are they still what was signed? Whether the daemon installed them only its log knows. */
import { realpathSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { createPlugins } from '../../integrations/plugins/plugins.ts';
import { PluginStoreError } from '../../ports/plugins.ts';
import { type Finding, finding } from './finding.ts';

const MEND = 'install it again with force, or uninstall it (docs/plugins.md)';

/** None where there is no plugin and none is required. */
export async function pluginFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const files = createPlugins(config);
  try {
    const project = realpathSync(config.workspace);
    const standings = await files.look(project, await files.names(project));
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
