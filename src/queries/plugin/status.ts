/**
 * The status of the plugins of a project: the installations in the log, compared with the folders on the disk.
 *
 * - A plugin is in force when this daemon installed it, its folder equals the installed one, and it is not off.
 */
import { z } from 'zod';
import { PLUGIN_CATALOGUE } from '../../commands/plugin/catalogue.ts';
import type { PluginFiles, PluginStanding, SignedPlugin } from '../../ports/plugins.ts';
import { type PluginRow, pluginRows } from '../../projections/plugin.ts';
import type { Views } from '../../projections/views.ts';
import type { DaemonFolders } from '../run/workspace.ts';

/** The settings of the daemon about plugins. */
export interface PluginSettings {
  readonly required_plugins: readonly string[];
}

export interface PluginSources {
  readonly config: PluginSettings & DaemonFolders;
  readonly views: Views;
  readonly plugins: PluginFiles;
}

export const zEffectivePolicy = z.enum(['on', 'off', 'required']);
type EffectivePolicy = z.infer<typeof zEffectivePolicy>;

export interface PluginStatus {
  readonly name: string;
  /** Whether this daemon installed the plugin and its folder exists. */
  readonly installed: boolean;
  /** null until it is installed. */
  readonly policy: EffectivePolicy | null;
  /** The installed plugin; null when it is not installed or is altered. */
  readonly plugin: SignedPlugin | null;
  /** Why the plugin is not in force, apart from its policy. */
  readonly trouble: string | null;
}

/** Whether the settings require the plugin: it can be neither turned off nor uninstalled. */
export function isRequired({ required_plugins }: PluginSettings, name: string): boolean {
  return required_plugins.includes(name);
}

/** Every plugin of the catalogue, in its order, then the other installed ones. Throws `PluginStoreError`. */
export async function pluginStatuses(sources: PluginSources, project: string): Promise<readonly PluginStatus[]> {
  const rows = pluginRows(sources.views, project);
  const names = new Set([...PLUGIN_CATALOGUE.map(({ name }) => name), ...installedNames(rows)]);
  return statusesOf(sources, { project, rows, names: [...names] });
}

/** Throws `PluginStoreError`. */
export async function pluginStatus(
  sources: PluginSources,
  { project, name }: { readonly project: string; readonly name: string },
): Promise<PluginStatus> {
  const rows = pluginRows(sources.views, project);
  const [status] = await statusesOf(sources, { project, rows, names: [name] });
  return status!;
}

/** Installed plugins that the policies enable. Throws `PluginStoreError`. */
export async function enabledPlugins(sources: PluginSources, project: string): Promise<readonly PluginStatus[]> {
  const rows = pluginRows(sources.views, project);
  const names = installedNames(rows).filter(
    (name) => isRequired(sources.config, name) || rows.get(name)?.policy === 'on',
  );
  return names.length === 0 ? [] : statusesOf(sources, { project, rows, names });
}

interface Selection {
  readonly project: string;
  readonly rows: ReadonlyMap<string, PluginRow>;
  readonly names: readonly string[];
}

async function statusesOf(
  { config, plugins }: PluginSources,
  { project, rows, names }: Selection,
): Promise<readonly PluginStatus[]> {
  const onDisk = await plugins.standings(project, names);
  return names.map((name) => {
    const row = rows.get(name);
    const policy = isRequired(config, name) ? 'required' : (row?.policy ?? 'on');
    return { name, ...compared(onDisk.get(name)!, { recorded: row?.manifest ?? null, policy }) };
  });
}

function compared(
  onDisk: PluginStanding,
  { recorded, policy }: { readonly recorded: string | null; readonly policy: EffectivePolicy },
): Omit<PluginStatus, 'name'> {
  const installed = onDisk.state !== 'absent' && recorded !== null;
  const trouble = troubleOf(onDisk, recorded);
  const plugin = installed && trouble === null && onDisk.state === 'signed' ? onDisk.plugin : null;
  return { installed, policy: installed ? policy : null, plugin, trouble };
}

function troubleOf(onDisk: PluginStanding, recorded: string | null): string | null {
  if (onDisk.state === 'absent') return recorded === null ? null : 'its folder is gone';
  if (recorded === null) return 'a folder has its name that this daemon did not install';
  if (onDisk.state === 'altered') return onDisk.reason;
  return onDisk.plugin.manifest === recorded ? null : 'it is not the plugin that was installed here';
}

function installedNames(rows: ReadonlyMap<string, PluginRow>): readonly string[] {
  return [...rows.values()].flatMap(({ name, manifest }) => (manifest === null ? [] : [name]));
}
