/** Connectors: the MCP servers that a workspace has configured, the catalogue, and a probe that starts a server. */
import { z } from 'zod';
import { connector, connectorStreamId } from '../../commands/connector/decide.ts';
import { CONNECTOR_ID, newConnector } from '../../commands/connector/request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { McpPort } from '../../ports/mcp.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { connectors as projected } from '../../projections/connector.ts';
import type { Views } from '../../projections/views.ts';
import { connectorList, pastConnectorList } from '../../queries/connector/list.ts';
import { probeConnector, requireConnectorId } from '../../queries/connector/probe.ts';
import { zConnectorsAt, zProbed } from '../../queries/connector/schemas.ts';
import type { DaemonFolders } from '../../queries/run/workspace.ts';
import { workspaceScope, zScopePath } from '../../queries/workspace-scope.ts';
import type { Connectors } from '../../reactors/connector/connectors.ts';
import { whileEnabled } from '../../reactors/connector/while-enabled.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { type AsOfSources, answerAt, asOfField, zAt } from '../server/as-of.ts';
import { whileConnected } from '../server/disconnect.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { get, post } = routesOf({ tag: 'connectors' });

export interface Dependencies extends AsOfSources {
  readonly config: DaemonFolders;
  readonly clock: Clock;
  readonly vault: SecretVault;
  readonly connectors: Connectors;
  readonly mcp: McpPort;
  readonly committed: CommittedEvents;
}

const invalid = { 400: 'A field is missing or not allowed; nothing was changed.' };
const noVault = { 503: 'Credentials cannot be kept or deleted; nothing was changed.' };

const zAdded = z.object({
  id: z.string().describe('Id of the connector in its project.'),
  title: z.string(),
  enabled: z.literal(true).describe('A new connector is on.'),
  credential_names: z.array(z.string()).describe('Names of the stored credentials; no values.'),
});

const PATH = '/api/vibedesk/connectors';

export function connectorRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [listRoute(deps), addRoute(deps), toggleRoute(deps), removeRoute(deps), probeRoute(deps)];
}

function listRoute(deps: Dependencies): RouteSpec {
  return get(PATH, {
    operation: 'list',
    summary:
      'The connectors of a workspace in the order they were added, and the catalogue. Credentials by name only. ' +
      '`at` answers as it was then.',
    query: zScope.extend({ at: zAt }),
    responses: ok('Connectors and catalogue.', zConnectorsAt.extend(asOfField), invalid),
    async handle({ query: { path, at }, request }) {
      const scope = workspaceScope(deps.config, path);
      if (at === undefined) return value(await connectorList(deps, scope));
      const read = (then: Views): object => pastConnectorList(then, deps.mcp, scope);
      return answerAt(deps, { at, request }, { projection: projected, categories: [connector.category], read });
    },
  });
}

function addRoute({ config, connectors }: Dependencies): RouteSpec {
  return post(PATH, {
    operation: 'add',
    summary: 'Configures a connector: of the catalogue by catalog_id, or one of your own by id and command.',
    // The request holds secrets: not even its hash is stored.
    secretAnswer: true,
    body: zAdd,
    responses: ok('The configured connector.', zAdded, {
      ...invalid,
      409: 'The workspace has as many connectors as it can have.',
      ...noVault,
    }),
    async handle({ body: { path, ...request }, dispatch }) {
      const scope = workspaceScope(config, path);
      const added = newConnector(request);
      await connectors.add(scope, added, dispatch);
      const credential_names = Object.keys(added.credentials).sort();
      return value({ id: added.id, title: added.title, enabled: true, credential_names });
    },
  });
}

function toggleRoute({ config }: Dependencies): RouteSpec {
  return post(`${PATH}/toggle`, {
    operation: 'toggle',
    summary: 'Enables or disables a connector; a disabled one is not launched and keeps its credentials.',
    body: zToggle,
    responses: ok('The new state.', zToggle.pick({ id: true, enabled: true }), invalid),
    async handle({ body: { id, enabled, path }, answerAfter }) {
      const scope = workspaceScope(config, path);
      requireConnectorId(id);
      const command = { type: 'ToggleConnector', workspace: scope.root, id, enabled } as const;
      return answerAfter(connector, connectorStreamId(scope.key, id), command, () => value({ id, enabled }));
    },
  });
}

