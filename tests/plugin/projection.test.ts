/** The plugins of each project, as a table. */
import { it } from 'vitest';
import type { PluginEvent } from '../../src/events/plugin.ts';
import { anyPlugin, installedPlugins, type PluginRow, pluginRows, plugins } from '../../src/projections/plugin.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';

const which = { workspace: '/work', name: 'a' };
const installed = (of: Partial<Extract<PluginEvent, { type: 'PluginInstalled' }>['data']> = {}): PluginEvent => ({
  type: 'PluginInstalled',
  data: { ...which, version: '1.0.0', publisher: 'p', manifest: 'm', ...of },
});
const set = (policy: 'on' | 'off'): PluginEvent => ({ type: 'PluginPolicySet', data: { ...which, policy } });
const gone: PluginEvent = { type: 'PluginUninstalled', data: which };
const elsewhere = installed({ workspace: '/other', manifest: 'n' });

const row = (manifest: string | null, policy: 'on' | 'off', name = 'a'): PluginRow => ({ name, manifest, policy });

it.each<[what: string, events: readonly PluginEvent[], rows: readonly PluginRow[], any: boolean]>([
  ['none', [], [], false],
  ['installed', [installed()], [row('m', 'on')], true],
  ['installed again', [installed(), set('off'), installed({ manifest: 'n' })], [row('n', 'on')], true],
  ['turned off', [installed(), set('off')], [row('m', 'off')], true],
  ['turned off and on', [installed(), set('off'), set('on')], [row('m', 'on')], true],
  ['turned off before it is installed', [set('off')], [row(null, 'off')], false],
  ['uninstalled', [installed(), set('off'), gone], [], false],
  ['of two names', [installed(), installed({ name: 'b' })], [row('m', 'on'), row('m', 'on', 'b')], true],
  ['uninstalled beside another', [installed(), installed({ name: 'b' }), gone], [row('m', 'on', 'b')], true],
  ['in another project only', [elsewhere, installed(), gone], [], true],
])('the plugins of a project: %s', (_, events, rows, any) => {
  const given = givenProjection(
    plugins,
    events.map((event) => ({ stream: 'plugin-1', ...event })),
  );
  given.thenAnswer((views) => pluginRows(views, '/work'), new Map(rows.map((each) => [each.name, each])));
  given.thenAnswer(anyPlugin, any);
});

it('the plugins of all projects are those that are installed, whatever their policy', () => {
  const events = [installed(), set('off'), elsewhere, { ...set('on'), data: { ...which, name: 'b', policy: 'on' } }];
  const given = givenProjection(
    plugins,
    events.map((event) => ({ stream: 'plugin-1', ...event })),
  );
  given.thenAnswer(installedPlugins, [
    { workspace: '/other', name: 'a', manifest: 'n' },
    { workspace: '/work', name: 'a', manifest: 'm' },
  ]);
});
