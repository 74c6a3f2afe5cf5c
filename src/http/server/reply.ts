/** Answers and errors on their way out. */
import type { FastifyReply } from 'fastify';
import { type Answer, JSON_TYPE } from './answer.ts';
import { outgoing } from './errors.ts';
import { errorBody } from './headers.ts';
import type { RequestParts } from './keyed.ts';
import type { RouteSpec } from './route.ts';
import { sendSse } from './sse.ts';
import { lostMeanwhile } from './views-gate.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  announce(line: string): void;
}

export function deliver(reply: FastifyReply, parts: RequestParts, answer: Answer): void {
  const failed = (error: unknown): void => fail(reply, error);
  try {
    const lost = lostMeanwhile(parts);
    if (lost !== null) throw lost;
    send(reply, parts.spec, answer)?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** To the error handler, unless the answer is on its way: then nobody can be told. */
export function fail(reply: FastifyReply, error: unknown): void {
  if (!reply.sent) reply.send(error instanceof Error ? error : new Error(String(error)));
}

/** Only a stream takes its time. */
export function send(reply: FastifyReply, spec: RouteSpec, answer: Answer): Promise<void> | undefined {
  switch (answer.kind) {
    case 'value': {
      const schema = spec.responses[answer.status]?.schema;
      reply.code(answer.status).header('content-type', JSON_TYPE);
      reply.send(JSON.stringify(schema === undefined ? answer.value : schema.parse(answer.value)));
      return undefined;
    }
    case 'text':
      if (answer.headers !== undefined) reply.headers(answer.headers);
      reply.code(answer.status).header('content-type', answer.type).send(answer.text);
      return undefined;
    case 'bytes':
      if (answer.headers !== undefined) reply.headers(answer.headers);
      reply.code(answer.status).header('content-type', answer.type).send(answer.bytes);
      return undefined;
    case 'empty':
      reply.code(answer.status).send();
      return undefined;
    case 'sse':
      return sendSse(reply, answer.source);
  }
}

export function sendError(deps: Dependencies, reply: FastifyReply, error: unknown): FastifyReply {
  const { status, message, headers, internal } = outgoing(error);
  if (internal !== null) deps.announce(`error: ${internal}`);
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return reply;
  }
  return reply
    .code(status)
    .headers({ 'content-type': JSON_TYPE, ...headers })
    .send(errorBody(message, headers));
}
