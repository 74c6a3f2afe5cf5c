/** The plugins of a project: signed folders under `.vibecli/plugins`. */
import { z } from 'zod';
import { PortError } from './port-error.ts';

/** Kebab-case. */
export const PLUGIN_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Limited in characters, because names are parts of streams and file names. */
export const zPluginName = z.string().max(64).regex(PLUGIN_NAME, 'must be a name of a–z, 0–9 and single hyphens');

/** A component in the manifest of a plugin. */
export const zPluginComponent = z.object({
  kind: z.enum(['skill', 'rule']),
  name: zPluginName,
  description: z.string(),
  /** Path below the plugin's folder, with `/`. */
  file: z.string(),
});
export type PluginComponent = Readonly<z.infer<typeof zPluginComponent>>;

/** What the manifest of a plugin says besides its components. */
export const zPluginFacts = z.object({
  name: zPluginName,
  title: z.string(),
  version: z.string(),
  description: z.string(),
  category: z.string(),
  /** Names of the plugins that a bundle includes; empty for other plugins. */
  includes: z.array(z.string()),
  /** Ids of the connectors that a bundle expects; empty for other plugins. */
  connectors: z.array(z.string()),
});

/** A plugin that is to be written: its facts and the text of each component. */
export interface PluginDraft extends Readonly<z.infer<typeof zPluginFacts>> {
  readonly components: readonly (Omit<PluginComponent, 'file'> & { readonly text: string })[];
}

/** A plugin whose signature and files are valid, with the checked texts. */
export interface SignedPlugin {
  readonly name: string;
  readonly version: string;
  readonly components: readonly (PluginComponent & { readonly text: string })[];
  /** SHA-256 of the public key. */
  readonly publisher: string;
  /** SHA-256 of the manifest. */
  readonly manifest: string;
}

export type PluginStanding =
  | { readonly state: 'absent' }
  | { readonly state: 'signed'; readonly plugin: SignedPlugin }
  /** A folder of this name exists, but differs from the signed plugin. */
  | { readonly state: 'altered'; readonly reason: string };

/** A plugin that is installed by this call, or was installed before. */
export interface PluginInPlace {
  readonly plugin: SignedPlugin;
  /** Whether the signing key is stored. If not, the next installation has another publisher. */
  readonly keyPersisted: boolean;
}

export interface InstallOptions {
  readonly project: string;
  /** SHA-256 of the manifest that the log records as installed; null for none. */
  readonly recorded: string | null;
  /** Replace an existing folder of this name. */
  readonly force: boolean;
  /** Records the installation, after its files are in place. When it fails, the files are put back. */
  readonly record: (placed: PluginInPlace) => Promise<unknown>;
}

/** `project` is the real path of a folder. Only `install`, `remove` and `putBack` write. */
export interface PluginFiles {
  /** The state of the plugins of these names. Throws `PluginStoreError` when the folder cannot be read. */
  standings(project: string, names: readonly string[]): Promise<ReadonlyMap<string, PluginStanding>>;
  /** Names in the folder that are valid plugin names. Throws `PluginStoreError`. */
  names(project: string): Promise<readonly string[]>;
  /** Throws `PluginStoreError`, without any change, when the installation is not allowed or fails. */
  install(draft: PluginDraft, options: InstallOptions): Promise<PluginInPlace>;
  /**
   * Removes a plugin; false when there was none. `record` is called as by `install`, after the files are moved away,
   * with the same result.
   */
  remove(project: string, name: string, record: (isRemoved: boolean) => Promise<unknown>): Promise<boolean>;
  /**
   * Moves a plugin with this manifest back that an update or a removal moved away before it was cut off; no effect for
   * any other. Throws `PluginStoreError`.
   */
  putBack(project: string, name: string, manifest: string): Promise<void>;
}

/** The message is for the caller: it names no path beyond `.vibecli/plugins`. */
export class PluginStoreError extends PortError {
  override readonly name = 'PluginStoreError';

  constructor(message: string) {
    super('invalid', message);
  }
}
