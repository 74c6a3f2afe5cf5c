/** `GET /openapi.json`: OpenAPI 3.1 made from the routes' own schemas, once, when it is first asked for. */
import { z } from 'zod';
import { zJson } from '../../events/envelope.ts';
import { json } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { isKeyed } from '../server/idempotency.ts';
import { type ResponseSpec, type RouteSpec, route } from '../server/route.ts';
import { SERVICE_NAME } from '../service-name.ts';
import { createSchemas, type JsonSchema, type Schemas } from './schemas.ts';
import { TAG_DESCRIPTIONS } from './tags.ts';

interface Dependencies {
  readonly version: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Content {
  readonly [type: string]: { readonly schema: JsonSchema; readonly 'x-events'?: EventsOfStream };
}

/** What OpenAPI has no words for: `schema` is the `data` of each event without a name. */
interface EventsOfStream {
  readonly id?: string;
  readonly named: Readonly<Record<string, string>>;
  readonly end: string;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly JsonSchema[];
  readonly 'x-auth': RouteSpec['auth'];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: { readonly [status: string]: { readonly description: string; readonly content?: Content } };
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
  return route({
    method: 'GET',
    path: '/openapi.json',
    operation: 'openApi',
    summary: 'This interface as an OpenAPI 3.1 document.',
    tag: 'about',
    auth: 'public',
    withoutViews: true,
    responses: { 200: { description: 'The document.', schema: zJson } },
    handle() {
      text ??= JSON.stringify(openApi(routes(), deps.version));
      return json(text);
    },
  });
}

export function openApi(routes: readonly RouteSpec[], version: string): OpenApi {
  const schemas = createSchemas();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const spec of routes) {
    paths[spec.path] = { ...paths[spec.path], [spec.method.toLowerCase()]: operation(spec, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: SERVICE_NAME, version, description: 'The Daybook daemon on its one port.', license: LICENSE },
    servers: [LOCAL_SERVER],
    tags: [...new Set(routes.map((spec) => spec.tag))].map(tag),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: schemas.components },
  };
}

const LICENSE = { name: 'MIT', identifier: 'MIT' };

export const LOCAL_SERVER = {
  url: 'http://127.0.0.1:{port}',
  description: 'The daemon on this machine.',
  variables: { port: { default: '7878', description: 'As configured; `daemon.json` in its home has the real one.' } },
};

function tag(name: string) {
  const description = TAG_DESCRIPTIONS[name];
  return { name, ...(description !== undefined && { description }) };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  queryToken: { type: 'apiKey', in: 'query', name: 'token' },
  signature: { type: 'apiKey', in: 'header', name: 'X-Hub-Signature-256' },
};

const SECURITY: Readonly<Record<RouteSpec['auth'], readonly JsonSchema[]>> = {
  bearer: [{ bearer: [] }],
  public: [],
  asset: [],
  'query-token': [{ queryToken: [] }],
  signature: [{ signature: [] }],
};

function operation(spec: RouteSpec, schemas: Schemas): Operation {
  return {
    operationId: `${spec.tag}.${spec.operation}`,
    summary: spec.summary,
    tags: [spec.tag],
    security: SECURITY[spec.auth],
    'x-auth': spec.auth,
    parameters: [
      ...parameters(spec.params, 'path', schemas),
      ...parameters(spec.query, 'query', schemas),
      ...headers(spec, schemas),
    ],
    ...(spec.body === undefined ? {} : { requestBody: requestBody(spec, spec.body, schemas) }),
    responses: responses(spec, schemas),
  };
}

function parameters(schema: z.ZodType | undefined, where: Parameter['in'], schemas: Schemas): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, inner]) => {
    const { description, ...own } = withoutNull(inner);
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(typeof description === 'string' && { description }),
      schema: own,
    };
  });
}

/** A URL cannot hold null: of a nullable schema what is left. */
function withoutNull({ anyOf, type, ...rest }: JsonSchema): JsonSchema {
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== 'null');
    return { ...rest, type: types.length === 1 ? types[0] : types };
  }
  if (!Array.isArray(anyOf)) return { ...rest, ...(type !== undefined && { type }) };
  const variants = (anyOf as readonly JsonSchema[]).filter((each) => each.type !== 'null');
  return variants.length === 1 ? { ...variants[0], ...rest } : { ...rest, anyOf: variants };
}

const zIdempotencyKey = z.string().optional().describe('The same key and body get the first answer again.');
const zLastEventId = z.string().optional().describe('Goes on after the event with this id.');

function headers({ method, responses: answers, headers: own }: RouteSpec, schemas: Schemas): Parameter[] {
  const resumes = Object.values(answers).some(({ events }) => events?.id !== undefined);
  const all = {
    ...own,
    ...(isKeyed(method) && { 'Idempotency-Key': zIdempotencyKey }),
    ...(resumes && { 'Last-Event-ID': zLastEventId }),
  };
  return parameters(z.object(all), 'header', schemas);
}

function requestBody({ rawContent }: RouteSpec, body: z.ZodType, schemas: Schemas) {
  const required = !body.safeParse(undefined).success;
  const json = { 'application/json': { schema: schemas.of(rawContent?.json ?? body, 'input') } };
  const bytes = Object.fromEntries((rawContent?.bytes ?? []).map((type) => [type, { schema: BYTES }]));
  return { required, content: { ...json, ...bytes } };
}

/** The responses that the route declares, and those of the auth guard, validation and idempotency in front of it. */
function responses(spec: RouteSpec, schemas: Schemas): Operation['responses'] {
  const error = { 'application/json': { schema: schemas.of(zError, 'output') } };
  const readsBody = spec.method !== 'GET';
  const isChecked = readsBody || spec.params !== undefined || spec.query !== undefined;
  const common = {
    ...(isChecked ? { 400: 'A part of the request is malformed.' } : {}),
    ...(spec.auth === 'public' || spec.auth === 'asset' ? {} : { 401: 'Missing or invalid credential.' }),
    403: 'Foreign Host, Origin or site.',
    ...(isKeyed(spec.method) ? { 409: 'The Idempotency-Key was used with another body.' } : {}),
    ...(readsBody ? { 413: 'The body is too large.', 415: 'The body has a Content-Encoding.' } : {}),
    429: 'Too many requests; Retry-After says how long to wait.',
    ...(spec.withoutViews === true ? {} : { 503: 'The views are being rebuilt; Retry-After says when to ask again.' }),
  };
  const all: Record<string, Operation['responses'][string]> = {};
  for (const [status, description] of Object.entries(common)) all[status] = { description, content: error };
  for (const [status, response] of Object.entries(spec.responses)) {
    const content = contentOf(response, schemas);
    all[status] = { description: response.description, ...(content === null ? {} : { content }) };
  }
  return all;
}

const BYTES = { type: 'string', format: 'binary' };

function contentOf({ schema, type, events }: ResponseSpec, schemas: Schemas): Content | null {
  if (schema !== undefined) return { 'application/json': { schema: schemas.of(schema, 'output') } };
  if (type === undefined) return null;
  if (events === undefined) return { [type]: { schema: /^(text|image\/svg)/.test(type) ? { type: 'string' } : BYTES } };
  const { data, named = {}, ...rest } = events;
  return { [type]: { schema: schemas.of(data, 'output'), 'x-events': { ...rest, named } } };
}
