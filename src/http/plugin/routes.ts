/** Plugins of a project: what is in force, the catalogue, and how plugins come, go, and are turned on and off. */
import { z } from 'zod';
import { PLUGIN_CATALOGUE } from '../../commands/plugin/catalogue.ts';
import { plugin as decider, type PluginCommand, pluginId } from '../../commands/plugin/decide.ts';
import { isRefusal, Refused } from '../../commands/refusal.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import { PLUGIN_NAME, PLUGIN_NAME_CHARACTERS_MAX, PluginStoreError } from '../../ports/plugins.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import type { Views } from '../../projections/views.ts';
import { isPinned, type KnownPlugin, knownPlugins } from '../../queries/plugin/standing.ts';
import { workspaceScope, zScopePath } from '../../queries/workspace-scope.ts';
import { install, inTurn, zInstall } from '../../reactors/plugin/install.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { KeyedMutex } from '../../streams/keyed-mutex.ts';
import { type Answer, value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly views: Views;
  readonly dispatcher: CommandHandler;
  readonly plugins: PluginFiles;
  readonly vault: SecretVault;
  announce(line: string): void;
}

const zName = z
  .string()
  .max(PLUGIN_NAME_CHARACTERS_MAX)
  .regex(PLUGIN_NAME, 'must be a name of a–z, 0–9 and single hyphens');
const zPolicy = z.enum(['on', 'off', 'required']);

const zQuery = z.object({ path: zScopePath });
const zUninstall = z.object({ name: zName, path: zScopePath });
const zSetPolicy = zUninstall.extend({ policy: z.string() });

const zLive = z.object({ plugin: z.string(), name: z.string(), policy: zPolicy });

const zListing = z.object({
  available: z.boolean(),
  total: z.int(),
  mcp_servers: z.array(zLive),
  skills: z.array(zLive),
  subagents: z.array(zLive),
  rules: z.array(zLive),
  hooks: z.array(zLive.extend({ event: z.string() })),
  not_live: z.array(z.object({ plugin: z.string(), reason: z.string() })),
});

const zCatalogue = z.object({
  plugins: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      version: z.string(),
      description: z.string(),
      category: z.string(),
      components: z.array(z.object({ kind: z.enum(['skill', 'rule']), name: z.string() })),
      includes: z.array(z.string()),
      connectors: z.array(z.string()),
      installed: z.boolean(),
      policy: zPolicy.nullable(),
      trouble: z.string().nullable(),
    }),
  ),
});

const zInstalled = z.object({
  name: z.string(),
  version: z.string(),
  policy: zPolicy,
  components: z.int(),
  signing_key_persisted: z.boolean(),
  included: z.array(z.string()),
  connectors: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      state: z.enum(['already_configured', 'added', 'needs_credentials', 'unknown', 'failed']),
      fields: z.array(z.string()).optional(),
      error: z.string().optional(),
    }),
  ),
});

const badPath = { 400: { description: 'path names no folder that may be used.', schema: zError } };

