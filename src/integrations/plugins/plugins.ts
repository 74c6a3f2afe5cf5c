/**
 * Plugins of projects as signed folders: inspected, installed, removed.
 *
 * - Nothing is cached: each call checks the files.
 * - A folder is installed or removed by one rename, then the event is recorded. If recording fails, the rename is
 *   undone.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import {
  type InstallOptions,
  PLUGIN_NAME,
  type PluginDraft,
  type PluginFiles,
  type PluginInPlace,
  type PluginStanding,
  PluginStoreError,
  type SignedPlugin,
} from '../../ports/plugins.ts';
import { ConfinementError, type OpenDirectory, openChild, syncDirectory } from '../tools/confine.ts';
import { isThere, openStore, readBounded, type StorePlace, whyUnread, writeFolder } from './folder.ts';
import {
  FILE_BYTES_MAX,
  MANIFEST_BYTES_MAX,
  MANIFEST_FILE,
  publisherOf,
  SIGNATURE_BYTES_MAX,
  SIGNATURE_FILE,
  signedManifest,
  type WrittenPlugin,
  writtenPlugin,
} from './manifest.ts';
import { createSigner, fingerprint } from './signer.ts';

const KEY_FILE = 'plugin-key.pem';

export function createPlugins({
  home,
  ephemeral,
}: {
  readonly home: string;
  readonly ephemeral: boolean;
}): PluginFiles {
  const signer = createSigner(ephemeral ? null : join(home, KEY_FILE));
  const locks = new KeyedMutex();

  /** As `within`, one call at a time for each plugin. */
  function writing<Result>(
    { project, name }: { readonly project: string; readonly name: string },
    missing: 'make' | 'leave',
    work: (store: OpenDirectory | null) => Promise<Result>,
  ): Promise<Result> {
    return locks.run(`${project}/${name}`, () => within({ project, home }, missing, work));
  }

  return {
    standings: (project, names) =>
      within({ project, home }, 'leave', async (store) => {
        const found = new Map<string, PluginStanding>();
        for (const name of names) found.set(name, store === null ? { state: 'absent' } : await standing(store, name));
        return found;
      }),
    names: (project) =>
      within({ project, home }, 'leave', async (store) => {
        const entries = store === null ? [] : await readdir(store.path);
        return entries.filter((name) => PLUGIN_NAME.test(name)).sort();
      }),
    async install(draft, options) {
      const { persisted, ...key } = await signer();
      const written = writtenPlugin(draft, { persisted, ...key });
      return writing({ project: options.project, name: draft.name }, 'make', async (store) => {
        return place(store!, { draft, written, keyPersisted: persisted }, options);
      });
    },
    putBack: (project, name, manifest) =>
      writing({ project, name }, 'leave', (store) => putBack(store, name, manifest)),
    remove: (project, name, record) =>
      writing({ project, name }, 'leave', async (store) => {
        if (store === null || !(await isThere(store, name))) {
          await record(false);
          return false;
        }
        await moveAsideWhile(store, name, () => record(true));
        return true;
      }),
  };
}

/** Calls `work` with the project's folder of plugins, or null when there is none. */
async function within<Result>(
  place: StorePlace,
  missing: 'make' | 'leave',
  work: (store: OpenDirectory | null) => Promise<Result>,
): Promise<Result> {
  try {
    await using store = await openStore(place, missing);
    return await work(store);
  } catch (error) {
    throw storeError(error);
  }
}

interface Placement {
  readonly draft: PluginDraft;
  readonly written: WrittenPlugin;
  readonly keyPersisted: boolean;
}

async function place(
  store: OpenDirectory,
  { draft, written, keyPersisted }: Placement,
  { recorded, force, record }: InstallOptions,
): Promise<PluginInPlace> {
  const { name } = draft;
  const plugin = signedPlugin(written.manifest, written.files);
  const placed = { plugin, keyPersisted };
  const before = await standing(store, name);
  if (before.state !== 'absent' && !force) {
    const isInPlace = before.state === 'signed' && before.plugin.manifest === plugin.manifest;
    if (!isInPlace || recorded === plugin.manifest) throw new PluginStoreError(whyNot(name, before, recorded));
    await record(placed);
    return placed;
  }
  const unfinished = unfinishedName(name);
  await clear(store, unfinished);
  try {
    await writeFolder(store, unfinished, written.files);
    const enter = (): Promise<void> => enterAndRecord(store, name, () => record(placed));
    if (before.state === 'absent') await enter();
    else await moveAsideWhile(store, name, enter);
  } finally {
    await clear(store, unfinished).catch(() => undefined);
  }
  return placed;
}

async function enterAndRecord(store: OpenDirectory, name: string, record: () => Promise<unknown>): Promise<void> {
  const [from, to] = [join(store.path, unfinishedName(name)), join(store.path, name)];
  await rename(from, to);
  await syncDirectory(store);
  try {
    await record();
  } catch (error) {
    await rename(to, from);
    await syncDirectory(store);
    throw error;
  }
}

