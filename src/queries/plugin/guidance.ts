/**
 * The rules and skills that the plugins in force give to a new run. They are recorded in its request, so a replay uses
 * the same guidance, even after the plugins change.
 *
 * - A skill in the run's workspace is named by its file, which the run reads when it needs it. A skill outside it (the
 *   workspace is a folder of the project) is included in full, up to SKILL_TEXT_CHARACTERS_MAX.
 */
import { realpathSync } from 'node:fs';
import { Refused } from '../../commands/refusal.ts';
import type { Guidance } from '../../events/run/events.ts';
import { PluginStoreError, type SignedPlugin } from '../../ports/plugins.ts';
import { anyPlugin } from '../../projections/plugin.ts';
import { counted } from '../markdown.ts';
import type { DaemonFolders } from '../run/workspace.ts';
import { workspaceScope } from '../workspace-scope.ts';
import { enabledPlugins, type PluginSources, type PluginStatus } from './status.ts';

/** Limit of the skills that are included in full, together. */
const SKILL_TEXT_CHARACTERS_MAX = 20_000;

export interface RunGuidance {
  readonly guidance?: Guidance;
  /** For the reader of the run. */
  readonly notes: readonly string[];
}

const NONE: RunGuidance = { notes: [] };

export async function runGuidance(deps: PluginSources, workspace: string): Promise<RunGuidance> {
  if (!anyPlugin(deps.views)) return NONE;
  const projects = projectsOf(deps.config, workspace);
  const enabled = (await Promise.all(projects.map((project) => enabledIn(deps, project)))).flat();
  if (enabled.length === 0) return NONE;
  const troubles = enabled.flatMap(({ name, trouble }) =>
    trouble === null ? [] : [`The plugin ${name} is not in force: ${trouble}.`],
  );
  const plugins = distinct(enabled);
  const rules = plugins.flatMap(({ plugin: { name: plugin, components } }) =>
    components.flatMap(({ kind, name, text }) => (kind === 'rule' ? [{ plugin, name, text }] : [])),
  );
  const { skills, leftOut } = skillsOf(plugins, realpathSync(workspace));
  const notes =
    leftOut === 0
      ? troubles
      : [...troubles, `There was no room for ${counted(leftOut, 'skill')} of plugins that lie outside the workspace.`];
  return rules.length + skills.length === 0 ? { notes } : { guidance: { rules, skills }, notes };
}

/** The project of the workspace; for the daemon's workspace also the project of requests without a path. */
function projectsOf(config: DaemonFolders, workspace: string): readonly string[] {
  try {
    const withoutPath = workspace === config.workspace ? [workspaceScope(config, null).root] : [];
    return [...new Set([...withoutPath, workspaceScope(config, workspace).root])];
  } catch (error) {
    if (error instanceof Refused) return [];
    throw error;
  }
}

interface Placed {
  readonly project: string;
  readonly plugin: SignedPlugin;
}

type EnabledPlugin = PluginStatus & { readonly project: string };

async function enabledIn(deps: PluginSources, project: string): Promise<readonly EnabledPlugin[]> {
  try {
    return (await enabledPlugins(deps, project)).map((status) => ({ ...status, project }));
  } catch (error) {
    if (error instanceof PluginStoreError) return [];
    throw error;
  }
}

/** Of two plugins with one name, the plugin of the first project. */
function distinct(enabled: readonly EnabledPlugin[]): readonly Placed[] {
  const byName = new Map<string, Placed>();
  for (const { plugin, project } of enabled) {
    if (plugin !== null && !byName.has(plugin.name)) byName.set(plugin.name, { plugin, project });
  }
  return [...byName.values()];
}

function skillsOf(plugins: readonly Placed[], workspace: string) {
  const skills: Guidance['skills'] = [];
  let charactersLeft = SKILL_TEXT_CHARACTERS_MAX;
  let leftOut = 0;
  for (const { plugin, project } of plugins) {
    for (const { kind, name, description, file, text } of plugin.components) {
      if (kind !== 'skill') continue;
      const facts = { plugin: plugin.name, name, description };
      if (project === workspace) skills.push({ ...facts, file: `.vibecli/plugins/${plugin.name}/${file}` });
      else if (text.length > charactersLeft) leftOut += 1;
      else {
        charactersLeft -= text.length;
        skills.push({ ...facts, text });
      }
    }
  }
  return { skills, leftOut };
}
