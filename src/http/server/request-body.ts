/**
 * Reads request bodies: one content type parser for every type, since a body is JSON whatever its type; an empty body
 * counts as no body.
 *
 * - A JSON body must be safe to store and to walk: valid UTF-8, no lone surrogates, no infinite numbers, no keys that
 *   reach into prototypes, no nesting that could overflow the stack.
 * - After a refusal the rest of the body is read and dropped, so that a caller that is still sending can read the
 *   answer and the connection stays usable.
 */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { withoutByteOrderMark } from '../../lib/json-text.ts';
import { HttpError } from './errors.ts';

/** The limit of a body unless its route sets another. */
export const BODY_BYTES_MAX = 1_048_576;
const BODY_DEPTH_MAX = 128;
/** The body of a route with `rawBody`; without one there are no bytes. */
export const zBytes = z.instanceof(Buffer).default(Buffer.alloc(0));
/** Values of Content-Encoding that say that the body is as it is; an empty one lists no coding. */
const PLAIN_CODINGS: ReadonlySet<string> = new Set(['', 'identity']);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets the bytes of the body instead of a JSON value. */
    rawBody?: boolean;
  }
}

/**
 * Adds the parser to a scope. The scope of unknown paths does not have it, so that these are 404 whatever the body is.
 *
 * Fastify closes the connection after an error of a parser. Therefore the parser returns its error, and a hook throws
 * it.
 */
export function parseBodies(scope: FastifyInstance): void {
  // Fastify parses the Content-Type of each request for which only `*` has a parser.
  scope.addContentTypeParser(['application/json', '*'], (request: FastifyRequest, payload: Readable) =>
    parseBody(request, payload).catch((error: unknown) => new BodyError(error)),
  );
  scope.addHook('preValidation', ({ body }, _reply, done) => {
    if (body instanceof BodyError) throw body.error;
    done();
  });
}

class BodyError {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

async function parseBody(request: FastifyRequest, payload: Readable): Promise<unknown> {
  const { bodyLimit = BODY_BYTES_MAX, config } = request.routeOptions;
  const body = await readBody(payload, { bytesMax: bodyLimit, announced: request.headers['content-length'] });
  if (body.length === 0) return undefined;
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && !PLAIN_CODINGS.has(coding.toLowerCase())) throw unsupportedCoding(coding);
  return config.rawBody === true ? body : jsonBody(body);
}

interface BodyLimit {
  readonly bytesMax: number;
  /** The `Content-Length` header. */
  readonly announced: string | undefined;
}

/**
 * The bytes of a body. Rejects with 413 beyond the limit and with 400 when the caller disconnects. Chunks are copied
 * into one buffer, because a megabyte in chunks of one byte would take half a gigabyte as a list of chunks.
 */
export function readBody(payload: Readable, { bytesMax, announced }: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let buffer: Buffer = Buffer.alloc(0);
    // Node ends the stream of a request without a body before a listener can be added.
    if (payload.readableEnded) {
      resolve(buffer);
      return;
    }
    let bytes = 0;
    const refuse = (): void => {
      payload.off('data', add).resume();
      reject(new HttpError(413, 'The request body is too large.'));
    };
    const add = (chunk: Buffer): void => {
      if (bytes + chunk.length > bytesMax) refuse();
      else {
        buffer = bytes === 0 ? chunk : append(chunk, buffer, { at: bytes, bytesMax, announced });
        bytes += chunk.length;
      }
    };
    const fail = (): void => {
      if (!payload.readableEnded) reject(new HttpError(400, 'The body did not arrive whole.'));
    };
    payload.on('error', fail).on('close', fail);
    payload.on('end', () => resolve(buffer.subarray(0, bytes)));
    if (Number(announced) > bytesMax) refuse();
    else payload.on('data', add);
  });
}

/**
 * The buffer, or a larger one, with the chunk at `at`. The system gives the memory of a new buffer as it is written, so
 * an announced length costs nothing until it arrives.
 */
function append(
  chunk: Buffer,
  buffer: Buffer,
  { at, bytesMax, announced }: BodyLimit & { readonly at: number },
): Buffer {
  const end = at + chunk.length;
  const size = Math.min(Math.max(Number(announced) || 2 * end, end), bytesMax);
  const room = end <= buffer.length ? buffer : Buffer.alloc(size);
  if (room !== buffer) buffer.copy(room, 0, 0, at);
  chunk.copy(room, at);
  return room;
}

function unsupportedCoding(coding: string): HttpError {
  return new HttpError(415, `Content-Encoding ${sanitiseEcho(coding)} is not read; send the body as it is.`);
}

/** The value of a JSON body. Throws 400. */
export function jsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw new HttpError(400, 'The body is not valid UTF-8.');
  const value = parseJson(withoutByteOrderMark(body.toString('utf8')));
  const fault = findFault(value, 0);
  if (fault === null) return value;
  const at = sanitiseEcho(fault.at);
  throw new HttpError(400, `The body has ${fault.what}${at === '' ? '' : ` at ${at}`}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
}

interface Fault {
  readonly what: string;
  readonly at: string;
}

/** The first fault of a value that lies `depth` levels deep. */
function findFault(value: unknown, depth: number): Fault | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : { what: HALF_CHARACTER, at: '' };
  if (typeof value === 'number') return Number.isFinite(value) ? null : { what: 'a number that is too large', at: '' };
  if (typeof value !== 'object' || value === null) return null;
  if (depth === BODY_DEPTH_MAX) {
    return { what: `lists or objects nested deeper than ${BODY_DEPTH_MAX} levels`, at: '' };
  }
  for (const key of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    const fault = findKeyFault(key, inner) ?? findFault(inner, depth + 1);
    if (fault !== null) return { what: fault.what, at: fault.at === '' ? key : `${key}.${fault.at}` };
  }
  return null;
}

function findKeyFault(key: string, value: unknown): Fault | null {
  if (!key.isWellFormed()) return { what: HALF_CHARACTER, at: '' };
  const reachesPrototype =
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'));
  return reachesPrototype ? { what: 'a key that reaches into prototypes', at: '' } : null;
}

const HALF_CHARACTER = 'half of a character, a surrogate without its other half';
