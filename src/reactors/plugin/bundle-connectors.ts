/** The connectors that a bundle expects: those that need no credential are configured, the others are named. */
import { z } from 'zod';
import { catalogConnector } from '../../commands/connector/catalogue.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { Connectors } from '../connector/connectors.ts';
import type { SendCommand } from '../send-command.ts';

export const zConnectorOutcome = z.object({
  id: z.string().describe('Id of the connector.'),
  title: z.string(),
  state: z.enum(['already_configured', 'added', 'needs_credentials', 'unknown', 'failed']).describe('What came of it.'),
  fields: z.array(z.string()).optional().describe('Names of the credentials that it needs.'),
  error: z.string().optional().describe('Why it failed; absent when it did not.'),
});
export type ConnectorOutcome = Readonly<z.infer<typeof zConnectorOutcome>>;

interface Configuring {
  readonly connectors: Connectors;
  readonly send: SendCommand;
  readonly scope: WorkspaceScope;
}

/** One after the other, in the order of the bundle. */
export async function configureConnectors(
  configuring: Configuring,
  ids: readonly string[],
): Promise<ConnectorOutcome[]> {
  const outcomes: ConnectorOutcome[] = [];
  for (const id of ids) outcomes.push(await configure(configuring, id));
  return outcomes;
}

async function configure({ connectors, send, scope }: Configuring, id: string): Promise<ConnectorOutcome> {
  const entry = catalogConnector(id);
  if (entry === undefined) return { id, title: id, state: 'unknown' };
  const { title, credentials } = entry;
  if (connectors.isConfigured(scope, id)) return { id, title, state: 'already_configured' };
  if (credentials.length > 0) {
    return { id, title, state: 'needs_credentials', fields: credentials.map(({ env }) => env) };
  }
  return { id, title, ...(await connectors.addFromCatalogue(scope, id, send)) };
}
