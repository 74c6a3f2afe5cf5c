/**
 * Installs a plugin of the catalogue in a project: its signed folder first, then the event. A bundle brings its members
 * and the connectors it expects; what of them cannot be had is no reason to refuse it.
 */
import { z } from 'zod';
import { type CataloguePlugin, cataloguePlugin } from '../../commands/plugin/catalogue.ts';
import { plugin as decider, pluginId } from '../../commands/plugin/decide.ts';
import { sanitiseEcho } from '../../commands/refusal.ts';
import type { Config } from '../../config.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { Call } from '../../http/server/route.ts';
import type { PluginDraft, PluginFiles, PluginInPlace } from '../../ports/plugins.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import type { Views } from '../../projections/views.ts';
import { isPinned, knownPlugin } from '../../queries/plugin/standing.ts';
import { type WorkspaceScope, workspaceScope, zScopePath } from '../../queries/workspace-scope.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { KeyedMutex } from '../../streams/keyed-mutex.ts';
import { bringConnectors } from './connectors.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly views: Views;
  readonly dispatcher: CommandHandler;
  readonly plugins: PluginFiles;
  readonly vault: SecretVault;
  announce(line: string): void;
}

export const zInstall = z.object({ name: z.string(), path: zScopePath, force: z.boolean().nullish() });

export interface Installing {
  readonly deps: Dependencies;
  /** One plugin of one project at a time. */
  readonly turns: KeyedMutex;
  readonly dispatch: Call['dispatch'];
  readonly scope: WorkspaceScope;
}

export async function install(
  { deps, turns }: Pick<Installing, 'deps' | 'turns'>,
  { body, dispatch }: Call<unknown, unknown, z.infer<typeof zInstall>>,
) {
  const scope = workspaceScope(deps.config, body.path);
  const wanted = cataloguePlugin(body.name);
  if (wanted === undefined) {
    throw new HttpError(400, `The catalogue has no plugin '${sanitiseEcho(body.name)}'.`);
  }
  const installing: Installing = { deps, turns, dispatch, scope };
  const { plugin, keyPersisted } = await installOne(installing, wanted, body.force === true);
  return {
    name: plugin.name,
    version: plugin.version,
    policy: isPinned(deps, plugin.name) ? 'required' : 'on',
    components: plugin.components.length,
    signing_key_persisted: keyPersisted,
    included: await include(installing, wanted),
    connectors: await bringConnectors(installing, wanted.connectors),
  };
}

function installOne(installing: Installing, wanted: CataloguePlugin, force: boolean): Promise<PluginInPlace> {
  const id = pluginId(installing.scope.key, wanted.name);
  return inTurn(installing.turns, id, () => place(installing, wanted, force));
}

/** Only in the plugin's turn. */
async function place(
  { deps, dispatch, scope }: Installing,
  wanted: CataloguePlugin,
  force: boolean,
): Promise<PluginInPlace> {
  const { name } = wanted;
  const id = pluginId(scope.key, name);
  return deps.plugins.install(await draftOf(wanted), {
    project: scope.root,
    recorded: deps.dispatcher.load(decider, id).installed?.manifest ?? null,
    force,
    record({ version, publisher, manifest }) {
      const facts = { workspace: scope.root, name, version, publisher, manifest };
      return dispatch(decider, id, { type: 'InstallPlugin', ...facts });
    },
  });
}

/** The members that are installed when this is done, intact ones from before among them. */
async function include(installing: Installing, { name: bundle, includes }: CataloguePlugin): Promise<string[]> {
  const included: string[] = [];
  for (const name of includes) {
    try {
      await bringMember(installing, cataloguePlugin(name)!);
      included.push(name);
    } catch (error) {
      installing.deps.announce(`${bundle} was installed without ${name}: ${(error as Error).message}`);
    }
  }
  return included;
}

/** Looks in the member's turn: one that another installation is about to bring is there once that has ended. */
function bringMember(installing: Installing, member: CataloguePlugin): Promise<unknown> {
  const { deps, turns, scope } = installing;
  return inTurn(turns, pluginId(scope.key, member.name), async () => {
    const { plugin } = await knownPlugin(deps, { project: scope.root, name: member.name });
    return plugin ?? place(installing, member, false);
  });
}

export async function inTurn<Result>(turns: KeyedMutex, key: string, work: () => Promise<Result>): Promise<Result> {
  const others = turns.lock(key);
  if (others !== null) await others;
  try {
    return await work();
  } finally {
    turns.unlock(key);
  }
}

/** The texts are loaded with the first installation. */
async function draftOf({ components, ...facts }: CataloguePlugin): Promise<PluginDraft> {
  const { documentOf } = await import('../../commands/plugin/documents.ts');
  return { ...facts, components: components.map((component) => ({ ...component, text: documentOf(component) })) };
}
