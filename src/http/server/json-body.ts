/**
 * How bodies are read: as JSON whatever their content type says; an empty one is no body.
 *
 * - What passes can be written down again: valid UTF-8, no half characters, no number beyond all numbers, no keys that
 *   reach into prototypes, and not nested so deep that walking it could end the stack.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { HttpError } from './errors.ts';
import type { RouteSpec } from './route.ts';
import type { WholeRequest } from './whole-request.ts';

const BODY_BYTES_MAX = 1_048_576;

/** RFC 9110 §8.3.1: two tokens with a slash between them, and any parameters. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^\x60|~-]+\/[\w!#$%&'*+.^\x60|~-]+\s*(?:;|$)/;
const BYTE_ORDER_MARK = 0xfeff;
/** Levels of lists and objects in a body. */
export const BODY_DEPTH_MAX = 128;

/**
 * Reads the body, if there is one, into `request.body`; that of a GET means nothing and is left. In the turn in which
 * the request came in, and so without the content type parsers of fastify, which would come before the handler and cost
 * more than the parsing.
 */
export function readBody(request: FastifyRequest, spec: RouteSpec, then: (error: HttpError | null) => void): void {
  const { headers } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!hasBody || spec.method === 'GET') {
    then(null);
    return;
  }
  (request.raw as WholeRequest).takeBody(spec.bodyBytesMax ?? BODY_BYTES_MAX, (error, body) => {
    let fault = error;
    try {
      if (error === null) request.body = bodyOf(headers, body, spec);
    } catch (error) {
      fault = error as HttpError;
    }
    then(fault);
  });
}

function bodyOf(headers: IncomingHttpHeaders, body: Buffer, spec: RouteSpec): unknown {
  const type = headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) throw new HttpError(400, 'The Content-Type cannot be read.');
  if (body.length === 0) return undefined;
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') throw encoded(coding);
  return spec.rawBody === true ? body.toString('latin1') : jsonBody(body);
}

function encoded(coding: string): HttpError {
  return new HttpError(415, `Content-Encoding ${sanitiseEcho(coding)} is not read; send the body as it is.`);
}

/** The value of a body that is JSON whatever its type says. Throws 400. */
export function jsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw new HttpError(400, 'The body is not valid UTF-8.');
  const text = body.toString('utf8');
  const value = jsonOf(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  const fault = faultOf(value, 0);
  if (fault === null) return value;
  const at = sanitiseEcho(fault.at);
  throw new HttpError(400, `The body has ${fault.what}${at === '' ? '' : ` at ${at}`}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
}

/** What a body cannot hold, and where in it. */
interface Fault {
  readonly what: string;
  readonly at: string;
}

/** Of a value at a depth, and of everything in it. */
function faultOf(value: unknown, depth: number): Fault | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : here(HALF_CHARACTER);
  if (typeof value === 'number') return Number.isFinite(value) ? null : here('a number that is too large');
  if (typeof value !== 'object' || value === null) return null;
  if (depth === BODY_DEPTH_MAX) return here(`lists or objects nested deeper than ${BODY_DEPTH_MAX} levels`);
  return Array.isArray(value) ? faultInArray(value, depth) : faultInObject(value as Record<string, unknown>, depth);
}

function faultInArray(values: readonly unknown[], depth: number): Fault | null {
  for (let index = 0; index < values.length; index += 1) {
    const fault = faultOf(values[index], depth + 1);
    if (fault !== null) return under(String(index), fault);
  }
  return null;
}

function faultInObject(object: Readonly<Record<string, unknown>>, depth: number): Fault | null {
  for (const key of Object.keys(object)) {
    const inner = object[key];
    const fault = keyFault(key, inner) ?? faultOf(inner, depth + 1);
    if (fault !== null) return under(key, fault);
  }
  return null;
}

function keyFault(key: string, value: unknown): Fault | null {
  if (!key.isWellFormed()) return here(HALF_CHARACTER);
  const isWay =
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'));
  return isWay ? here('a key that reaches into prototypes') : null;
}

function here(what: string): Fault {
  return { what, at: '' };
}

function under(step: string, { what, at }: Fault): Fault {
  return { what, at: at === '' ? step : `${step}.${at}` };
}

const HALF_CHARACTER = 'half of a character, a surrogate without its other half';
