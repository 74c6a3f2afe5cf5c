/**
 * `GET /asyncapi.json`: the WebSocket channels and the event streams as AsyncAPI 3. The document is derived from the
 * schemas of the frames and the routes with the first request.
 *
 * - Actions are seen from the daemon, which sends to the client and receives from it.
 * - Schemas are JSON Schema draft 7, the dialect of AsyncAPI.
 */
import { z } from 'zod';
import { zJson } from '../../events/envelope.ts';
import { json, ok, type RouteSpec, routesOf, type StreamSpec } from '../server/route.ts';
import type { SocketSpec } from '../server/sockets.ts';
import { SERVICE_NAME } from '../service-name.ts';
import { LICENSE, LOCAL_SERVER } from './document.ts';
import { createExamples } from './examples.ts';
import type { Parts } from './operation.ts';
import { createSchemas, type JsonSchema } from './schemas.ts';

const { get } = routesOf({ tag: 'about', auth: 'public', withoutViews: true });

interface Reference {
  readonly $ref: string;
}

interface Channel extends JsonSchema {
  readonly address: string;
  readonly messages: { readonly [name: string]: JsonSchema };
}

interface AsyncApi {
  readonly asyncapi: '3.0.0';
  readonly info: JsonSchema;
  readonly defaultContentType: string;
  readonly servers: { readonly [name: string]: JsonSchema };
  readonly channels: { readonly [name: string]: Channel };
  readonly operations: {
    readonly [name: string]: JsonSchema & { readonly channel: Reference; readonly messages: readonly Reference[] };
  };
  readonly components: { readonly securitySchemes: JsonSchema; readonly schemas: JsonSchema };
}

export interface AsyncApiParts {
  readonly version: string;
  readonly sockets: readonly SocketSpec[];
}

export function asyncApiRoute(parts: AsyncApiParts, routes: () => readonly RouteSpec[]): RouteSpec {
  let text: string | undefined;
  return get('/asyncapi.json', {
    operation: 'asyncApi',
    summary: 'The WebSocket channels and the event streams as an AsyncAPI 3 document.',
    responses: ok('The document.', zJson),
    handle() {
      text ??= JSON.stringify(asyncApi(routes(), parts));
      return json(text);
    },
  });
}

