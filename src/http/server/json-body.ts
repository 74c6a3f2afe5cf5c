/**
 * How bodies are read: as JSON whatever their content type says; an empty one is no body.
 *
 * - What is sent to no route is not looked at: the answer is about the path or the method.
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
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const { spec } = request.routeOptions.config;
    if (body.length === 0 || spec === undefined) return done(null, undefined);
    if (spec.rawBody === true) return done(null, body.toString('latin1'));
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
  const fault = faultOf(value);
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

function faultOf(body: unknown): string | null {
  let level: readonly unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string' && !value.isWellFormed()) return HALF_CHARACTER;
      if (typeof value === 'number' && !Number.isFinite(value)) return 'The body has a number that is too large.';
      if (typeof value !== 'object' || value === null) continue;
      if (depth === BODY_DEPTH_MAX) return `The body is nested deeper than ${BODY_DEPTH_MAX} levels.`;
      if (!Array.isArray(value) && !Object.keys(value).every((key) => key.isWellFormed())) return HALF_CHARACTER;
      if (reachesPrototypes(value)) return 'The body has a key that reaches into prototypes.';
      for (const inner of Object.values(value)) below.push(inner);
    }
    level = below;
  }
  return null;
}

function reachesPrototypes(value: object): boolean {
  if (Object.hasOwn(value, '__proto__')) return true;
  const made: unknown = Object.hasOwn(value, 'constructor') ? value.constructor : null;
  return typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype');
}

const HALF_CHARACTER = 'The body has half of a character: a surrogate without its other half.';
