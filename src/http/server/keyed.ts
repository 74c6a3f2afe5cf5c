/** Binds the commands of a handler to its caller and, with an `Idempotency-Key`, the request to one answer. */

import type { FastifyRequest } from 'fastify';
import { idempotentRequest, type RequestCommand } from '../../commands/request.ts';
import type { RequestEvent } from '../../events/request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { batchCommand } from '../../streams/command-handler.ts';
import type { Answer } from './answer.ts';
import { HttpError, outgoing } from './errors.ts';
import { bodyHash, firstAnswer, type Keyed, keyedRequest } from './idempotency.ts';
import type { Call, RouteSpec } from './route.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  viewsUnavailable(): string | null;
  readonly dispatcher: CommandHandler;
}

export interface RequestParts {
  readonly deps: Dependencies;
  readonly spec: RouteSpec;
  readonly request: FastifyRequest;
}

/** What a handler may do on its caller's behalf. */
export type Commands = Pick<Call, 'dispatch' | 'remember' | 'origin'>;

type Work = (commands: Commands) => Answer | Promise<Answer>;
type Send = (answer: Answer) => Promise<void> | undefined;

export interface KeyedRequests {
  /** For a request of which `hasKey` is true. */
  answer(parts: RequestParts, work: Work, send: Send): Promise<void>;
}

const SECRET_ANSWERS_MAX = 1_000;

export function createKeyedRequests(log: EventLog): KeyedRequests {
  const turns = new Map<string, Promise<void>>();
  const secrets = new Map<string, { readonly body: string; readonly answer: Answer }>();

  async function answerKeyed(parts: RequestParts, keyed: Keyed, work: Work, send: Send): Promise<void> {
    const secret = secrets.get(keyed.stream);
    if (secret !== undefined && secret.body !== bodyHash(parts.request.body)) {
      throw new HttpError(409, 'This Idempotency-Key was used with another body.');
    }
    const first = secret?.answer ?? firstAnswer(log, keyed, parts.request.body);
    if (first !== null) {
      await send(first);
      return;
    }
    const binding = parts.spec.secretAnswer === true ? commandsOf(parts) : bind(parts, keyed);
    const answer = await settle(work, binding);
    if (parts.spec.secretAnswer === true && answer.kind === 'value' && answer.status < 300) {
      if (secrets.size >= SECRET_ANSWERS_MAX) secrets.delete(secrets.keys().next().value!);
      secrets.set(keyed.stream, { body: bodyHash(parts.request.body), answer });
    } else await binding.remember(answer);
    await send(answer);
  }

  return {
    async answer(parts, work, send) {
      const { url, body, headers } = parts.request;
      const key = headers['idempotency-key'] as string;
      const keyed = keyedRequest({ method: 'POST', url, key, body, seal: () => parts.spec.answerSeal });
      const before = turns.get(keyed.stream) ?? Promise.resolve();
      const mine = before.catch(() => undefined).then(() => answerKeyed(parts, keyed, work, send));
      turns.set(keyed.stream, mine);
      try {
        await mine;
      } finally {
        if (turns.get(keyed.stream) === mine) turns.delete(keyed.stream);
      }
    },
  };
}

export function hasKey({ spec, request }: RequestParts): boolean {
  return spec.method === 'POST' && typeof request.headers['idempotency-key'] === 'string';
}

/** Of a request whose answer is not recorded. */
export function commandsOf({ deps, request }: RequestParts): Commands {
  const origin = { actor: 'owner', correlation: request.id };
  return {
    origin,
    dispatch(decider, id, command, how) {
      const options = typeof how === 'object' ? { origin, policy: how.policy, lockKey: how.lockKey } : { origin };
      return deps.dispatcher.dispatch(decider, id, command, options);
    },
    remember: () => DONE,
  };
}

const DONE = Promise.resolve();

/** A refusal is an answer too: a repeat must hear the same. */
async function settle(work: Work, binding: Commands): Promise<Answer> {
  try {
    return await work(binding);
  } catch (error) {
    const { status, message } = outgoing(error);
    if (status >= 500) throw error;
    await binding.remember({ kind: 'value', status, value: { error: message } });
    throw error;
  }
}

function bind({ deps, request }: RequestParts, keyed: Keyed): Commands {
  const origin = { actor: 'owner', correlation: request.id };
  let recorded = false;
  return {
    origin,
    async dispatch(decider, id, command, how = {}) {
      const { answer, ...more } = typeof how === 'function' ? { answer: how } : how;
      const options = { origin, ...more };
      if (answer === undefined || recorded) return deps.dispatcher.dispatch(decider, id, command, options);
      const done = await deps.dispatcher.dispatch(decider, id, command, {
        ...options,
        answer: (state) => {
          const event = keyed.record(answer(state));
          return event === null ? null : batchCommand(idempotentRequest, keyed.id, recordOf(event));
        },
      });
      recorded = true;
      return done;
    },
    async remember(answer) {
      const event = recorded ? null : keyed.record(answer);
      if (event === null) return;
      recorded = true;
      await deps.dispatcher.dispatch(idempotentRequest, keyed.id, recordOf(event), { origin });
    },
  };
}

function recordOf({ data }: RequestEvent): RequestCommand {
  return { type: 'RecordAnswer', answer: data };
}
