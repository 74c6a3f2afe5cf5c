/**
 * Installs plugins as signed folders of a project, and uninstalls them.
 *
 * - A plugin is installed in a project once at a time; different plugins are installed concurrently.
 * - A bundle is installed with its members and the connectors it expects. A member or connector that fails does
 *   not prevent the installation of the bundle.
 * - The event of a bundle comes after those of its members and connectors, in the commit of the recorded answer. So
 *   repeating an installation that a crash cut off completes it.
 */
import { z } from 'zod';
import { catalogConnector } from '../../commands/connector/catalogue.ts';
import { type CataloguePlugin, cataloguePlugin } from '../../commands/plugin/catalogue.ts';
import { plugin as decider, type PluginCommand, pluginId } from '../../commands/plugin/decide.ts';
import { isRefusal, Refused, refused, sanitiseEcho } from '../../commands/refusal.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { Clock } from '../../ports/clock.ts';
import { type PluginDraft, type PluginInPlace, PluginStoreError } from '../../ports/plugins.ts';
import { installedPlugins } from '../../projections/plugin.ts';
import { isRequired, type PluginSources, pluginStatus, zEffectivePolicy } from '../../queries/plugin/status.ts';
import { type WorkspaceScope, workspaceScope } from '../../queries/workspace-scope.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Connectors } from '../connector/connectors.ts';
import type { SendCommand } from '../send-command.ts';

const zConnectorOutcome = z.object({
  id: z.string().describe('Id of the connector.'),
  title: z.string(),
  state: z.enum(['already_configured', 'added', 'needs_credentials', 'unknown', 'failed']).describe('What came of it.'),
  fields: z.array(z.string()).optional().describe('Names of the credentials that it needs.'),
  error: z.string().optional().describe('Why it failed; absent when it did not.'),
});
type ConnectorOutcome = Readonly<z.infer<typeof zConnectorOutcome>>;

export interface InstallerDependencies extends PluginSources {
  readonly clock: Clock;
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly connectors: Connectors;
  announce(line: string): void;
}

interface PluginRequest {
  readonly name: string;
  readonly path?: string | null | undefined;
}

export const zInstalled = z.object({
  name: z.string().describe('Name of the plugin or bundle.'),
  version: z.string().describe('Version that is installed.'),
  policy: zEffectivePolicy.describe('A new installation is on.'),
  components: z.int().describe('Number of its parts.'),
  signing_key_persisted: z.boolean().describe('Whether the key that signed it is stored on the disk.'),
  included: z.array(z.string()).describe('Of a bundle, the plugins that were installed.'),
  connectors: z.array(zConnectorOutcome).describe('Connectors that it asks for.'),
});
type InstalledPlugin = Readonly<z.infer<typeof zInstalled>>;

interface Installing {
  readonly scope: WorkspaceScope;
  readonly send: SendCommand;
}

/** How an installation is recorded. */
export interface InstallCommands {
  readonly send: SendCommand;
  /** Sends the last command, in whose commit the result becomes the answer to the request. */
  finish(id: string, command: PluginCommand, installed: InstalledPlugin): Promise<unknown>;
}

export class PluginInstaller {
  readonly #deps: InstallerDependencies;
  /** By plugin and project. */
  readonly #locks = new KeyedMutex();

  constructor(deps: InstallerDependencies) {
    this.#deps = deps;
  }

  /** Throws `Refused` and `PluginStoreError`. */
  async install(
    { name, path, force }: PluginRequest & { readonly force: boolean },
    { send, finish }: InstallCommands,
  ): Promise<InstalledPlugin> {
    const { config } = this.#deps;
    const scope = workspaceScope(config, path);
    const entry = cataloguePlugin(name);
    if (entry === undefined) throw refused('invalid', `The catalogue has no plugin '${sanitiseEcho(name)}'.`);
    const installing = { scope, send };
    const id = pluginId(scope.key, entry.name);
    let installed: InstalledPlugin;
    const record = async (command: PluginCommand, { plugin, keyPersisted }: PluginInPlace): Promise<void> => {
      installed = {
        name: plugin.name,
        version: plugin.version,
        policy: isRequired(config, plugin.name) ? 'required' : 'on',
        components: plugin.components.length,
        signing_key_persisted: keyPersisted,
        included: await this.#includeMembers(installing, entry),
        connectors: await this.#configureConnectors(installing, entry),
      };
      await finish(id, command, installed);
    };
    await this.#locks.run(id, () => this.#place(scope, entry, { force, record }));
    return installed!;
  }

