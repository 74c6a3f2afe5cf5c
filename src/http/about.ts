/** Public routes about the daemon: model catalogue, capabilities, the beacon for phones, the MCP card, the icon. */
import { z } from 'zod';
import type { Config } from '../config.ts';
import { zJson } from '../events/envelope.ts';
import { SECTORS } from '../events/memory/events.ts';
import { reachableAddresses } from '../host-names.ts';
import { MCP_PATH, MCP_PROTOCOL_VERSION, OWN_MCP_TOOLS, OWN_MCP_TRANSPORTS } from '../live/mcp/tool-names.ts';
import { PEERS_MAX } from '../live/room/room.ts';
import type { Clock } from '../ports/clock.ts';
import type { EmbeddersPort } from '../ports/embedder.ts';
import type { Host } from '../ports/host.ts';
import type { ModelsPort } from '../ports/models.ts';
import { AUDIO_TYPES } from '../ports/speech.ts';
import type { ToolsPort } from '../ports/tools.ts';
import { uptimeSeconds } from './health.ts';
import { ok, type RouteSpec, routesOf, text, value } from './server/route.ts';
import { SERVICE_NAME } from './service-name.ts';

const { get } = routesOf({ tag: 'about', auth: 'public', withoutViews: true });

export interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly host: Host;
  readonly models: ModelsPort;
  readonly embedders: EmbeddersPort;
  readonly tools: ToolsPort;
  readonly startedAt: number;
  port(): number;
}

export const zModelRow = z.object({
  id: z.string().describe('`provider/name`.'),
  name: z.string().optional().describe('The value to send as `model`; absent only on the active row.'),
  provider: z.string(),
  active: z.literal(true).optional().describe('Present on the selected model.'),
  size_bytes: z.int().optional(),
});
z.globalRegistry.add(zModelRow, { id: 'Model' });

