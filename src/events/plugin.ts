/**
 * Plugins of a project, stream `plugin-<project key>-<name>`, appended by the plugin routes. An installation is
 * recorded by fingerprints: a folder that differs from them is not in force.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const PLUGIN_POLICIES = ['on', 'off'] as const;

const zSha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** `workspace` is the real path of the project. */
const zWhich = z.object({ workspace: z.string(), name: z.string() });

export const pluginEvents = {
  /** Its files are in place. A new installation is on, whatever policy was set before. */
  PluginInstalled: define(
    'PluginInstalled',
    zWhich.extend({
      version: z.string(),
      /** SHA-256 of the public key that signed it. */
      publisher: zSha256,
      /** SHA-256 of the manifest's bytes. */
      manifest: zSha256,
    }),
  ),
  /** Also for a plugin that is not installed; uninstalling deletes the policy. */
  PluginPolicySet: define('PluginPolicySet', zWhich.extend({ policy: z.enum(PLUGIN_POLICIES) })),
  /** Its files and its policy are deleted. */
  PluginUninstalled: define('PluginUninstalled', zWhich),
} as const;

export type PluginEvent = EventIn<typeof pluginEvents>;
