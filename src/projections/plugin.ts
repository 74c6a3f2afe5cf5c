/** Plugins by project: the installed manifest and the policy; a policy may exist without the plugin. */
import type { PluginEvent } from '../events/plugin.ts';
import { handlers, type Projection } from './projection.ts';
import type { Views } from './views.ts';

export interface PluginRow {
  readonly name: string;
  /** SHA-256 of the installed manifest; null when there is only a policy. */
  readonly manifest: string | null;
  readonly policy: 'on' | 'off';
}

export const plugins: Projection = {
  name: 'plugins',
  version: 1,
  tables: ['plugins'],
  create: `CREATE TABLE plugins (
    workspace TEXT NOT NULL, name TEXT NOT NULL, manifest TEXT, policy TEXT NOT NULL,
    PRIMARY KEY (workspace, name)
  ) WITHOUT ROWID;`,
  on: handlers<PluginEvent>({
    PluginInstalled(views, { data }) {
      views.run("INSERT OR REPLACE INTO plugins VALUES (?, ?, ?, 'on')", data.workspace, data.name, data.manifest);
    },
    PluginPolicySet(views, { data }) {
      views.run(
        `INSERT INTO plugins VALUES (?, ?, NULL, ?)
         ON CONFLICT (workspace, name) DO UPDATE SET policy = excluded.policy`,
        data.workspace,
        data.name,
        data.policy,
      );
    },
    PluginUninstalled(views, { data }) {
      views.run('DELETE FROM plugins WHERE workspace = ? AND name = ?', data.workspace, data.name);
    },
  }),
};

export function pluginRows(views: Views, workspace: string): ReadonlyMap<string, PluginRow> {
  const rows = views.all<PluginRow>('SELECT name, manifest, policy FROM plugins WHERE workspace = ?', workspace);
  return new Map(rows.map((row) => [row.name, row]));
}

interface InstalledPlugin {
  readonly workspace: string;
  readonly name: string;
  readonly manifest: string;
}

/** Those of all projects. */
export function installedPlugins(views: Views): readonly InstalledPlugin[] {
  return views.all<InstalledPlugin>('SELECT workspace, name, manifest FROM plugins WHERE manifest IS NOT NULL');
}

/** Whether any project has a plugin. If none has, runs need no further check. */
export function anyPlugin(views: Views): boolean {
  return views.get('SELECT 1 FROM plugins WHERE manifest IS NOT NULL LIMIT 1') !== undefined;
}
