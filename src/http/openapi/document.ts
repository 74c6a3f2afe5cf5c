/** `GET /openapi.json`: OpenAPI 3.1, derived from the schemas of the routes with the first request. */
import { zJson } from '../../events/envelope.ts';
import { json } from '../server/answer.ts';
import { type RouteSpec, routesOf } from '../server/route.ts';
import { SERVICE_NAME } from '../service-name.ts';
import { createExamples } from './examples.ts';
import { type Operation, operation } from './operation.ts';
import { createSchemas, type JsonSchema } from './schemas.ts';
import { TAG_DESCRIPTIONS } from './tags.ts';

const { get } = routesOf({ tag: 'about', auth: 'public', withoutViews: true });

interface Dependencies {
  readonly version: string;
}

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: JsonSchema & { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: {
    readonly securitySchemes: JsonSchema;
    readonly schemas: { readonly [name: string]: JsonSchema };
  };
}

export function openApiRoute(deps: Dependencies, routes: () => readonly RouteSpec[]): RouteSpec {
  let text: string | undefined;
  return get('/openapi.json', {
    operation: 'openApi',
    summary: 'This interface as an OpenAPI 3.1 document.',
    responses: { 200: { description: 'The document.', schema: zJson } },
    handle() {
      text ??= JSON.stringify(openApi(routes(), deps.version));
      return json(text);
    },
  });
}

export function openApi(routes: readonly RouteSpec[], version: string): OpenApi {
  const schemas = createSchemas();
  const parts = { schemas, examples: createExamples(schemas.components) };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const spec of routes) {
    paths[spec.path] = { ...paths[spec.path], [spec.method.toLowerCase()]: operation(spec, parts) };
  }
  const schemes = Object.entries(SECURITY_SCHEMES).filter(([auth]) => routes.some((spec) => spec.auth === auth));
  return {
    openapi: '3.1.0',
    info: { title: SERVICE_NAME, version, description: 'The Daybook daemon on its one port.', license: LICENSE },
    servers: [LOCAL_SERVER],
    tags: [...new Set(routes.map((spec) => spec.tag))].map(tag),
    paths,
    components: { securitySchemes: Object.fromEntries(schemes), schemas: schemas.components },
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