export function pluginRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'plugins', auth: 'bearer' } as const;
  const turns = new KeyedMutex();
  return [
    route({
      ...common,
      method: 'GET',
      path: '/api/vibedesk/plugins',
      summary:
        'The components that are in force in a project, by kind, and the plugins that are not what was installed.',
      query: zQuery,
      responses: { 200: { description: 'They were checked just now.', schema: zListing }, ...badPath },
      handle: ({ query }) => listing(deps, query.path),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/vibedesk/plugins/catalog',
      summary: 'Every plugin that can be installed, and how it stands in a project.',
      query: zQuery,
      responses: { 200: { description: 'Bundles, then core plugins.', schema: zCatalogue }, ...badPath },
      handle: ({ query }) => catalogue(deps, query.path),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/api/vibedesk/plugins/install',
      summary: 'Installs a plugin of the catalogue as a signed folder; a bundle with its members and connectors.',
      body: zInstall,
      responses: {
        200: { description: 'It is in its place, and on.', schema: zInstalled },
        400: { description: 'No such plugin, already there without force, or it cannot be written.', schema: zError },
      },
      handle: (call) => refused(async () => value(await install({ deps, turns }, call))),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/api/vibedesk/plugins/policy',
      summary: 'KeyedMutex a plugin on or off, also one that is not installed.',
      body: zSetPolicy,
      responses: {
        200: { description: 'So it is now.', schema: z.object({ name: z.string(), policy: zPolicy }) },
        400: { description: 'Another policy than on or off, or the settings require the plugin.', schema: zError },
      },
      async handle({ body: { name, policy, path }, dispatch }) {
        const { root: workspace, key } = workspaceScope(deps.config, path);
        const command = { type: 'SetPluginPolicy', workspace, name, policy, pinned: isPinned(deps, name) } as const;
        await dispatch(decider, pluginId(key, name), command, () => value({ name, policy }));
        return value({ name, policy });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/api/vibedesk/plugins/uninstall',
      summary: 'Removes a plugin’s folder and its policy. The members of a bundle stay.',
      body: zUninstall,
      responses: {
        200: {
          description: '`removed` is false when there was nothing on the disk.',
          schema: z.object({ name: z.string(), removed: z.boolean() }),
        },
        400: { description: 'The settings require the plugin, or its folder cannot be removed.', schema: zError },
      },
      handle: (call) => refused(() => uninstall(deps, turns, call)),
    }),
  ];
}

async function listing(deps: Dependencies, path: string | null | undefined): Promise<Answer> {
  const found = await standings(deps, path);
  const known = found ?? [];
  const live = known.flatMap(({ name, plugin, policy }) =>
    plugin === null || policy === null || policy === 'off'
      ? []
      : plugin.components.map((component) => ({ kind: component.kind, plugin: name, name: component.name, policy })),
  );
  const not_live = known.flatMap(({ name, trouble }) => (trouble === null ? [] : [{ plugin: name, reason: trouble }]));
  return value({
    available: found !== null,
    total: live.length,
    mcp_servers: [],
    skills: live.filter(({ kind }) => kind === 'skill'),
    subagents: [],
    rules: live.filter(({ kind }) => kind === 'rule'),
    hooks: [],
    not_live,
  });
}

async function catalogue(deps: Dependencies, path: string | null | undefined): Promise<Answer> {
  const known = new Map((await standings(deps, path))?.map((one) => [one.name, one]));
  const plugins = PLUGIN_CATALOGUE.map((entry) => {
    const { installed = false, policy = null, trouble = null } = known.get(entry.name) ?? {};
    return { ...entry, installed, policy, trouble };
  });
  return value({ plugins });
}

/** null when the project's folder of plugins cannot be opened: then nothing of it is in force. */
async function standings(deps: Dependencies, path: string | null | undefined): Promise<readonly KnownPlugin[] | null> {
  const { root } = workspaceScope(deps.config, path);
  try {
    return await knownPlugins(deps, root);
  } catch (error) {
    if (error instanceof PluginStoreError) return null;
    throw error;
  }
}

async function uninstall(
  deps: Dependencies,
  turns: KeyedMutex,
  { body: { name, path }, dispatch }: Call<unknown, unknown, z.infer<typeof zUninstall>>,
): Promise<Answer> {
  const { root: workspace, key } = workspaceScope(deps.config, path);
  const id = pluginId(key, name);
  const command: PluginCommand = { type: 'UninstallPlugin', workspace, name, pinned: isPinned(deps, name) };
  const removed = await inTurn(turns, id, () => {
    const decision = decider.decide(command, deps.dispatcher.load(decider, id), { now: deps.clock.now() });
    if (isRefusal(decision)) throw new Refused(decision);
    return deps.plugins.remove(workspace, name, () => dispatch(decider, id, command));
  });
  return value({ name, removed });
}

/** What the store refuses is the caller's to mend. */
async function refused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PluginStoreError ? new HttpError(400, error.message) : error;
  }
}
