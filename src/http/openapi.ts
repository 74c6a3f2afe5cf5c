/** `GET /openapi.json`: OpenAPI 3.1 made from the routes' own schemas, once, when it is first asked for. */
import { z } from 'zod';
import { json } from './answer.ts';
import { zError } from './errors.ts';
import { type House, SERVICE_NAME } from './house.ts';
import { type RouteSpec, route } from './route.ts';

type JsonSchema = Record<string, unknown>;

export function openApiRoute(house: House, routes: () => readonly RouteSpec[]): RouteSpec {
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
      text ??= JSON.stringify(openApi(routes(), house.version));
      return json(text);
    },
  });
}

export function openApi(routes: readonly RouteSpec[], version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const spec of routes) {
    paths[spec.path] = { ...paths[spec.path], [spec.method.toLowerCase()]: operation(spec) };
  }
  return {
    openapi: '3.1.0',
    info: { title: SERVICE_NAME, version, description: 'The Daybook daemon on its one port.' },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        queryToken: { type: 'apiKey', in: 'query', name: 'token' },
        signature: { type: 'apiKey', in: 'header', name: 'X-Hub-Signature-256' },
      },
      schemas: { Error: schemaOf(zError, 'output') },
    },
  };
}

const SECURITY: Readonly<Record<RouteSpec['auth'], readonly JsonSchema[]>> = {
  bearer: [{ bearer: [] }],
  public: [],
  'query-token': [{ queryToken: [] }],
  signature: [{ signature: [] }],
};

function operation(spec: RouteSpec): JsonSchema {
  const name = spec.path.replace(/[^a-zA-Z0-9]+/g, '_').replace(/^_|_$/g, '');
  return {
    operationId: `${spec.method.toLowerCase()}_${name}`,
    summary: spec.summary,
    tags: [spec.tag],
    security: SECURITY[spec.auth],
    'x-auth': spec.auth,
    parameters: [...parameters(spec.params, 'path'), ...parameters(spec.query, 'query'), ...headers(spec)],
    ...(spec.body === undefined ? {} : { requestBody: requestBody(spec.body) }),
    responses: responses(spec),
  };
}

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query'): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
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

function headers({ method, responses: answers }: RouteSpec): JsonSchema[] {
  const header = (name: string, description: string) => ({
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

function requestBody(body: z.ZodType): JsonSchema {
  const required = !body.safeParse(undefined).success;
  return { required, content: { 'application/json': { schema: schemaOf(body, 'input') } } };
}

function responses({ responses: own, auth }: RouteSpec): Record<string, JsonSchema> {
  const error = (description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  });
  const common: Record<string, JsonSchema> = {
    ...(auth === 'public' ? {} : { 401: error('Missing or invalid credential.') }),
    403: error('Foreign Host, Origin or site.'),
    429: error('Too many requests; Retry-After says how long to wait.'),
  };
  const specific = Object.entries(own).map(([status, { description, schema, type }]) => {
    const content =
      schema === undefined
        ? type === undefined
          ? {}
          : { [type]: { schema: { type: 'string' } } }
        : { 'application/json': { schema: schemaOf(schema, 'output') } };
    return [status, { description, content }] as const;
  });
  return { ...common, ...Object.fromEntries(specific) };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest;
}