export function asyncApi(routes: readonly RouteSpec[], { version, sockets }: AsyncApiParts): AsyncApi {
  const schemas = createSchemas('draft-7');
  const parts = { schemas, examples: createExamples(schemas.components) };
  const streams = routes.flatMap((spec) =>
    [...spec.responses.values()].flatMap(({ events }) => (events === undefined ? [] : [streamOf(spec, events, parts)])),
  );
  const described = [...sockets.map((spec) => socketOf(spec, parts)), ...streams];
  const { url, variables } = LOCAL_SERVER;
  const server = { host: url.replace(/^\w+:\/\//, ''), variables };
  return {
    asyncapi: '3.0.0',
    info: {
      title: SERVICE_NAME,
      version,
      description: 'What the daemon sends and receives as events.',
      license: { name: LICENSE.name },
    },
    defaultContentType: 'application/json',
    servers: { socket: { ...server, protocol: 'ws' }, http: { ...server, protocol: 'http' } },
    channels: Object.fromEntries(described.map(({ name, channel }) => [name, channel])),
    operations: Object.assign({}, ...described.map(({ operations }) => operations)),
    components: { securitySchemes: SECURITY_SCHEMES, schemas: schemas.components },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  'query-token': { type: 'httpApiKey', in: 'query', name: 'token' },
};

interface Described {
  readonly name: string;
  readonly channel: Channel;
  readonly operations: AsyncApi['operations'];
}

function socketOf(spec: SocketSpec, parts: Parts): Described {
  const name = `${spec.tag}.${spec.operation}`;
  const sent = framesOf(spec.toClient, parts);
  const received = framesOf(spec.fromClient, parts);
  const token = spec.auth === 'query-token' ? { token: z.string().describe('The bearer token.') } : {};
  const query = z.object({ ...token, ...spec.query.shape });
  const operations = {
    ...operationsOf(name, { action: 'send', auth: spec.auth, messages: prefixed('to', sent) }),
    ...operationsOf(name, { action: 'receive', auth: spec.auth, messages: prefixed('from', received) }),
  };
  const channel = {
    address: spec.path,
    summary: spec.summary,
    servers: [{ $ref: '#/servers/socket' }],
    ...parametersOf(spec.params),
    messages: { ...prefixed('to', sent), ...prefixed('from', received) },
    tags: [{ name: spec.tag }],
    bindings: { ws: { method: 'GET', query: parts.schemas.of(query, 'input'), bindingVersion: '0.1.0' } },
  };
  return { name, channel, operations };
}

function streamOf(spec: RouteSpec, { data, id, named = {}, end }: StreamSpec, parts: Parts): Described {
  const name = `${spec.tag}.${spec.operation}`;
  const payload = parts.schemas.of(data, 'output');
  const contentType = payload.type === 'string' ? 'text/plain' : 'application/json';
  const plain = { name: 'message', contentType, payload, examples: [{ payload: parts.examples(payload) }] };
  const messages: Record<string, JsonSchema> = { message: plain };
  for (const [event, summary] of Object.entries(named)) {
    messages[event] = { name: event, summary, contentType: 'text/plain', payload: { type: 'string' } };
  }
  const params = [...spec.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => [parameter!, ''] as const);
  const channel = {
    address: spec.path,
    summary: spec.summary,
    description: `Server-sent events of ${spec.method}. Id: ${id ?? 'none; it cannot be resumed.'} End: ${end}`,
    servers: [{ $ref: '#/servers/http' }],
    ...parametersOf(Object.fromEntries(params)),
    messages,
    tags: [{ name: spec.tag }],
    bindings: { http: {} },
  };
  return { name, channel, operations: operationsOf(name, { action: 'send', auth: spec.auth, messages }) };
}

function parametersOf(params: Readonly<Record<string, string>> = {}) {
  const all = Object.entries(params).map(([name, description]) => [name, description === '' ? {} : { description }]);
  return all.length === 0 ? {} : { parameters: Object.fromEntries(all) };
}

type Messages = Readonly<Record<string, JsonSchema>>;

function framesOf({ text, binary }: SocketSpec['toClient'], { schemas, examples }: Parts): Messages {
  const messages: Record<string, JsonSchema> = {};
  const variants = text instanceof z.ZodDiscriminatedUnion ? text.options : text === undefined ? [] : [text];
  for (const variant of variants as readonly z.ZodType[]) {
    const payload = schemas.of(variant, 'output');
    const example = examples(payload);
    const type = variants.length > 1 && typeof example === 'object' ? Object(example).type : 'message';
    messages[type] = { name: type, payload, examples: [{ payload: example }] };
  }
  if (binary !== undefined) {
    const payload = { type: 'string', format: 'binary' };
    messages.binary = { name: 'binary', summary: binary, contentType: 'application/octet-stream', payload };
  }
  return messages;
}

/** Adds the direction to the names of messages: they are unique in a channel, and both sides may use the same name. */
function prefixed(side: 'to' | 'from', messages: Messages): Messages {
  return Object.fromEntries(Object.entries(messages).map(([name, message]) => [`${side}_client_${name}`, message]));
}

interface Side {
  readonly action: 'send' | 'receive';
  readonly auth: RouteSpec['auth'];
  readonly messages: Messages;
}

function operationsOf(name: string, { action, auth, messages }: Side): AsyncApi['operations'] {
  const names = Object.keys(messages);
  if (names.length === 0) return {};
  const security = auth === 'public' ? {} : { security: [{ $ref: `#/components/securitySchemes/${auth}` }] };
  const channel = `#/channels/${name}`;
  return {
    [`${name}.${action}`]: {
      action,
      channel: { $ref: channel },
      messages: names.map((message) => ({ $ref: `${channel}/messages/${message}` })),
      ...security,
    },
  };
}
