/** What becomes of the connectors that a bundle expects: what needs no credential is configured, the rest is named. */
import { catalogConnector } from '../../commands/connector/catalogue.ts';
import type { Call } from '../../http/server/route.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import type { Views } from '../../projections/views.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { addFromCatalog, isConfigured } from '../connector/configure.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly views: Views;
  readonly dispatcher: CommandHandler;
  readonly vault: SecretVault;
}

export interface ConnectorOutcome {
  readonly id: string;
  readonly title: string;
  readonly state: 'already_configured' | 'added' | 'needs_credentials' | 'unknown' | 'failed';
  /** Names of the credentials that are missing. */
  readonly fields?: readonly string[];
  readonly error?: string;
}

interface Bringing {
  readonly deps: Dependencies;
  readonly dispatch: Call['dispatch'];
  readonly scope: WorkspaceScope;
}

/** One after the other, in the order of the bundle. */
export async function bringConnectors(parts: Bringing, ids: readonly string[]): Promise<readonly ConnectorOutcome[]> {
  const outcomes: ConnectorOutcome[] = [];
  for (const id of ids) outcomes.push(await bring(parts, id));
  return outcomes;
}

async function bring({ deps, dispatch, scope }: Bringing, id: string): Promise<ConnectorOutcome> {
  const entry = catalogConnector(id);
  if (entry === undefined) return { id, title: id, state: 'unknown' };
  const { title, credentials } = entry;
  if (isConfigured(deps, scope, id)) return { id, title, state: 'already_configured' };
  if (credentials.length > 0) {
    return { id, title, state: 'needs_credentials', fields: credentials.map(({ env }) => env) };
  }
  return { id, title, ...(await addFromCatalog(deps, { scope, id, dispatch })) };
}
