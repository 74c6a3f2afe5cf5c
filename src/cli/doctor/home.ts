/** Checks of the home and of the workspace: folder and rights, settings, vault, log, plugins. */
import { accessSync, constants, existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { readDiscovery } from '../../discovery.ts';
import { createPlugins } from '../../integrations/plugins/plugins.ts';
import { logKeyPath, readPublicKeys } from '../../integrations/tlog/log-keys.ts';
import { confine } from '../../integrations/tools/confine.ts';
import { LogKeyTrouble } from '../../ports/log-keys.ts';
import { PluginStoreError } from '../../ports/plugins.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { isCopy, logDirectory } from '../../storage/copy-folder.ts';
import type { StorageError } from '../../storage/errors.ts';
import { lockHolder } from '../../storage/lock.ts';
import { detectBackend } from '../../storage/marker.ts';
import { openStorage } from '../../storage/open.ts';
import { storageConfigOf } from '../../storage/ops/config.ts';
import { differenceFrom, examineDatabase } from '../../storage/postgres/examine.ts';
import { vaultOf } from '../mcp/vault.ts';
import { counted } from '../text.ts';
import { type Finding, finding } from './finding.ts';

const SET_HOME = 'set DAYBOOK_HOME to a folder of yours';
const READ_ONLY = 'is on a read-only file system';

export function homeFinding(home: string): Finding {
  let stats: Stats | undefined;
  try {
    stats = statSync(home, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return finding('home', 'broken', `${home} cannot be read by this user (${code})`, SET_HOME);
  }
  if (stats === undefined) {
    const folder = nearestFolder(home);
    const hindrance = hindranceToWrite(folder);
    if (hindrance === null) return finding('home', 'ok', `${home} (made by the first start)`);
    return finding('home', 'broken', `${home} cannot be made: ${folder} ${hindrance}`, SET_HOME);
  }
  if (!stats.isDirectory()) return finding('home', 'broken', `${home} is not a folder`, 'set DAYBOOK_HOME to a folder');
  const hindrance = hindranceToWrite(home);
  if (hindrance !== null) {
    const change = stats.uid === process.getuid?.() ? `chmod 700 ${home}` : 'chown it';
    const mend = hindrance === READ_ONLY ? 'mount it for writing' : change;
    return finding('home', 'broken', `${home} ${hindrance}`, `${mend}, or ${SET_HOME}`);
  }
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  if ((stats.mode & 0o077) === 0) return finding('home', 'ok', `${home} (mode ${mode})`);
  return finding('home', 'warning', `${home} can be entered by others (mode ${mode})`, `chmod 700 ${home}`);
}

export function settingsFinding(home: string, config: Config | Error): Finding {
  const file = join(home, 'config.json');
  if (config instanceof Error) {
    return finding('settings', 'broken', config.message.replaceAll('\n', ' '), `correct ${file} or the environment`);
  }
  const from = existsSync(file) ? file : 'defaults and environment';
  const { approval, workspace } = config;
  return finding(
    'settings',
    'ok',
    `${from}; a daemon that starts here has approval ${approval}, workspace ${workspace}`,
  );
}

/**
 * The log of a home without a daemon: which process locks it, which engine wrote it, whether it opens. Opening it
 * recovers a store that was not closed, as the next start of a daemon would.
 */
export async function storageFinding(home: string, config: Config | Error): Promise<Finding> {
  try {
    const directory = logDirectory(home);
    const named = config instanceof Error ? undefined : config.storage_config;
    const { engines } = storageConfigOf(home, named);
    const backend = detectBackend(directory);
    if (backend === null) return finding('storage', 'ok', `${directory} (made by the first start)`);
    const holder = lockHolder(directory);
    if (holder !== undefined && readDiscovery(home) === null) {
      return finding(
        'storage',
        'warning',
        `${directory} is held by process ${holder.pid}`,
        `look at process ${holder.pid}`,
      );
    }
    await using storage = await openStorage({ directory, config: engines });
    const url = config instanceof Error || !isCopy(directory) ? undefined : config.log;
    // Why the database cannot be read is a finding about the database.
    const difference = url === undefined ? null : await differenceFrom(storage.log, url).catch(() => null);
    if (difference !== null)
      return finding('storage', 'broken', difference, 'see docs/postgresql.md, "A history that differs"');
    const { position, treeHash } = storage.log.head();
    return finding('storage', 'ok', `${backend}, ${counted(position, 'event')}, tree ${treeHash.slice(0, 16)}…`);
  } catch (error) {
    const { message, code } = error as StorageError;
    return finding('storage', 'broken', message, MENDS[code]);
  }
}

/** Messages of other codes say what to do. */
const MENDS: Partial<Readonly<Record<StorageError['code'], string>>> = {
  STORAGE_CONFIG: 'correct it',
  STORAGE_CORRUPT: 'see Recovery in docs/operations.md',
};

/** Whether the next start can sign the log. Empty when its key is there, and when there is no log yet. */
export async function logKeyFindings(home: string, config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const path = logKeyPath(config);
  try {
    if ((await readPublicKeys(path)) !== null || detectBackend(logDirectory(home)) === null) return [];
    const unless = config.log === undefined ? '' : ' unless another daemon of the log has made one';
    const what = `the key of the log is missing; the next start makes a new one${unless}`;
    return [finding('signed log', 'warning', what, `put ${path} back before that, if the log had a key`)];
  } catch (error) {
    return error instanceof LogKeyTrouble ? [finding('signed log', 'warning', error.message)] : [];
  }
}

/** Whether the credentials of connectors can be read. Empty when none are stored. */
export async function vaultFindings(home: string): Promise<readonly Finding[]> {
  const vault = vaultOf(home);
  try {
    const owners = await vault.owners();
    if (owners.length === 0) return [];
    // All entries have the same key, so reading one proves it.
    await vault.read(owners[0]!);
    return [finding('vault', 'ok', `credentials of ${counted(owners.length, 'connector')} can be had`)];
  } catch (error) {
    if (error instanceof VaultTrouble) return [finding('vault', 'warning', error.message)];
    throw error;
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Why entries of a folder cannot be written; null when they can. */
function hindranceToWrite(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? READ_ONLY : 'cannot be written by this user';
  }
}

/** Empty for a log in the home. */
export async function databaseFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error || config.log === undefined) return [];
  const findings = await examineDatabase(config.log);
  return findings.map((each) => ({ ...each, name: `database ${each.name}` }));
}

const MEND = 'install it again with force, or uninstall it (docs/plugins.md)';

/** A warning when the agents' tools may not write to the workspace; else nothing. */
export async function workspaceFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const access = await confine(config, config.workspace, 'write');
  if (access.ok) return [];
  return [finding('workspace', 'warning', `no tool works there: ${access.reason}`, 'set DAYBOOK_WORKSPACE to another')];
}

/** Empty without plugins. Whether the daemon itself installed a plugin is in the log and not checked here. */
export async function pluginFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const files = createPlugins(config);
  try {
    const project = realpathSync(config.workspace);
    const standings = await files.standings(project, await files.names(project));
    const altered = [...standings].flatMap(([name, standing]) =>
      standing.state === 'altered' ? [finding('plugins', 'warning', `${name}: ${standing.reason}`, MEND)] : [],
    );
    const missing = config.required_plugins.filter((name) => !standings.has(name));
    const required = missing.map((name) => {
      return finding('plugins', 'warning', `${name} is required and not in the workspace`, 'install it');
    });
    if (altered.length + required.length > 0) return [...altered, ...required];
    return standings.size === 0 ? [] : [finding('plugins', 'ok', `${standings.size} as they were signed`)];
  } catch (error) {
    if (error instanceof PluginStoreError) return [finding('plugins', 'warning', error.message)];
    throw error;
  }
}
