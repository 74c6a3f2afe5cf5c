/**
 * What the plugins in force say to a run that begins: recorded in its request, so that what it was told is what is
 * replayed, whatever becomes of the plugins.
 *
 * - A skill in the run's own workspace is read there when it is needed. One that lies outside, because the workspace is a
 *   folder of the project, is told in full, while there is room.
 */
import { realpathSync } from 'node:fs';
import { Refused } from '../../commands/refusal.ts';
import type { Guidance } from '../../events/run/events.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import { PluginStoreError, type SignedPlugin } from '../../ports/plugins.ts';
import { anyPlugin } from '../../projections/plugin.ts';
import type { Views } from '../../projections/views.ts';
import type { DaemonFolders } from '../run/workspace.ts';
import { workspaceScope } from '../workspace-scope.ts';
import { enabledPlugins, type KnownPlugin } from './standing.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: DaemonFolders & { readonly required_plugins: readonly string[] };
  readonly views: Views;
  readonly plugins: PluginFiles;
}

/** Of skills that are told in full. */
const TOLD_CHARACTERS_MAX = 20_000;

export interface RunGuidance {
  readonly guidance?: Guidance;
  /** For the run's reader. */
  readonly notes: readonly string[];
}

const NONE: RunGuidance = { notes: [] };

export async function runGuidance(deps: Dependencies, workspace: string): Promise<RunGuidance> {
  if (!anyPlugin(deps.views)) return NONE;
  const found = await Promise.all(projectsOf(deps, workspace).map((project) => enabledIn(deps, project)));
  const known = found.flat();
  if (known.length === 0) return NONE;
  const troubles = known.flatMap(({ name, trouble }) =>
    trouble === null ? [] : [`The plugin ${name} is not in force: ${trouble}.`],
  );
  const plugins = distinct(known);
  const rules = plugins.flatMap(({ plugin: { name: plugin, components } }) =>
    components.flatMap(({ kind, name, text }) => (kind === 'rule' ? [{ plugin, name, text }] : [])),
  );
  const { skills, left } = skillsOf(plugins, realpathSync(workspace));
  const leftOut = left === 0 ? [] : [`There was no room for ${left} skills of plugins that lie outside the workspace.`];
  const notes = [...troubles, ...leftOut];
  return rules.length + skills.length === 0 ? { notes } : { guidance: { rules, skills }, notes };
}

/** The project of the workspace's name; for the daemon's own workspace also the one that is meant without a path. */
function projectsOf({ config }: Dependencies, workspace: string): readonly string[] {
  try {
    const own = workspace === config.workspace ? [workspaceScope(config, null).root] : [];
    return [...new Set([...own, workspaceScope(config, workspace).root])];
  } catch (error) {
    if (error instanceof Refused) return [];
    throw error;
  }
}

interface Placed {
  readonly project: string;
  readonly plugin: SignedPlugin;
}

type Found = KnownPlugin & { readonly project: string };

async function enabledIn(deps: Dependencies, project: string): Promise<readonly Found[]> {
  try {
    return (await enabledPlugins(deps, project)).map((known) => ({ ...known, project }));
  } catch (error) {
    if (error instanceof PluginStoreError) return [];
    throw error;
  }
}

/** Of two of one name the nearer one. */
function distinct(known: readonly Found[]): readonly Placed[] {
  const byName = new Map<string, Placed>();
  for (const { plugin, project } of known) {
    if (plugin !== null && !byName.has(plugin.name)) byName.set(plugin.name, { plugin, project });
  }
  return [...byName.values()];
}

function skillsOf(plugins: readonly Placed[], workspace: string) {
  const skills: Guidance['skills'] = [];
  let room = TOLD_CHARACTERS_MAX;
  let left = 0;
  for (const { plugin, project } of plugins) {
    for (const { kind, name, description, file, text } of plugin.components) {
      if (kind !== 'skill') continue;
      const facts = { plugin: plugin.name, name, description };
      if (project === workspace) skills.push({ ...facts, file: `.vibecli/plugins/${plugin.name}/${file}` });
      else if (text.length > room) left += 1;
      else {
        room -= text.length;
        skills.push({ ...facts, text });
      }
    }
  }
  return { skills, left };
}
