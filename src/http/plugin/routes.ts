/** Plugins of a project: those in force, the catalogue, installing, uninstalling, turning on and off. */
import { z } from 'zod';
import { zCataloguePlugin } from '../../commands/plugin/catalogue.ts';
import { plugin as decider, pluginId } from '../../commands/plugin/decide.ts';
import { zPluginName } from '../../ports/plugins.ts';
import { livePlugins, pluginCatalogue } from '../../queries/plugin/list.ts';
import { isRequired, zEffectivePolicy } from '../../queries/plugin/status.ts';
import { workspaceScope, zScopePath } from '../../queries/workspace-scope.ts';
import { type InstallerDependencies, PluginInstaller, zInstalled } from '../../reactors/plugin/installer.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { get, post } = routesOf({ tag: 'plugins' });

const zQuery = z.object({ path: zScopePath });
const zInstall = z.object({
  name: z.string().describe('Name of a plugin or bundle of the catalogue.'),
  path: zScopePath,
  force: z.boolean().nullish(),
});
const zUninstall = z.object({ name: zPluginName.describe('Name of the plugin.'), path: zScopePath });
const zSetPolicy = zUninstall.extend({ policy: z.string().describe('`on` or `off`.') });
z.globalRegistry.add(zInstall, { examples: [{ name: 'core-test-first' }] });
z.globalRegistry.add(zUninstall, { examples: [{ name: 'core-test-first' }] });
z.globalRegistry.add(zSetPolicy, { examples: [{ name: 'core-test-first', policy: 'off' }] });

const zLive = z.object({
  plugin: z.string(),
  name: z.string().describe('Name of the part.'),
  policy: zEffectivePolicy.describe('Policy of its plugin; `required` ones are always on.'),
});

const zListing = z.object({
  available: z.boolean().describe("Whether the project's folder of plugins can be read; if not, none is in force."),
  total: z.int().describe('Parts in force.'),
  mcp_servers: z.array(zLive).describe('Always empty: plugins bring none.'),
  skills: z.array(zLive).describe('Skills that plugins bring.'),
  subagents: z.array(zLive).describe('Always empty: plugins bring none.'),
  rules: z.array(zLive).describe('Rules that plugins bring.'),
  hooks: z
    .array(zLive.extend({ event: z.string().describe('When it acts.') }))
    .describe('Always empty: plugins bring none.'),
  not_live: z
    .array(z.object({ plugin: z.string(), reason: z.string().describe('Why it is not in force.') }))
    .describe('Installed plugins that are not in force.'),
});

const zCatalogue = z.object({
  plugins: z
    .array(
      zCataloguePlugin.extend({
        installed: z.boolean().describe('Whether it is installed in the project.'),
        policy: zEffectivePolicy.nullable().describe('Whether it is on; null when it is not installed.'),
        trouble: z.string().nullable().describe('Why it is not in force although it is installed; null when it is.'),
      }),
    )
    .describe('The catalogue.'),
});

const badPath = { 400: 'path names no folder that may be used.' };

export function pluginRoutes(deps: InstallerDependencies): readonly RouteSpec[] {
  const installer = new PluginInstaller(deps);
  return [...readRoutes(deps), installRoute(installer), policyRoute(deps), uninstallRoute(installer)];
}

function readRoutes(deps: InstallerDependencies): readonly RouteSpec[] {
  return [
    get('/api/vibedesk/plugins', {
      operation: 'list',
      summary:
        'The components that are in force in a project, by kind, and the installed plugins that are not in force.',
      query: zQuery,
      responses: ok('The components, verified for this answer.', zListing, badPath),
      handle: async ({ query }) => value(await livePlugins(deps, query.path)),
    }),
    get('/api/vibedesk/plugins/catalog', {
      operation: 'catalog',
      summary: 'Every plugin that can be installed, and its state in a project.',
      query: zQuery,
      responses: ok('Bundles, then core plugins.', zCatalogue, badPath),
      handle: async ({ query }) => value({ plugins: await pluginCatalogue(deps, query.path) }),
    }),
  ];
}

function installRoute(installer: PluginInstaller): RouteSpec {
  return post('/api/vibedesk/plugins/install', {
    operation: 'install',
    summary: 'Installs a plugin of the catalogue as a signed folder; a bundle with its members and connectors.',
    body: zInstall,
    responses: ok('The plugin is installed, and on.', zInstalled, {
      400: 'No such plugin, already there without force, or it cannot be written.',
    }),
    async handle({ body: { name, path, force }, dispatch, answerAfter }) {
      const installed = await installer.install(
        { name, path, force: force === true },
        {
          send: dispatch,
          finish: (id, command, result) => answerAfter(decider, id, command, () => value(result)),
        },
      );
      return value(installed);
    },
  });
}

function policyRoute({ config }: InstallerDependencies): RouteSpec {
  return post('/api/vibedesk/plugins/policy', {
    operation: 'setPolicy',
    summary: 'Turns a plugin on or off, also one that is not installed.',
    body: zSetPolicy,
    responses: ok(
      'The policy in force.',
      {
        name: z.string().describe('Name of the plugin.'),
        policy: zEffectivePolicy.describe('The policy in force.'),
      },
      { 400: 'Another policy than on or off, or the settings require the plugin.' },
    ),
    async handle({ body: { name, policy, path }, answerAfter }) {
      const { root: workspace, key } = workspaceScope(config, path);
      const command = { type: 'SetPluginPolicy', workspace, name, policy, pinned: isRequired(config, name) } as const;
      return answerAfter(decider, pluginId(key, name), command, () => value({ name, policy }));
    },
  });
}

function uninstallRoute(installer: PluginInstaller): RouteSpec {
  return post('/api/vibedesk/plugins/uninstall', {
    operation: 'uninstall',
    summary: 'Removes a plugin’s folder and its policy. The members and the connectors of a bundle stay.',
    body: zUninstall,
    responses: ok(
      '`removed` is false when the plugin was not installed.',
      {
        name: z.string().describe('Name of the plugin.'),
        removed: z.boolean().describe('Whether it was installed.'),
      },
      { 400: 'The settings require the plugin, or its folder cannot be removed.' },
    ),
    async handle({ body, answerAfter }) {
      const answer = (removed: boolean): Answer => value({ name: body.name, removed });
      const removed = await installer.uninstall(body, (id, command, isRemoved) =>
        answerAfter(decider, id, command, () => answer(isRemoved)),
      );
      return answer(removed);
    },
  });
}
