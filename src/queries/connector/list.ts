/** The connectors of a workspace, and the catalogue. */
import type { z } from 'zod';
import { CONNECTOR_CATALOG } from '../../commands/connector/catalogue.ts';
import { vaultOwner } from '../../commands/connector/decide.ts';
import type { McpPort } from '../../ports/mcp.ts';
import { type SecretVault, VaultTrouble } from '../../ports/secret-vault.ts';
import { type ConnectorRow, configuredConnectors } from '../../projections/connector.ts';
import type { Views } from '../../projections/views.ts';
import type { WorkspaceScope } from '../workspace-scope.ts';
import type { zConfigured, zConnectors, zConnectorsAt, zSpec } from './schemas.ts';

interface Dependencies {
  readonly views: Views;
  readonly vault: SecretVault;
  readonly mcp: Pick<McpPort, 'isInstalled'>;
}

export async function connectorList(
  { views, vault, mcp }: Dependencies,
  scope: WorkspaceScope,
): Promise<z.infer<typeof zConnectors>> {
  const rows = configuredConnectors(views, scope.root);
  const stored = await storedNames(vault, scope, rows);
  const connectors = rows.map((row) => shownConnector(row, stored.get(vaultOwner(scope.key, row.id)) ?? NONE));
  return { connectors, catalog: shownCatalogue(mcp.isInstalled) };
}

/** The connectors in past views. It is unknown which credentials were missing then. */
export function pastConnectorList(
  views: Views,
  mcp: Dependencies['mcp'],
  scope: WorkspaceScope,
): z.infer<typeof zConnectorsAt> {
  const connectors = configuredConnectors(views, scope.root).map((row) => ({
    ...shownConnector(row, NONE),
    missing_credentials: null,
  }));
  return { connectors, catalog: shownCatalogue(mcp.isInstalled) };
}

const NONE: ReadonlySet<string> = new Set();

/** The names of the credentials that the vault can give, by owner; none while the vault cannot be opened. */
async function storedNames(vault: SecretVault, scope: WorkspaceScope, rows: readonly ConnectorRow[]) {
  const owners = rows.filter((row) => row.credential_names.length > 0).map((row) => vaultOwner(scope.key, row.id));
  const nothing: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  try {
    return owners.length === 0 ? nothing : await vault.names(owners);
  } catch (error) {
    if (error instanceof VaultTrouble) return nothing;
    throw error;
  }
}

function shownConnector(
  { workspace: _workspace, ...row }: ConnectorRow,
  stored: ReadonlySet<string>,
): z.infer<typeof zConfigured> {
  return { ...row, missing_credentials: row.credential_names.filter((name) => !stored.has(name)) };
}

function shownCatalogue(isInstalled: (program: string) => boolean): z.infer<typeof zSpec>[] {
  const isAvailable = { builtin: true, npx: isInstalled('npx'), uvx: isInstalled('uvx') };
  return CONNECTOR_CATALOG.map((entry) => ({
    ...entry,
    runtime_program: entry.command,
    runtime_available: isAvailable[entry.runtime],
  }));
}
