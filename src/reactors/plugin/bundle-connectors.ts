/** The connectors that a bundle expects: those that need no credential are configured, the others are named. */
import { catalogConnector } from '../../commands/connector/catalogue.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { Connectors } from '../connector/connectors.ts';
import type { SendCommand } from '../send-command.ts';

export interface ConnectorOutcome {
  readonly id: string;
  readonly title: string;
  readonly state: 'already_configured' | 'added' | 'needs_credentials' | 'unknown' | 'failed';
  /** Names of the credentials that are missing. */
  readonly fields?: readonly string[];
  readonly error?: string;
}

interface Configuring {
  readonly connectors: Connectors;
  readonly send: SendCommand;
  readonly scope: WorkspaceScope;
}

/** One after the other, in the order of the bundle. */
export async function configureConnectors(
  configuring: Configuring,
  ids: readonly string[],
): Promise<readonly ConnectorOutcome[]> {
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
