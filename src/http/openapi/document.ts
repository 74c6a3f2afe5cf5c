/**
 * `GET /openapi.json`: OpenAPI 3.1 made from the routes' own schemas, once, when it is first asked for.
 *
 * - Every `$ref` points into `components/schemas`: definitions that zod leaves inside a schema are moved there, because
 *   inside a document `#/$defs/…` would point nowhere.
 */
import { z } from 'zod';
import { json } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { SERVICE_NAME } from '../service-name.ts';

interface Dependencies {
  readonly version: string;
}

export type JsonSchema = { readonly [key: string]: unknown };

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Content {
  readonly [type: string]: { readonly schema: JsonSchema };
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
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
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
    summary: 'This interface as an OpenAPI 3.1 document.',
    tag: 'about',
    auth: 'public',
    withoutViews: true,
    responses: { 200: { description: 'The document.', schema: z.record(z.string(), z.unknown()) } },
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
    info: { title: SERVICE_NAME, version, description: 'The Daybook daemon on its one port.' },
    tags: [...new Set(routes.map((spec) => spec.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: schemas.components },
  };
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
  const name = spec.path.replace(/[^a-zA-Z0-9]+/g, '_').replace(/^_|_$/g, '');
  return {
    operationId: `${spec.method.toLowerCase()}_${name}`,
    summary: spec.summary,
    tags: [spec.tag],
    security: SECURITY[spec.auth],
    'x-auth': spec.auth,
    parameters: [
      ...parameters(spec.params, 'path', schemas),
      ...parameters(spec.query, 'query', schemas),
      ...headers(spec),
    ],
    ...(spec.body === undefined ? {} : { requestBody: requestBody(spec, spec.body, schemas) }),
    responses: responses(spec, schemas),
  };
}

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query', schemas: Schemas): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: inner,
  }));
}

function headers({ method, responses: answers }: RouteSpec): Parameter[] {
  const header = (name: string, description: string): Parameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  if (method === 'POST') return [header('Idempotency-Key', 'The same key and body get the first answer again.')];
  const streams = Object.values(answers).some(({ type }) => type === 'text/event-stream');
  return streams ? [header('Last-Event-ID', 'Goes on after the event with this id.')] : [];
}

function requestBody({ rawContent }: RouteSpec, body: z.ZodType, schemas: Schemas) {
  const required = !body.safeParse(undefined).success;
  const json = { 'application/json': { schema: schemas.of(rawContent?.json ?? body, 'input') } };
  // Bytes have no JSON schema: an empty schema stands for them.
  const bytes = Object.fromEntries((rawContent?.bytes ?? []).map((type) => [type, { schema: {} }]));
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
    ...(spec.method === 'POST' ? { 409: 'The Idempotency-Key was used with another body.' } : {}),
    ...(readsBody ? { 413: 'The body is too large.', 415: 'The body has a Content-Encoding.' } : {}),
    429: 'Too many requests; Retry-After says how long to wait.',
    ...(spec.withoutViews === true ? {} : { 503: 'The views are being rebuilt; Retry-After says when to ask again.' }),
  };
  const all: Record<string, Operation['responses'][string]> = {};
  for (const [status, description] of Object.entries(common)) all[status] = { description, content: error };
  for (const [status, { description, schema, type }] of Object.entries(spec.responses)) {
    const content =
      schema === undefined ? plain(type) : { 'application/json': { schema: schemas.of(schema, 'output') } };
    all[status] = { description, ...(content === null ? {} : { content }) };
  }
  return all;
}

function plain(type: string | undefined): Content | null {
  return type === undefined ? null : { [type]: { schema: { type: 'string' } } };
}

interface Schemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
}

/** Converts zod schemas to JSON Schema; each definition exists once, in one place. */
function createSchemas(): Schemas {
  const components: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  return {
    components,
    of(schema, io) {
      if (schema === zError) {
        components.Error ??= converted(zError, io).schema;
        return { $ref: `${COMPONENTS}Error` };
      }
      const { schema: own, definitions } = converted(schema, io);
      const everything = JSON.stringify([own, definitions]);
      /** Equal texts mean equal definitions only among equal neighbours. */
      const place = (reference: string): string => {
        const key = `${reference} ${JSON.stringify(definitions)} ${reference === '#' ? everything : ''}`;
        const name = names.get(key) ?? `Shared${names.size + 1}`;
        names.set(key, name);
        return name;
      };
      const move = (part: unknown): unknown => {
        if (Array.isArray(part)) return part.map(move);
        if (typeof part !== 'object' || part === null) return part;
        const entries = Object.entries(part).map(([key, inner]): [string, unknown] =>
          key === '$ref' && typeof inner === 'string' ? [key, COMPONENTS + place(inner)] : [key, move(inner)],
        );
        return Object.fromEntries(entries);
      };
      for (const [key, definition] of Object.entries(definitions)) {
        components[place(`#/$defs/${key}`)] ??= move(definition) as JsonSchema;
      }
      if (!everything.includes('"$ref":"#"')) return move(own) as JsonSchema;
      components[place('#')] ??= move(own) as JsonSchema;
      return { $ref: COMPONENTS + place('#') };
    },
  };
}

const COMPONENTS = '#/components/schemas/';

function converted(schema: z.ZodType, io: 'input' | 'output') {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' }) as JsonSchema;
  const { $schema: _dialect, $defs = {}, ...own } = whole;
  return { schema: own, definitions: $defs as Record<string, JsonSchema> };
}
