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
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (request.routeOptions.config.spec?.rawBody === true) return done(null, body.toString('latin1'));
    if (!isUtf8(body)) return done(new HttpError(400, 'The body is not valid UTF-8.'));
    parse(request, body.toString('utf8'), (error: Error | null, value?: unknown) => {
      const fault = error === null ? faultOf(value) : 'The body is not valid JSON.';
      return fault === null ? done(null, value) : done(new HttpError(400, fault));
    });
  });
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
      for (const inner of Object.values(value)) below.push(inner);
    }
    level = below;
  }
  return null;
}

const HALF_CHARACTER = 'The body has half of a character: a surrogate without its other half.';
