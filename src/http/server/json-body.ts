/**
 * How bodies are read: as JSON whatever their content type says; an empty one is no body.
 *
 * - What passes can be written down again: valid UTF-8, no half characters, no number beyond all numbers, no keys that
 *   reach into prototypes, and not nested so deep that walking it could end the stack.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { HttpError } from './errors.ts';

/** Levels of lists and objects in a body. */
export const BODY_DEPTH_MAX = 128;

export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The usual type by its name: what only `*` fits is taken apart anew for every request.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (request.routeOptions.config.spec?.rawBody === true) return done(null, body.toString('latin1'));
    try {
      done(null, parsed(body));
    } catch (error) {
      done(error as HttpError);
    }
  });
}

function parsed(body: Buffer): unknown {
  if (!isUtf8(body)) throw new HttpError(400, 'The body is not valid UTF-8.');
  const value = jsonOf(body.toString('utf8').replace(/^\uFEFF/, ''));
  const fault = faultOf(value, 0);
  if (fault !== null) throw new HttpError(400, fault);
  return value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
}

/** Of a value at a depth, and of everything in it. */
function faultOf(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : HALF_CHARACTER;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'The body has a number that is too large.';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === BODY_DEPTH_MAX) return `The body is nested deeper than ${BODY_DEPTH_MAX} levels.`;
  if (Array.isArray(value)) {
    for (const inner of value) {
      const fault = faultOf(inner, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    const fault = keyFault(key, inner) ?? faultOf(inner, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

function keyFault(key: string, value: unknown): string | null {
  if (!key.isWellFormed()) return HALF_CHARACTER;
  const isWay =
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'));
  return isWay ? 'The body has a key that reaches into prototypes.' : null;
}

const HALF_CHARACTER = 'The body has half of a character: a surrogate without its other half.';
