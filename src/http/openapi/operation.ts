/** An operation of the OpenAPI document, generated from the declaration of its route. */
import { z } from 'zod';
import { zError } from '../server/errors.ts';
import { isKeyed } from '../server/idempotency.ts';
import { zCursor } from '../server/query-params.ts';
import type { ResponseSpec, RouteSpec } from '../server/route.ts';
import type { Examples } from './examples.ts';
import { meaningInPath } from './meanings.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

const JSON_TYPE = 'application/json';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  /** Present where the parameter is required. */
  readonly example?: unknown;
}

export interface Content {
  readonly [type: string]: MediaType;
}

interface MediaType {
  readonly schema: JsonSchema;
  /** Absent where bytes are sent. */
  readonly example?: unknown;
  readonly 'x-events'?: EventsOfStream;
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
  readonly responses: { readonly [status: string]: DocumentedResponse };
}

interface DocumentedResponse {
  readonly description: string;
  /** By name: a header, or a reference to a shared one. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly content?: Content;
}

export interface Parts {
  readonly schemas: Schemas;
  readonly examples: Examples;
}

export function operation(spec: RouteSpec, parts: Parts): Operation {
  return {
    operationId: `${spec.tag}.${spec.operation}`,
    summary: spec.summary,
    tags: [spec.tag],
    security: needsCredential(spec) ? [{ [spec.auth]: [] }] : [],
    'x-auth': spec.auth,
    parameters: [...pathParameters(spec, parts), ...parameters(spec.query, 'query', parts), ...headers(spec, parts)],
    ...(spec.body === undefined ? {} : { requestBody: requestBody(spec, spec.body, parts) }),
    responses: responses(spec, parts),
  };
}

function parameters(schema: z.ZodType | undefined, where: Parameter['in'], parts: Parts): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = parts.schemas.of(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, inner]) => {
    const { description, ...own } = withoutNull(inner);
    const isRequired = where === 'path' || required.includes(name);
    return {
      name,
      in: where,
      required: isRequired,
      ...(typeof description === 'string' && { description }),
      schema: own,
      ...(isRequired && { example: parts.examples(own, name) }),
    };
  });
}

function pathParameters({ path, params }: RouteSpec, parts: Parts): Parameter[] {
  return parameters(params, 'path', parts).map((each) => {
    const description = each.description ?? meaningInPath(path, each.name);
    return { ...each, ...(description !== undefined && { description }) };
  });
}

/** The schema without null, which a URL cannot hold. */
function withoutNull({ anyOf, type, ...rest }: JsonSchema): JsonSchema {
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== 'null');
    return { ...rest, type: types.length === 1 ? types[0] : types };
  }
  if (!Array.isArray(anyOf)) return { ...rest, ...(type !== undefined && { type }) };
  const variants = (anyOf as readonly JsonSchema[]).filter((each) => each.type !== 'null');
  return variants.length === 1 ? { ...variants[0], ...rest } : { ...rest, anyOf: variants };
}

const zIdempotencyKey = z
  .string()
  .optional()
  .describe('The same key, path, query and body get the first answer again.');
const zMinPosition = zCursor
  .optional()
  .describe('Answered once this daemon has folded the position: that of a write at any daemon of the log.');
const zLastEventId = z.string().optional().describe('Goes on after the event with this id.');

function headers(spec: RouteSpec, parts: Parts): Parameter[] {
  const resumes = spec.method === 'GET' && [...spec.responses.values()].some(({ events }) => events?.id !== undefined);
  const all = {
    ...spec.headers,
    ...(isKeyed(spec) && { 'Idempotency-Key': zIdempotencyKey }),
    ...(needsCredential(spec) && { 'Daybook-Min-Position': zMinPosition }),
    ...(resumes && { 'Last-Event-ID': zLastEventId }),
  };
  return parameters(z.object(all), 'header', parts);
}

function requestBody({ rawBody }: RouteSpec, body: z.ZodType, { schemas, examples }: Parts) {
  const required = rawBody === undefined ? !body.safeParse(undefined).success : rawBody.isOptional !== true;
  const json = rawBody === undefined ? body : rawBody.json;
  const schema = json && schemas.of(json, 'input');
  const others = Object.fromEntries((rawBody?.types ?? []).map((type) => [type, textOrBytes(type)]));
  return { required, content: { ...(schema && { [JSON_TYPE]: { schema, example: examples(schema) } }), ...others } };
}

function needsCredential({ auth }: RouteSpec): boolean {
  return auth !== 'public' && auth !== 'asset';
}

