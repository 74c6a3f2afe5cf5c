/** The decider of a plugin in a project: the installed version, and whether it is on. It does not read files. */
import { PLUGIN_POLICIES, type PluginEvent, pluginEvents } from '../../events/plugin.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

interface Which {
  /** Real path of the project. */
  readonly workspace: string;
  readonly name: string;
}

/** The identity of an installed plugin among plugins of the same name. */
export interface Installed {
  readonly version: string;
  readonly publisher: string;
  readonly manifest: string;
}

/** `pinned`: the settings require the plugin. */
export type PluginCommand = Which &
  (
    | ({ readonly type: 'InstallPlugin' } & Installed)
    | { readonly type: 'SetPluginPolicy'; readonly policy: string; readonly pinned: boolean }
    | { readonly type: 'UninstallPlugin'; readonly pinned: boolean }
  );

export interface PluginState {
  /** Of the installed version; null when the plugin is not installed. */
  readonly manifest: string | null;
  readonly policy: (typeof PLUGIN_POLICIES)[number] | null;
}

const PINNED = 'The settings of this machine require the plugin: it can neither be turned off nor uninstalled.';
const POLICIES = 'policy must be on or off; required is set in the settings of the machine (required_plugins).';

const NONE: PluginState = { manifest: null, policy: null };

export const plugin: Decider<PluginCommand, PluginState, PluginEvent> = {
  category: 'plugin',
  events: pluginEvents,
  initial: NONE,
  decide(command, state) {
    const { workspace, name } = command;
    switch (command.type) {
      case 'InstallPlugin': {
        const { version, publisher, manifest } = command;
        if (state.policy === 'on' && state.manifest === manifest) return [];
        return [{ type: 'PluginInstalled', data: { workspace, name, version, publisher, manifest } }];
      }
      case 'SetPluginPolicy': {
        const policy = PLUGIN_POLICIES.find((known) => known === command.policy);
        if (policy === undefined) return new Refusal('invalid', POLICIES);
        if (command.pinned) return new Refusal('invalid', PINNED);
        return policy === state.policy ? [] : [{ type: 'PluginPolicySet', data: { workspace, name, policy } }];
      }
      case 'UninstallPlugin':
        if (command.pinned) return new Refusal('invalid', PINNED);
        if (state.policy === null) return [];
        return [{ type: 'PluginUninstalled', data: { workspace, name } }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'PluginInstalled':
        return { manifest: event.data.manifest, policy: 'on' };
      case 'PluginPolicySet':
        return { ...state, policy: event.data.policy };
      case 'PluginUninstalled':
        return NONE;
    }
  },
};

/** The stream of a plugin in a project, whose key is short and contains no hyphen. */
export function pluginId(projectKey: string, name: string): string {
  return `${projectKey}-${name}`;
}
