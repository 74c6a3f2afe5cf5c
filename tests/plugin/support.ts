/** Helpers of the plugin tests: the routes as functions, and the files of a project. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginsCatalogAnswer, PluginsListAnswer } from '../../src/client/generated/types.ts';

interface Asked {
  request(path: string, init?: RequestInit): Promise<Response>;
}

const ROUTE = '/api/vibedesk/plugins';

/** `path` is the project's; without it the daemon's workspace. */
export function pluginsOf(daemon: Asked, path?: string) {
  const query = path === undefined ? '' : `?path=${encodeURIComponent(path)}`;
  const scope = path === undefined ? {} : { path };
  return {
    async listing(): Promise<PluginsListAnswer> {
      const response = await daemon.request(ROUTE + query);
      if (response.status !== 200) throw new Error(`The listing answered ${response.status}`);
      return (await response.json()) as PluginsListAnswer;
    },
    async row(name: string) {
      const response = await daemon.request(`${ROUTE}/catalog${query}`);
      const { plugins } = (await response.json()) as PluginsCatalogAnswer;
      return plugins.find((row) => row.name === name)!;
    },
    /** Status and body. */
    async post(
      verb: 'install' | 'policy' | 'uninstall',
      body: Readonly<Record<string, unknown>>,
      headers: Record<string, string> = {},
    ): Promise<readonly [number, Record<string, unknown>]> {
      const init = { method: 'POST', headers, body: JSON.stringify({ ...scope, ...body }) };
      const response = await daemon.request(`${ROUTE}/${verb}`, init);
      return [response.status, (await response.json()) as Record<string, unknown>];
    },
  };
}

/** Every file below a folder with its text, by its path from there; empty for no folder. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}

/** Signs a plugin's folder with another key: everything is consistent, but the key is not that of the installation. */
export function signAnew(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const path = join(folder, 'plugin.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
  const bytes = JSON.stringify({ ...manifest, publisher: { algorithm: 'ecdsa-p256-sha256', public_key } });
  writeFileSync(path, bytes);
  const signature = sign('sha256', Buffer.from(bytes), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  writeFileSync(join(folder, 'plugin.sig'), `${signature.toString('base64')}\n`);
}

/**
 * Makes a folder one that cannot be written; false where that cannot be done. Root may write what is read-only, but the
 * file system itself still can say no.
 */
export function lock(path: string): boolean {
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o555);
    return true;
  }
  try {
    execFileSync('chattr', ['+i', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function unlock(path: string): void {
  if (process.getuid?.() === 0) execFileSync('chattr', ['-i', path]);
  else chmodSync(path, 0o755);
}
