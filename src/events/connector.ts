/**
 * An MCP server that a workspace has configured, stream `connector-<workspace key>-<id>`, appended by the connector
 * routes. Events hold the names of credentials; the values are in the vault.
 */
import { z } from 'zod';
import { type DataOf, define, type EventIn } from './define.ts';

export const connectorEvents = {
  ConnectorAdded: define(
    'ConnectorAdded',
    z.object({
      /** Real path of the project's folder. */
      workspace: z.string(),
      id: z.string(),
      /** null: not from the catalogue. */
      catalog_id: z.string().nullable(),
      title: z.string(),
      command: z.string(),
      args: z.array(z.string()),
      credential_names: z.array(z.string()),
    }),
  ),
  ConnectorEnabled: define('ConnectorEnabled', z.object({ workspace: z.string(), id: z.string() })),
  ConnectorDisabled: define('ConnectorDisabled', z.object({ workspace: z.string(), id: z.string() })),
  ConnectorRemoved: define('ConnectorRemoved', z.object({ workspace: z.string(), id: z.string() })),
} as const;

export type ConnectorEvent = EventIn<typeof connectorEvents>;
export type ConnectorFacts = DataOf<ConnectorEvent, 'ConnectorAdded'>;
