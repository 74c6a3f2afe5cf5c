/** Connectors: MCP servers a workspace has configured, the catalogue to choose from, and a probe that really asks. */
import { z } from 'zod';
import { connector, notConfigured } from '../../commands/connector/decide.ts';
import { Refused, sanitiseEcho } from '../../commands/refusal.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { McpPort } from '../../ports/mcp.ts';
import { ProbeRefused } from '../../ports/mcp.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { type ConnectorRow, configuredConnector, configuredConnectors } from '../../projections/connector.ts';
import type { Views } from '../../projections/views.ts';
import { launchOf } from '../../queries/connector/launch.ts';
import { type WorkspaceScope, workspaceScope } from '../../queries/workspace-scope.ts';
import { connectorsKeeper, onVault, streamIdOf, vaultOwner } from '../../reactors/connector/configure.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { type Answer, value } from '../server/answer.ts';
import { whileConnected } from '../server/disconnect.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { CONNECTOR_ID, wantedConnector } from './requested.ts';
import { shownCatalog, shownConnector, zAdd, zAdded, zConnectors, zOne, zProbed, zScope, zToggle } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly views: Views;
  readonly dispatcher: CommandHandler;
  readonly vault: SecretVault;
  readonly mcp: McpPort;
}

const BUSY_RETRY_AFTER_SECONDS = 5;

const invalid = { 400: { description: 'A field is missing or not allowed; nothing was changed.', schema: zError } };
const noVault = { 503: { description: 'Credentials cannot be kept or deleted; nothing was changed.', schema: zError } };

const zRemoved = z.object({ id: z.string(), removed: z.boolean(), secrets_deleted: z.int() });

export function connectorRoutes(deps: Dependencies): readonly RouteSpec[] {
  const path = '/api/vibedesk/connectors';
  const common = { tag: 'connectors', auth: 'bearer' } as const;
  const keeper = connectorsKeeper(deps);
  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary:
        'The connectors of a workspace in the order they were added, and the catalogue. Credentials by name only.',
      query: zScope,
      responses: { 200: { description: 'Connectors and catalogue.', schema: zConnectors }, ...invalid },
      handle: ({ query }) => list(deps, workspaceScope(deps.config, query.path)),
    }),
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Configures a connector: of the catalogue by catalog_id, or one of your own by id and command.',
      // The answer has no secret, the request has: not even its hash is kept.
      secretAnswer: true,
      body: zAdd,
      responses: {
        200: { description: 'What was configured.', schema: zAdded },
        ...invalid,
        409: { description: 'The workspace has as many connectors as it can have.', schema: zError },
        ...noVault,
      },
      async handle({ body, dispatch }) {
        const scope = workspaceScope(deps.config, body.path);
        const wanted = wantedConnector(body);
        await keeper.add(scope, wanted, dispatch);
        const credential_names = Object.keys(wanted.credentials).sort();
        return value({ id: wanted.id, title: wanted.title, enabled: true, credential_names });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/toggle`,
      summary: 'Enables or disables a connector; a disabled one is not launched and keeps its credentials.',
      body: zToggle,
      responses: {
        200: { description: 'As it is now.', schema: zToggle.pick({ id: true, enabled: true }) },
        ...invalid,
      },
      async handle({ body: { id, enabled, path: given }, dispatch }) {
        const scope = workspaceScope(deps.config, given);
        requireId(id);
        const command = { type: 'ToggleConnector', workspace: scope.root, id, enabled } as const;
        const answer = value({ id, enabled });
        await dispatch(connector, streamIdOf(scope, id), command, () => answer);
        return answer;
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/remove`,
      summary: 'Removes a connector and deletes its credentials.',
      body: zOne,
      responses: {
        200: { description: 'Whether there was one, and how many credentials were deleted.', schema: zRemoved },
        ...invalid,
        ...noVault,
      },
      async handle({ body: { id, path: given }, dispatch }) {
        const scope = workspaceScope(deps.config, given);
        const deleted = CONNECTOR_ID.test(id) ? await keeper.remove(scope, id, dispatch) : null;
        return value({ id, removed: deleted !== null, secrets_deleted: deleted ?? 0 });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/probe`,
      summary: 'Launches the server, lists its tools and ends it, within 45 s. What it finds is not kept.',
      // Nor is it kept for an idempotent repeat.
      secretAnswer: true,
      body: zOne,
      responses: {
        200: { description: 'What came of it.', schema: zProbed },
        ...invalid,
        503: { description: 'Too many probes run and wait already.', schema: zError },
      },
      handle: (call) => probe(deps, call),
    }),
  ];
}

async function list(deps: Dependencies, scope: WorkspaceScope): Promise<Answer> {
  const rows = configuredConnectors(deps.views, scope.root);
  const kept = await keptNames(deps, scope, rows);
  const connectors = rows.map((row) => shownConnector(row, kept.get(vaultOwner(scope, row.id)) ?? NONE));
  return value({ connectors, catalog: shownCatalog(deps.mcp.isInstalled) });
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING_KEPT: ReadonlyMap<string, ReadonlySet<string>> = new Map();

/** Which credentials can be had; none while the vault cannot be opened. */
async function keptNames({ vault }: Dependencies, scope: WorkspaceScope, rows: readonly ConnectorRow[]) {
  const owners = rows.filter((row) => row.credential_names.length > 0).map((row) => vaultOwner(scope, row.id));
  try {
    return owners.length === 0 ? NOTHING_KEPT : await vault.names(owners);
  } catch (error) {
    if (error instanceof VaultTrouble) return NOTHING_KEPT;
    throw error;
  }
}

async function probe(
  deps: Dependencies,
  { body, request }: Call<unknown, unknown, z.infer<typeof zOne>>,
): Promise<Answer> {
  const scope = workspaceScope(deps.config, body.path);
  const { id } = body;
  requireId(id);
  const row = configuredConnector(deps.views, scope.root, id);
  if (row === undefined) throw new Refused(notConfigured(id));
  if (!row.enabled) throw new HttpError(400, `The connector '${id}' is disabled.`);
  const secrets = row.credential_names.length === 0 ? {} : await onVault(() => deps.vault.read(vaultOwner(scope, id)));
  const launch = launchOf(row, { workspace: scope.root, secrets });
  try {
    const result = await whileConnected(request.raw, (signal) => deps.mcp.probe(launch, signal));
    return value({ id, result, checked_at: Math.floor(deps.clock.now()) });
  } catch (error) {
    if (error instanceof ProbeRefused) {
      throw new HttpError(503, error.message, { 'retry-after': String(BUSY_RETRY_AFTER_SECONDS) });
    }
    throw request.raw.socket.destroyed ? new HttpError(503, 'The client is gone.') : error;
  }
}

/** What is no id is configured nowhere; it is repeated only as far as it is harmless. */
function requireId(id: string): void {
  if (!CONNECTOR_ID.test(id)) throw new Refused(notConfigured(sanitiseEcho(id)));
}