  /** Returns whether there was a folder to remove. `finish` is as in an installation. Throws as `install`. */
  async uninstall(
    { name, path }: PluginRequest,
    finish: (id: string, command: PluginCommand, isRemoved: boolean) => Promise<unknown>,
  ): Promise<boolean> {
    const { clock, config, commandHandler, plugins } = this.#deps;
    const { root: workspace, key } = workspaceScope(config, path);
    const id = pluginId(key, name);
    const command: PluginCommand = { type: 'UninstallPlugin', workspace, name, pinned: isRequired(config, name) };
    return this.#locks.run(id, async () => {
      // The folder is removed before the command is sent, so its refusal must come first.
      const decision = decider.decide(command, commandHandler.load(decider, id), { id, now: clock.now() });
      if (isRefusal(decision)) throw new Refused(decision);
      return plugins.remove(workspace, name, (isRemoved) => finish(id, command, isRemoved));
    });
  }

  /** The caller holds the plugin's lock. `record` sends the command, when the files are in place. */
  async #place(
    scope: WorkspaceScope,
    entry: CataloguePlugin,
    {
      force,
      record,
    }: {
      readonly force: boolean;
      readonly record: (command: PluginCommand, placed: PluginInPlace) => Promise<unknown>;
    },
  ): Promise<PluginInPlace> {
    const { commandHandler, plugins } = this.#deps;
    const { name } = entry;
    return plugins.install(await draftOf(entry), {
      project: scope.root,
      recorded: commandHandler.load(decider, pluginId(scope.key, name)).manifest,
      force,
      record(placed) {
        const { version, publisher, manifest } = placed.plugin;
        return record({ type: 'InstallPlugin', workspace: scope.root, name, version, publisher, manifest }, placed);
      },
    });
  }

  async #includeMembers(installing: Installing, bundle: CataloguePlugin): Promise<string[]> {
    const included: string[] = [];
    for (const name of bundle.includes) {
      try {
        await this.#includeMember(installing, cataloguePlugin(name)!);
        included.push(name);
      } catch (error) {
        this.#deps.announce(`${bundle.name} was installed without ${name}: ${(error as Error).message}`);
      }
    }
    return included;
  }

  /** Reads the member's status under its lock, because another installation may be installing it. */
  #includeMember({ scope, send }: Installing, member: CataloguePlugin): Promise<unknown> {
    const id = pluginId(scope.key, member.name);
    return this.#locks.run(id, async () => {
      const { plugin } = await pluginStatus(this.#deps, { project: scope.root, name: member.name });
      const record = (command: PluginCommand): Promise<unknown> => send(decider, id, command);
      return plugin ?? this.#place(scope, member, { force: false, record });
    });
  }

  /**
   * Configures the connectors that a bundle expects and that need no credential, one after the other in its order. The
   * others are named.
   */
  async #configureConnectors(installing: Installing, bundle: CataloguePlugin): Promise<ConnectorOutcome[]> {
    const outcomes: ConnectorOutcome[] = [];
    for (const id of bundle.connectors) outcomes.push(await this.#configureConnector(installing, id));
    return outcomes;
  }

  async #configureConnector({ scope, send }: Installing, id: string): Promise<ConnectorOutcome> {
    const { connectors } = this.#deps;
    const entry = catalogConnector(id);
    if (entry === undefined) return { id, title: id, state: 'unknown' };
    const { title, credentials } = entry;
    if (connectors.isConfigured(scope, id)) return { id, title, state: 'already_configured' };
    if (credentials.length > 0) {
      return { id, title, state: 'needs_credentials', fields: credentials.map(({ env }) => env) };
    }
    return { id, title, ...(await connectors.addFromCatalogue(scope, id, send)) };
  }
}

/** Undoes updates and removals that an earlier process began and did not record. */
export async function putBackPlugins({ plugins, views }: Pick<PluginSources, 'plugins' | 'views'>): Promise<void> {
  for (const { workspace, name, manifest } of installedPlugins(views)) {
    // A project that cannot be opened is named where its plugins are listed.
    await plugins.putBack(workspace, name, manifest).catch((error: unknown) => {
      if (!(error instanceof PluginStoreError)) throw error;
    });
  }
}

/** The texts of the catalogue are loaded by the first installation. */
async function draftOf({ components, ...facts }: CataloguePlugin): Promise<PluginDraft> {
  const { documentOf } = await import('../../commands/plugin/documents.ts');
  return { ...facts, components: components.map((component) => ({ ...component, text: documentOf(component) })) };
}
