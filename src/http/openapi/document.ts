/**
 * `GET /openapi.json`: OpenAPI 3.1, derived from the schemas of the routes with the first request. This takes some
 * hundred milliseconds, so it is done in slices.
 */
import { zJson } from '../../events/envelope.ts';
import { inSlices } from '../../lib/slices.ts';
import { type Answer, json, ok, type RouteSpec, routesOf } from '../server/route.ts';
import { SERVICE_NAME } from '../service-name.ts';
import { createExamples } from './examples.ts';
import { type Operation, operation, SHARED_HEADERS } from './operation.ts';
import { createSchemas, type JsonSchema } from './schemas.ts';

const { get } = routesOf({ tag: 'about', auth: 'public', withoutViews: true });

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: JsonSchema & { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: {
    readonly securitySchemes: JsonSchema;
    readonly headers: JsonSchema;
    readonly schemas: { readonly [name: string]: JsonSchema };
  };
}

export function openApiRoute(deps: { readonly version: string }, routes: () => readonly RouteSpec[]): RouteSpec {
  let answer: Promise<Answer> | undefined;
  return get('/openapi.json', {
    operation: 'openApi',
    summary: 'This interface as an OpenAPI 3.1 document.',
    responses: ok('The document.', zJson),
    handle: () => (answer ??= openApi(routes(), deps.version).then((document) => json(JSON.stringify(document)))),
  });
}

export async function openApi(routes: readonly RouteSpec[], version: string): Promise<OpenApi> {
  const schemas = createSchemas();
  const parts = { schemas, examples: createExamples(schemas.components) };
  const paths: Record<string, Record<string, Operation>> = {};
  for await (const spec of inSlices(routes)) {
    paths[spec.path] = { ...paths[spec.path], [spec.method.toLowerCase()]: operation(spec, parts) };
  }
  const schemes = Object.entries(SECURITY_SCHEMES).filter(([auth]) => routes.some((spec) => spec.auth === auth));
  return {
    openapi: '3.1.0',
    info: { title: SERVICE_NAME, version, description: 'The Daybook daemon on its one port.', license: LICENSE },
    servers: [LOCAL_SERVER],
    tags: [...new Set(routes.map((spec) => spec.tag))].map(tag),
    paths,
    components: {
      securitySchemes: Object.fromEntries(schemes),
      headers: SHARED_HEADERS,
      schemas: schemas.components,
    },
  };
}

export const LICENSE = { name: 'MIT', identifier: 'MIT' };

export const LOCAL_SERVER = {
  url: 'http://127.0.0.1:{port}',
  description: 'The daemon on this machine.',
  variables: { port: { default: '7878', description: 'As configured; `daemon.json` in its home has the real one.' } },
};

function tag(name: string) {
  const description = TAG_DESCRIPTIONS[name];
  return { name, ...(description !== undefined && { description }) };
}

/** By the `auth` of a route. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  'query-token': { type: 'apiKey', in: 'query', name: 'token' },
  signature: { type: 'apiKey', in: 'header', name: 'X-Hub-Signature-256' },
};

/** One sentence about each group of operations, in the order in which the documents have them. */
const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  health: 'The state of the daemon.',
  chat: 'Single turns with a model.',
  runs: 'Agent runs in the background: start, follow, cancel, replay, fork.',
  approvals: 'Tool calls of interactive runs that wait for a person.',
  sessions: 'Runs as readable pages, and their list.',
  mcp: 'The tools of the daemon for MCP clients, over Streamable HTTP.',
  acp: 'The agent task protocol: a full-auto run as a task.',
  webhooks: 'Deliveries of a forge, and skills that a delivery triggers.',
  tasks: 'Tasks with a linked session, and their conversation.',
  harness: 'How a model of a provider is asked: settings, and overrides of them.',
  memory: 'Memories, temporal facts and verbatim drawers.',
  goals: 'Goals over many sessions, with links, plans and recaps.',
  watch: 'The active goals, for small screens.',
  engagements: 'Engagements in four phases, with deliverables, evidence and gates.',
  index: 'The search index over the files of the workspace.',
  embeddings: 'Embedding models, and vectors for texts.',
  office: 'Conversion of office documents.',
  files: 'Files of the workspace.',
  briefing: 'The morning briefing: settings, history, generation, speech.',
  rooms: 'Rooms in which several people write the same texts.',
  tlog: 'The signed log: checkpoints, tiles, witnesses, time stamps.',
  voice: 'Transcription, and the settings of speech.',
  plugins: 'Signed skills and rules of a project.',
  connectors: 'MCP servers of a workspace.',
  pairing: 'The bearer token for another client, by a token that works once.',
  devex: 'How well a git repository delivers.',
  models: 'The models that can be asked.',
  about: 'What the daemon is, where it is, and its documents.',
  log: 'The event log, with proofs of inclusion and consistency.',
  nodes: 'The daemons of one log.',
  storage: 'The store under the log.',
  metrics: 'What was measured, over time.',
  web: 'The console in a browser.',
};
