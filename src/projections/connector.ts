/** Configured connectors by workspace, in the order in which they were added. */
import { z } from 'zod';
import type { ConnectorEvent } from '../events/connector.ts';
import { handlers, type Projection } from './projection.ts';
import { replaceRow, updateRows } from './rows.ts';
import type { Views } from './views.ts';

export const zConnectorRow = z.object({
  workspace: z.string(),
  id: z.string().describe('Id of the connector in its project.'),
  catalog_id: z.string().nullable(),
  title: z.string(),
  command: z.string().describe('The program.'),
  args: z.array(z.string()),
  enabled: z.boolean().describe('Whether runs get its tools.'),
  added_at: z.int().nullable(),
  credential_names: z.array(z.string()).describe('Names of the stored credentials; no values.'),
});
export type ConnectorRow = Readonly<z.infer<typeof zConnectorRow>>;

export const connectors: Projection = {
  name: 'connectors',
  version: 1,
  tables: ['connectors'],
  create: `CREATE TABLE connectors (
  workspace TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, catalog_id TEXT, title TEXT NOT NULL,
  command TEXT NOT NULL, args TEXT NOT NULL, credential_names TEXT NOT NULL, enabled INTEGER NOT NULL,
  added_at INTEGER NOT NULL, PRIMARY KEY (workspace, id)
) WITHOUT ROWID;`,
  on: handlers<ConnectorEvent>({
    ConnectorAdded: (views, { data, position, at }) => {
      const { workspace, id, catalog_id, title, command } = data;
      replaceRow(views, 'connectors', {
        workspace,
        id,
        position,
        catalog_id,
        title,
        command,
        enabled: 1,
        added_at: at,
        args: JSON.stringify(data.args),
        credential_names: JSON.stringify(data.credential_names),
      });
    },
    ConnectorEnabled: (views, { data: { workspace, id } }) =>
      updateRows(views, 'connectors', { where: { workspace, id }, set: { enabled: 1 } }),
    ConnectorDisabled: (views, { data: { workspace, id } }) =>
      updateRows(views, 'connectors', { where: { workspace, id }, set: { enabled: 0 } }),
    ConnectorRemoved: (views, { data }) =>
      views.run('DELETE FROM connectors WHERE workspace = ? AND id = ?', data.workspace, data.id),
  }),
};

interface StoredRow extends Omit<ConnectorRow, 'args' | 'credential_names' | 'enabled'> {
  readonly args: string;
  readonly credential_names: string;
  readonly enabled: number;
}

const COLUMNS = 'workspace, id, catalog_id, title, command, args, credential_names, enabled, added_at';

export function configuredConnectors(views: Views, workspace: string): readonly ConnectorRow[] {
  const sql = `SELECT ${COLUMNS} FROM connectors WHERE workspace = ? ORDER BY position`;
  return views.all<StoredRow>(sql, workspace).map(rowOf);
}

export function configuredConnector(views: Views, workspace: string, id: string): ConnectorRow | undefined {
  const sql = `SELECT ${COLUMNS} FROM connectors WHERE workspace = ? AND id = ?`;
  const row = views.get<StoredRow>(sql, workspace, id);
  return row === undefined ? undefined : rowOf(row);
}

function rowOf(row: StoredRow): ConnectorRow {
  return {
    ...row,
    args: JSON.parse(row.args) as string[],
    credential_names: JSON.parse(row.credential_names) as string[],
    enabled: row.enabled === 1,
  };
}
