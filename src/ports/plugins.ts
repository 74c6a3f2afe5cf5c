/** What we need of the place where a project keeps its plugins: signed folders under `.vibecli/plugins`. */

export interface PluginComponent {
  readonly kind: 'skill' | 'rule';
  readonly name: string;
  readonly description: string;
  /** Its file below the plugin's folder, with `/`. */
  readonly file: string;
}

/** A plugin as it is to be written: its facts, and the text of each component. */
export interface PluginDraft {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly category: string;
  readonly components: readonly (Omit<PluginComponent, 'file'> & { readonly text: string })[];
  readonly includes: readonly string[];
  readonly connectors: readonly string[];
}

/** A plugin whose signature and files were checked, with the very texts that were checked. */
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
  /** There is something by that name, and it is not what was signed. */
  | { readonly state: 'altered'; readonly reason: string };

/** A plugin that was put in its place, or was there already. */
export interface PluginInPlace {
  readonly plugin: SignedPlugin;
  /** Whether the key that signed it is kept: if not, the next installation has another publisher. */
  readonly keyPersisted: boolean;
}

export interface InstallOptions {
  readonly project: string;
  /** What the log has as installed, the SHA-256 of its manifest; null for nothing. */
  readonly recorded: string | null;
  /** Replace what is there. */
  readonly force: boolean;
  /** Records it, once its files are in their place. When it fails, everything is put back. */
  readonly record: (plugin: SignedPlugin) => Promise<unknown>;
}

/** `project` is always the real path of a folder. Nothing but `install` and `remove` writes. */
export interface PluginFiles {
  /** How the plugins of these names stand. Throws `PluginStoreError` when the project's place cannot be read. */
  look(project: string, names: readonly string[]): Promise<ReadonlyMap<string, PluginStanding>>;
  /** Names in the project's place that could be plugins. Throws `PluginStoreError`. */
  names(project: string): Promise<readonly string[]>;
  /** Throws `PluginStoreError` for what must not or cannot be done; then nothing has changed. */
  install(draft: PluginDraft, options: InstallOptions): Promise<PluginInPlace>;
  /** Whether there was anything. `record` comes after the files are out of their place, as with `install`. */
  remove(project: string, name: string, record: () => Promise<unknown>): Promise<boolean>;
}

/** The message is for the caller: it names no path beyond `.vibecli/plugins`. */
export class PluginStoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PluginStoreError';
  }
}

/** Kebab-case, and short enough for a stream and a file name. */
export const PLUGIN_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const PLUGIN_NAME_CHARACTERS_MAX = 64;