const zCapability = z.object({ description: z.string().describe('Description in a sentence.') }).catchall(zJson);

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="3" width="22" height="26" rx="3" fill="#2f5d50"/><rect x="9" y="3" width="2" height="26" fill="#dfe8e2"/><path d="M15 10h8M15 15h8M15 20h5" stroke="#dfe8e2" stroke-width="2" stroke-linecap="round"/></svg>`;

const ICON_KEPT = { 'cache-control': 'public, max-age=86400' };

const zCapabilities = z.object({
  framework: z.string().describe('Name of this program.'),
  version: z.string().describe('Version of the daemon.'),
  capabilities: z.record(z.string(), zCapability).describe('By name, what each offers and settings of it.'),
});

const zBeacon = z.object({
  machine_id: z.string(),
  hostname: z.string().describe('Name of the machine.'),
  daemon_version: z.string(),
  port: z.int().describe('TCP port on which the daemon listens.'),
  lan_ips: z
    .array(z.string())
    .describe('IPv4 addresses at which it can be reached; 127.0.0.1 alone when it admits this machine only.'),
  tailscale_ip: z.string().nullable().describe('The first of them that begins with 100.; null without one.'),
  public_url: z.string().nullable().describe('Always null: the daemon makes no public address.'),
  uptime_secs: z.int().describe('Seconds since the start of the daemon.'),
  active_session: z.null().describe('Always null: the route is public and names no run.'),
});

const zMcpCard = z.object({
  name: z.string().describe('Name of this MCP server.'),
  version: z.string().describe('Version of the daemon.'),
  protocolVersion: z.string().describe('Version of MCP, as a date.'),
  transports: z.array(z.string()).describe('Ways to connect.'),
  endpoint: z.string().describe('Path of the transport `streamable_http`.'),
  tools: z
    .array(
      z.object({
        name: z.string().describe('Name of the tool.'),
        description: z.string().describe('Description of the tool, for a model.'),
      }),
    )
    .describe('The tools that clients of the server can call.'),
  prompts: z.array(zJson).describe('Always empty.'),
  resources: z.array(zJson).describe('Always empty.'),
});

export function aboutRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/models', {
      tag: 'models',
      operation: 'list',
      summary: 'The models that can be asked: the active one first, then local ones, then the catalogue.',
      responses: ok('The catalogue.', {
        models: z.array(zModelRow).describe('The active one first, then local ones, then the catalogue.'),
      }),
      handle: async () => value({ models: await deps.models.catalogue() }),
    }),
    get('/v1/capabilities', {
      operation: 'capabilities',
      summary: 'The capabilities of the daemon.',
      responses: ok('Capabilities by name.', zCapabilities),
      handle: () => value({ framework: SERVICE_NAME, version: deps.version, capabilities: capabilities(deps) }),
    }),
    get('/mobile/beacon', {
      operation: 'beacon',
      summary: 'Where this daemon can be reached. It names no work in progress: the route is public.',
      responses: ok('The beacon.', zBeacon),
      handle: () => value(beacon(deps)),
    }),
    get('/.well-known/mcp.json', {
      operation: 'mcpCard',
      summary: 'The MCP card of this daemon.',
      responses: ok('The card.', zMcpCard),
      handle: () => value(mcpCard(deps.version)),
    }),
    get('/favicon.svg', {
      operation: 'favicon',
      summary: 'The icon.',
      responses: { 200: { description: 'SVG.', type: 'image/svg+xml' } },
      // Cached, because a browser requests it at every navigation, and each request counts against the public limit.
      handle: () => text('image/svg+xml', ICON, ICON_KEPT),
    }),
  ];
}

function mcpCard(version: string) {
  return {
    name: SERVICE_NAME,
    version,
    protocolVersion: MCP_PROTOCOL_VERSION,
    transports: OWN_MCP_TRANSPORTS,
    endpoint: MCP_PATH,
    tools: Object.entries(OWN_MCP_TOOLS).map(([name, description]) => ({ name, description })),
    prompts: [],
    resources: [],
  };
}

function capabilities(deps: Dependencies) {
  return {
    tasks: {
      description: 'Background agent runs with a resumable event stream.',
      max_concurrent: deps.config.runs_max,
    },
    chat: { description: 'Single chat turns, buffered and streamed.', providers: deps.models.configuredProviders() },
    tools: { description: 'Tools of an agent run.', builtin: deps.tools.specs.map((tool) => tool.name), mcp: false },
    briefing: {
      description:
        'What happened since the last one, computed from the log, with the events it rests on; read aloud too.',
      routes_prefix: '/briefing',
    },
    devex: { description: 'How well a git repository delivers: delivery keys, practices, SPACE.', requires: 'git' },
    memory: {
      description: 'Memories in five sectors, temporal facts and verbatim drawers, found again by words and vectors.',
      sectors: SECTORS,
    },
    embeddings: {
      description:
        'Vectors for texts, and an index over the files of the workspace that is searched by meaning and words.',
      routes_prefixes: ['/embeddings', '/index'],
      providers: deps.embedders
        .providers()
        .flatMap(({ id, availability }) => (availability.state === 'ready' ? [id] : [])),
    },
    collaboration: { description: 'Rooms in which several people write the same texts.', peers_max: PEERS_MAX },
    voice: {
      description: 'Audio written down, text spoken, and both at once as a conversation.',
      routes_prefix: '/voice',
      socket: '/ws/voice/duplex',
      audio_types: AUDIO_TYPES,
    },
    log: { description: 'The event log with inclusion and consistency proofs, as pages and as a stream.' },
    context: {
      description: 'What a run may ask to be given.',
      kinds: ['Chat', 'CodingAgent', 'ResearchAgent', 'BackgroundJob'],
      request_field: 'context_request',
    },
    plugins: {
      description: 'Skills and rules of a project, signed, that its agent runs are told.',
      routes_prefix: '/api/vibedesk/plugins',
    },
    webhooks: {
      description: 'Forge deliveries are reviewed; skills are triggered by name.',
      events: ['pull_request'],
    },
  };
}

function beacon(deps: Dependencies) {
  const { config, host, version, port } = deps;
  const reachable = reachableAddresses(config.host, host.addresses());
  return {
    machine_id: host.id(),
    hostname: host.name(),
    daemon_version: version,
    port: port(),
    lan_ips: reachable.length === 0 ? ['127.0.0.1'] : reachable,
    tailscale_ip: reachable.find((address) => address.startsWith('100.')) ?? null,
    public_url: null,
    uptime_secs: uptimeSeconds(deps),
    active_session: null,
  };
}