/** The description of an error status for routes that declare none of their own. */
export const COMMON_ERRORS = {
  malformed: 'A part of the request is malformed.',
  credential: 'Missing or invalid credential.',
  foreign: 'Foreign Host, Origin or site.',
  keyUsed: 'The Idempotency-Key was used with another body.',
  tooLarge: 'The body is too large.',
  encoded: 'The body has a Content-Encoding.',
  tooMany: 'Too many requests; Retry-After says how long to wait.',
  notReady: 'The daemon starts, stops or rebuilds its views; Retry-After says when to ask again.',
};

/** The responses that the route declares, and those of the auth guard, validation and idempotency in front of it. */
function responses(spec: RouteSpec, parts: Parts): Operation['responses'] {
  const readsBody = spec.method !== 'GET';
  const common = {
    400: COMMON_ERRORS.malformed,
    ...(needsCredential(spec) && spec.auth !== 'signature' && { 401: COMMON_ERRORS.credential }),
    403: COMMON_ERRORS.foreign,
    ...(isKeyed(spec) ? { 409: COMMON_ERRORS.keyUsed } : {}),
    ...(readsBody ? { 413: COMMON_ERRORS.tooLarge, 415: COMMON_ERRORS.encoded } : {}),
    429: COMMON_ERRORS.tooMany,
    503: COMMON_ERRORS.notReady,
  };
  const errors = Object.entries(common).map(([status, description]): [number, ResponseSpec] => [
    Number(status),
    { description, schema: zError },
  ]);
  const all: Record<string, Operation['responses'][string]> = {};
  for (const [status, response] of [...errors, ...spec.responses]) {
    const isError = status >= 400;
    const content = contentOf({ ...response, isError }, parts);
    const headers = responseHeaders(spec, status, response);
    all[status] = {
      description: response.description,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(content !== null && { content }),
    };
  }
  return all;
}

type Headers = NonNullable<DocumentedResponse['headers']>;

function responseHeaders(spec: RouteSpec, status: number, { headers = {} }: ResponseSpec): Headers {
  const own = Object.entries(headers).map(([name, description]) => [name, { description, schema: TEXT }]);
  return {
    ...(needsCredential(spec) && status < 300 && shared('Daybook-Position')),
    ...((status === 429 || status === 503) && shared('Retry-After')),
    ...Object.fromEntries(own),
  };
}

/** The headers that many answers have: `components/headers` of the document. */
export const SHARED_HEADERS = {
  'Daybook-Position': {
    description:
      'Of a mutation: a position that covers its events. Of a GET: up to which the views here had the log; of a route ' +
      'that reads no views, such as those of the log: the head of the log.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'Seconds after which the request may be sent again. A 429 has it, and a 503 if time may help.',
    schema: { type: 'integer', minimum: 1 },
  },
};

function shared(name: keyof typeof SHARED_HEADERS): Headers {
  return { [name]: { $ref: `#/components/headers/${name}` } };
}

const TEXT = { type: 'string' };

/** What texts in other formats begin with; a type that is not here has bytes. */
const TEXTS: Readonly<Record<string, string>> = {
  'text/html': '<!doctype html>',
  'text/markdown': '# Scorecard',
  'text/plain': 'daybook.local/0123456789abcdef\n42\n',
  'text/x.tlog.size': '42\n',
  'text/css': 'body { margin: 0 }',
  'text/javascript': 'const $ = (id) => document.getElementById(id);',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"/>',
};

function contentOf({ forms = {}, ...main }: Body, parts: Parts): Content | null {
  const { schemas, examples } = parts;
  const others = Object.entries(forms).map(([type, form]) => {
    const schema = schemas.of(form, 'output');
    return [type, { schema, example: examples(schema) }] as const;
  });
  const content = mainContent(main, parts);
  return content && { ...content, ...Object.fromEntries(others) };
}

type Body = ResponseSpec & { readonly isError: boolean };

function mainContent(
  { schema, type, events, description, isError }: Body,
  { schemas, examples }: Parts,
): Content | null {
  if (schema !== undefined) {
    const own = schemas.of(schema, 'output');
    const example = examples(own);
    const isSentence = isError && typeof Object(example).error === 'string';
    return { [JSON_TYPE]: { schema: own, example: isSentence ? { ...Object(example), error: description } : example } };
  }
  if (type === undefined) return null;
  if (events !== undefined) {
    const { data, named = {}, ...rest } = events;
    const own = schemas.of(data, 'output');
    return { [type]: { schema: own, example: examples(own), 'x-events': { ...rest, named } } };
  }
  return { [type]: textOrBytes(type) };
}

function textOrBytes(type: string): MediaType {
  const text = TEXTS[type];
  return text === undefined ? { schema: { type: 'string', format: 'binary' } } : { schema: TEXT, example: text };
}
