/**
 * How the plugins of a project stand: what the log says was installed, held against what is on the disk now.
 *
 * - In force is only what this daemon installed, is still what it installed, and is not off.
 */
import { PLUGIN_CATALOGUE } from '../../commands/plugin/catalogue.ts';
import type { PluginFiles, PluginStanding, SignedPlugin } from '../../ports/plugins.ts';
import { type PluginRow, pluginRows } from '../../projections/plugin.ts';
import type { Views } from '../../projections/views.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: { readonly required_plugins: readonly string[] };
  readonly views: Views;
  readonly plugins: PluginFiles;
}

export type EffectivePolicy = 'on' | 'off' | 'required';

export interface KnownPlugin {
  readonly name: string;
  /** This daemon installed it, and there is something by its name. */
  readonly installed: boolean;
  /** null until it is installed. */
  readonly policy: EffectivePolicy | null;
  /** What is installed; null when it is not, or is no longer what was. */
  readonly plugin: SignedPlugin | null;
  /** Why what is there, or should be, is not in force; policy aside. */
  readonly trouble: string | null;
}

export function isPinned({ config }: Dependencies, name: string): boolean {
  return config.required_plugins.some((required) => required === name);
}

/** Every plugin of the catalogue, in its order, then what else was installed. Throws `PluginStoreError`. */
export async function knownPlugins(deps: Dependencies, project: string): Promise<readonly KnownPlugin[]> {
  const rows = pluginRows(deps.views, project);
  const names = new Set([...PLUGIN_CATALOGUE.map(({ name }) => name), ...installedNames(rows)]);
  return standingsOf(deps, { project, rows, names: [...names] });
}

/** Throws `PluginStoreError`. */
export async function knownPlugin(
  deps: Dependencies,
  { project, name }: { readonly project: string; readonly name: string },
): Promise<KnownPlugin> {
  const [known] = await standingsOf(deps, { project, rows: pluginRows(deps.views, project), names: [name] });
  return known!;
}

/** Installed plugins that the policies enable. Throws `PluginStoreError`. */
export async function enabledPlugins(deps: Dependencies, project: string): Promise<readonly KnownPlugin[]> {
  const rows = pluginRows(deps.views, project);
  const names = installedNames(rows).filter((name) => isPinned(deps, name) || rows.get(name)?.policy === 'on');
  return names.length === 0 ? [] : standingsOf(deps, { project, rows, names });
}

interface Asked {
  readonly project: string;
  readonly rows: ReadonlyMap<string, PluginRow>;
  readonly names: readonly string[];
}

async function standingsOf(deps: Dependencies, { project, rows, names }: Asked): Promise<readonly KnownPlugin[]> {
  const standings = await deps.plugins.look(project, names);
  return names.map((name) => {
    const row = rows.get(name);
    const policy = isPinned(deps, name) ? 'required' : (row?.policy ?? 'on');
    return { name, ...judged(standings.get(name)!, { recorded: row?.manifest ?? null, policy }) };
  });
}

type Judged = Omit<KnownPlugin, 'name'>;

function judged(
  standing: PluginStanding,
  { recorded, policy }: { readonly recorded: string | null; readonly policy: EffectivePolicy },
): Judged {
  const isHere = standing.state !== 'absent';
  const installed = isHere && recorded !== null;
  const trouble = troubleOf(standing, recorded);
  const plugin = installed && trouble === null && standing.state === 'signed' ? standing.plugin : null;
  return { installed, policy: installed ? policy : null, plugin, trouble };
}

function troubleOf(standing: PluginStanding, recorded: string | null): string | null {
  if (standing.state === 'absent') return recorded === null ? null : 'its folder is gone';
  if (recorded === null) return 'a folder has its name that this daemon did not install';
  if (standing.state === 'altered') return standing.reason;
  return standing.plugin.manifest === recorded ? null : 'it is not the plugin that was installed here';
}

function installedNames(rows: ReadonlyMap<string, PluginRow>): readonly string[] {
  return [...rows.values()].flatMap(({ name, manifest }) => (manifest === null ? [] : [name]));
}