/** Moves a folder aside while `work` runs. Removes the folder if `work` succeeds, otherwise moves it back. */
async function moveAsideWhile(store: OpenDirectory, name: string, work: () => Promise<unknown>): Promise<void> {
  const old = asideName(name);
  await clear(store, old);
  await rename(join(store.path, name), join(store.path, old));
  await syncDirectory(store);
  try {
    await work();
  } catch (error) {
    await rename(join(store.path, old), join(store.path, name));
    await syncDirectory(store);
    throw error;
  }
  // A failure leaves the folder aside; the next installation of this name removes it.
  await clear(store, old).catch(() => undefined);
}

async function putBack(store: OpenDirectory | null, name: string, manifest: string): Promise<void> {
  if (store === null || (await isThere(store, name))) return;
  const aside = await standing(store, name, asideName(name));
  if (aside.state !== 'signed' || aside.plugin.manifest !== manifest) return;
  await rename(join(store.path, asideName(name)), join(store.path, name));
  await syncDirectory(store);
}

async function clear(store: OpenDirectory, name: string): Promise<void> {
  await rm(join(store.path, name), { recursive: true, force: true });
}

function unfinishedName(name: string): string {
  return `.daybook-new-${name}`;
}

function asideName(name: string): string {
  return `.daybook-old-${name}`;
}

function whyNot(name: string, { state }: PluginStanding, recorded: string | null): string {
  if (state === 'altered') return `There is something called ${name} that is no intact plugin; force replaces it.`;
  if (recorded !== null) return `${name} is installed already; force installs it again.`;
  return `There is a plugin ${name} that this daemon did not install; force replaces it.`;
}

async function standing(store: OpenDirectory, name: string, folderName = name): Promise<PluginStanding> {
  let folder: OpenDirectory | null = null;
  try {
    folder = await openChild(store, folderName);
    const read = await readPlugin(folder, name);
    return typeof read === 'string' ? { state: 'altered', reason: read } : { state: 'signed', plugin: read };
  } catch (error) {
    if (folder === null && (error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'absent' };
    return { state: 'altered', reason: whyUnread(name, error) };
  } finally {
    await folder?.handle.close();
  }
}

/** The plugin, or how it differs from the signed one. */
async function readPlugin(folder: OpenDirectory, name: string): Promise<SignedPlugin | string> {
  const bytes = await readBounded(folder, MANIFEST_FILE, MANIFEST_BYTES_MAX);
  if (typeof bytes === 'string') return bytes;
  const signature = await readBounded(folder, SIGNATURE_FILE, SIGNATURE_BYTES_MAX);
  if (typeof signature === 'string') return signature;
  const manifest = signedManifest(name, bytes, signature);
  if (typeof manifest === 'string') return manifest;
  const files = new Map([[MANIFEST_FILE, bytes]]);
  for (const { file, bytes: size, sha256 } of manifest.components) {
    const content = await readBelow(folder, file);
    if (typeof content === 'string') return content;
    if (content.length !== size || fingerprint(content) !== sha256) return `${file} is not as it was signed`;
    files.set(file, content);
  }
  return signedPlugin(manifest, files);
}

async function readBelow(folder: OpenDirectory, path: string): Promise<Buffer | string> {
  const [sub, name] = path.split('/') as [string, string];
  try {
    await using below = await openChild(folder, sub);
    const content = await readBounded(below, name, FILE_BYTES_MAX);
    return typeof content === 'string' ? `${sub}/${content}` : content;
  } catch (error) {
    return whyUnread(sub, error);
  }
}

function signedPlugin(manifest: WrittenPlugin['manifest'], files: ReadonlyMap<string, Buffer>): SignedPlugin {
  const components = manifest.components.map(({ kind, name, description, file }) => {
    return { kind, name, description, file, text: files.get(file)!.toString('utf8') };
  });
  return {
    name: manifest.name,
    version: manifest.version,
    components,
    publisher: publisherOf(manifest),
    manifest: fingerprint(files.get(MANIFEST_FILE)!),
  };
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read or written by the daemon',
  EPERM: 'it may not be written by the daemon',
  EROFS: 'it lies on a file system that cannot be written',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'it must be a folder, not a link',
  ENOTDIR: 'it must be a folder, neither a file nor a link',
  ENOTEMPTY: 'somebody else wrote there at the same time',
  EEXIST: 'somebody else wrote there at the same time',
};

/** Translates errors that the caller can fix; other errors stay. */
function storeError(error: unknown): unknown {
  if (error instanceof ConfinementError) return new PluginStoreError(`The project’s folder ${error.message}.`);
  const why = WHY[String(errorCode(error))];
  return why === undefined ? error : new PluginStoreError(`The project’s .vibecli/plugins cannot be used: ${why}.`);
}
