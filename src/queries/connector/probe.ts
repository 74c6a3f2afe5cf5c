/** Launches a connector once and asks it for its tools. The answer is not stored. */
import type { z } from 'zod';
import { notConfigured, vaultOwner } from '../../commands/connector/decide.ts';
import { CONNECTOR_ID } from '../../commands/connector/request.ts';
import { Refused, refused, sanitiseEcho } from '../../commands/refusal.ts';
import type { McpPort } from '../../ports/mcp.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { configuredConnector } from '../../projections/connector.ts';
import type { Views } from '../../projections/views.ts';
import type { WorkspaceScope } from '../workspace-scope.ts';
import { launchOf } from './launch.ts';
import type { zProbed } from './schemas.ts';

interface Dependencies {
  readonly views: Views;
  readonly vault: SecretVault;
  readonly mcp: Pick<McpPort, 'probe'>;
}

/** Rejects with `Refused`, `VaultTrouble`, `PortError`, or with the signal's reason. */
export async function probeConnector(
  { views, vault, mcp }: Dependencies,
  { scope, id, signal }: { readonly scope: WorkspaceScope; readonly id: string; readonly signal: AbortSignal },
): Promise<z.infer<typeof zProbed>['result']> {
  requireConnectorId(id);
  const row = configuredConnector(views, scope.root, id);
  if (row === undefined) throw new Refused(notConfigured(id));
  if (!row.enabled) throw refused('invalid', `The connector '${id}' is disabled.`);
  const hasCredentials = row.credential_names.length > 0;
  const secrets = hasCredentials ? await vault.read(vaultOwner(scope.key, id)) : {};
  const result = await mcp.probe(launchOf(row, { workspace: scope.root, secrets }), signal);
  return result.state === 'ok' ? { ...result, tools: [...result.tools] } : result;
}

/** Throws `Refused` for an invalid id, as for an unknown connector; the message repeats only safe characters. */
export function requireConnectorId(id: string): void {
  if (!CONNECTOR_ID.test(id)) throw new Refused(notConfigured(sanitiseEcho(id)));
}