function removeRoute({ config, connectors }: Dependencies): RouteSpec {
  return post(`${PATH}/remove`, {
    operation: 'remove',
    summary: 'Removes a connector and deletes its credentials.',
    body: zOne,
    responses: ok(
      'Whether there was one, and how many credentials were deleted.',
      {
        id: z.string().describe('Id of the connector.'),
        removed: z.boolean().describe('Whether there was one.'),
        secrets_deleted: z.int().describe('Credentials that were deleted from the vault.'),
      },
      { ...invalid, ...noVault },
    ),
    async handle({ body: { id, path }, answerAfter }) {
      const scope = workspaceScope(config, path);
      const answer = (deleted: number | null): Answer =>
        value({ id, removed: deleted !== null, secrets_deleted: deleted ?? 0 });
      if (!CONNECTOR_ID.test(id)) return answer(null);
      const deleted = await connectors.remove(scope, id, (stream, command, count) =>
        answerAfter(connector, stream, command, () => answer(count)),
      );
      return answer(deleted);
    },
  });
}

function probeRoute(deps: Dependencies): RouteSpec {
  return post(`${PATH}/probe`, {
    operation: 'probe',
    summary:
      'Launches the server, lists its tools and ends it: within 45 s, and at once when the connector is removed or ' +
      'disabled. Nothing is recorded.',
    // The result is not recorded in the log either.
    secretAnswer: true,
    body: zOne,
    responses: ok('The result of the probe.', zProbed, { ...invalid, 503: 'Too many probes run and wait already.' }),
    handle: (call) => probe(deps, call),
  });
}

async function probe(
  deps: Dependencies,
  { body: { id, path }, request }: Call<unknown, unknown, z.infer<typeof zOne>>,
): Promise<Answer> {
  const scope = workspaceScope(deps.config, path);
  const result = await whileConnected(request, (signal) =>
    whileEnabled(
      deps.committed,
      { scope, id },
      { signal, work: (either) => probeConnector(deps, { scope, id, signal: either }) },
    ),
  );
  return value({ id, result, checked_at: Math.floor(deps.clock.now()) });
}

const TEXT_CHARACTERS_MAX = 32_768;
const NAME_CHARACTERS_MAX = 200;
const COMMAND_CHARACTERS_MAX = 4_096;
const ARGUMENTS_MAX = 256;
const CREDENTIALS_MAX = 64;

const zWord = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be well-formed text without a NUL character');

/** Any text: an invalid id is answered like the id of an unknown connector. */
const zId = z.string().max(NAME_CHARACTERS_MAX);

const zAdd = z.object({
  catalog_id: zWord(NAME_CHARACTERS_MAX).nullish(),
  id: zWord(NAME_CHARACTERS_MAX).nullish().describe('Its id in the project; left out with `catalog_id`.'),
  title: zWord(NAME_CHARACTERS_MAX)
    .nullish()
    .describe('One line that names it; left out with `catalog_id`; absent: the id.'),
  command: zWord(COMMAND_CHARACTERS_MAX).nullish().describe('The program to start; left out with `catalog_id`.'),
  args: z.array(zWord(TEXT_CHARACTERS_MAX)).max(ARGUMENTS_MAX).nullish(),
  credentials: z
    .record(z.string(), zWord(TEXT_CHARACTERS_MAX))
    .refine((of) => Object.keys(of).length <= CREDENTIALS_MAX, `must be at most ${CREDENTIALS_MAX}`)
    .nullish()
    .describe('By the name of the environment variable, the secret; stored in the vault only.'),
  path: zScopePath,
});
z.globalRegistry.add(zAdd, { examples: [{ catalog_id: 'filesystem', path: '/home/ada/notes' }] });

const zToggle = z.object({
  id: zId.describe('Id of the connector.'),
  enabled: z.boolean().describe('Whether runs get its tools.'),
  path: zScopePath,
});
const zOne = z.object({ id: zId.describe('Id of the connector.'), path: zScopePath });
const zScope = z.object({ path: zScopePath });
