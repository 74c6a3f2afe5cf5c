/** How a configured connector is launched: its command with filled placeholders, and its credentials in the vault. */
import { OWN_CONNECTOR_ID } from '../../commands/connector/catalogue.ts';
import type { McpLaunch } from '../../ports/mcp.ts';

export interface LaunchFacts {
  readonly catalog_id: string | null;
  readonly command: string;
  readonly args: readonly string[];
}

const PLACEHOLDER = /\{workspace\}|\{secret:([A-Z0-9_]{1,128})\}/g;

export function launchOf(
  { catalog_id, command, args }: LaunchFacts,
  { workspace, secrets }: { readonly workspace: string; readonly secrets: Readonly<Record<string, string>> },
): McpLaunch {
  if (catalog_id === OWN_CONNECTOR_ID) return { program: null, cwd: null, secrets: {} };
  // In one pass, because a value may itself look like a placeholder.
  const filled = args.map((argument) =>
    argument.replace(PLACEHOLDER, (placeholder, name: string | undefined) =>
      name === undefined ? workspace : (secrets[name] ?? placeholder),
    ),
  );
  return { program: { command, args: filled }, cwd: catalog_id === null ? workspace : null, secrets };
}
