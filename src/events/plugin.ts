/**
 * Plugins of a project. Appended by the plugin routes to one stream a project and name: `plugin-<project key>-<name>`.
 * What was installed is recorded by its fingerprints: a folder that is not what the log says is never in force.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const PLUGIN_POLICIES = ['on', 'off'] as const;

const zSha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** `workspace` is the real path of the project. */
const zWhich = z.object({ workspace: z.string(), name: z.string() });

export const pluginEvents = {
  /** Its files are in place. An installed plugin is on, whatever was set before. */
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
  /** Also of a plugin that is not installed; it is forgotten when the plugin is uninstalled. */
  PluginPolicySet: define('PluginPolicySet', zWhich.extend({ policy: z.enum(PLUGIN_POLICIES) })),
  /** Its files are gone, and so is its policy. */
  PluginUninstalled: define('PluginUninstalled', zWhich),
} as const;

export type PluginEvent = EventIn<typeof pluginEvents>;
