/** The decider of a plugin: installation, removal, and switching it on and off. */
import { describe, expect, it } from 'vitest';
import { plugin } from '../../src/commands/plugin/decide.ts';
import type { PluginEvent } from '../../src/events/plugin.ts';
import { decider } from '../support/given.ts';

const { given, fold } = decider(plugin);
const which = { workspace: '/work', name: 'core-debugging' };
const facts = { version: '1.0.0', publisher: 'a'.repeat(64), manifest: 'b'.repeat(64) };
const other = { ...facts, manifest: 'c'.repeat(64) };

const install = { type: 'InstallPlugin', ...which, ...facts } as const;
const policy = (to: string, pinned = false) => ({ type: 'SetPluginPolicy', ...which, policy: to, pinned }) as const;
const uninstall = (pinned = false) => ({ type: 'UninstallPlugin', ...which, pinned }) as const;

const installed: PluginEvent = { type: 'PluginInstalled', data: { ...which, ...facts } };
const off: PluginEvent = { type: 'PluginPolicySet', data: { ...which, policy: 'off' } };
const gone: PluginEvent = { type: 'PluginUninstalled', data: which };

describe('a plugin', () => {
  it('is installed, and on, whatever was set before', () => {
    given().when(install).thenEvents(installed);
    given(off).when(install).thenEvents(installed);
    given(installed, off).when(install).thenEvents(installed);
    expect(given(off).when(install).after()).toEqual({ manifest: facts.manifest, policy: 'on' });
  });
  it('is not installed twice, but replaced by another one', () => {
    given(installed).when(install).thenNothing();
    const replaced = given(installed).when({ ...install, ...other });
    replaced.thenTypes('PluginInstalled');
    expect(replaced.after()).toEqual({ manifest: other.manifest, policy: 'on' });
  });
  it('is turned off and on, also before it is installed', () => {
    given().when(policy('off')).thenEvents(off);
    given(installed).when(policy('off')).thenEvents(off);
    given(installed).when(policy('on')).thenNothing();
    given(installed, off).when(policy('off')).thenNothing();
    given(installed, off).when(policy('on')).thenTypes('PluginPolicySet');
  });
  it.each(['required', 'ON', '', ' on', 'auto'])('knows no policy “%s”', (unknown) => {
    given(installed).when(policy(unknown)).thenRefused('invalid');
    given(installed).when(policy(unknown, true)).thenRefused('invalid');
  });
  it('stays as it is while the settings require it', () => {
    given(installed).when(policy('off', true)).thenRefused('invalid');
    given(installed).when(policy('on', true)).thenRefused('invalid');
    given(installed).when(uninstall(true)).thenRefused('invalid');
    given().when(uninstall(true)).thenRefused('invalid');
  });
  it('is forgotten with its policy, once', () => {
    given(installed).when(uninstall()).thenEvents(gone);
    given(off).when(uninstall()).thenEvents(gone);
    given().when(uninstall()).thenNothing();
    given(installed, gone).when(uninstall()).thenNothing();
    expect(fold([installed, off, gone])).toEqual(plugin.initial);
  });
});
