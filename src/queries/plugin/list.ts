/** The components of a project's plugins, and the catalogue with the status of each plugin in a project. */
import { PLUGIN_CATALOGUE } from '../../commands/plugin/catalogue.ts';
import { PluginStoreError } from '../../ports/plugins.ts';
import { lacksWorkspace, type ScopePath, workspaceScope } from '../workspace-scope.ts';
import { type PluginSources, type PluginStatus, pluginStatuses } from './status.ts';

/** The components in force by kind, and the plugins that are not in force with the reason. Throws `Refused`. */
export async function livePlugins(deps: PluginSources, path: ScopePath) {
  const statuses = await statusesIn(deps, path);
  const live = (statuses ?? []).flatMap(({ name, plugin, policy }) =>
    plugin === null || policy === null || policy === 'off'
      ? []
      : plugin.components.map((component) => ({ kind: component.kind, plugin: name, name: component.name, policy })),
  );
  const not_live = (statuses ?? []).flatMap(({ name, trouble }) =>
    trouble === null ? [] : [{ plugin: name, reason: trouble }],
  );
  return {
    available: statuses !== null,
    total: live.length,
    mcp_servers: [],
    skills: live.filter(({ kind }) => kind === 'skill'),
    subagents: [],
    rules: live.filter(({ kind }) => kind === 'rule'),
    hooks: [],
    not_live,
  };
}

/** Throws `Refused`. */
export async function pluginCatalogue(deps: PluginSources, path: ScopePath) {
  const statuses = new Map((await statusesIn(deps, path))?.map((status) => [status.name, status]));
  return PLUGIN_CATALOGUE.map((entry) => {
    const { installed = false, policy = null, trouble = null } = statuses.get(entry.name) ?? {};
    return { ...entry, installed, policy, trouble };
  });
}

/** null when the project's folder of plugins cannot be opened, or the workspace is gone; then no plugin is in force. */
async function statusesIn(deps: PluginSources, path: ScopePath): Promise<readonly PluginStatus[] | null> {
  if (lacksWorkspace(deps.config, path)) return null;
  const { root } = workspaceScope(deps.config, path);
  try {
    return await pluginStatuses(deps, root);
  } catch (error) {
    if (error instanceof PluginStoreError) return null;
    throw error;
  }
}
