/**
 * How a route is declared: one zod schema per part, used four times: as its type, as the check at the door, as the
 * filter on the way out and as its page in the OpenAPI document.
 */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Decider, Together } from '../../commands/decider.ts';
import type { Dispatched, Origin } from '../../streams/dispatch.ts';
import type { Answer } from './answer.ts';
import type { AuthClass } from './auth-guard.ts';
import type { AnswerSeal } from './idempotency.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ResponseSpec {
  readonly description: string;
  /** Absent for bodies that are not JSON. */
  readonly schema?: z.ZodType;
  readonly type?: string;
}

export interface RouteSpec<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** Path with parameters in braces, as the contract writes it: `/jobs/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly auth: AuthClass;
  readonly params?: Params;
  readonly query?: Query;
  /** Absent: a body is ignored. A schema that accepts undefined makes the body optional. */
  readonly body?: Body;
  readonly bodyBytesMax?: number;
  /** The body is not read as JSON: the handler gets its bytes, one character each (latin1), or undefined for none. */
  readonly rawBody?: true;
  /** What a raw body may be, for its page in the OpenAPI document: JSON of a shape, or bytes of some types. */
  readonly rawContent?: { readonly json: z.ZodType; readonly bytes: readonly string[] };
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Served also while the views are rebuilt. */
  readonly withoutViews?: boolean;
  /** The answer holds a secret: it is kept in memory for an idempotent repeat, never in the log. */
  readonly secretAnswer?: boolean;
  /** Set while the answer holds texts that are encrypted at rest: how it is kept for an idempotent repeat. */
  readonly answerSeal?: AnswerSeal | undefined;
  /** Judges a credential that only the whole request shows; throws before anything of it is looked at or kept. */
  admit?(call: { readonly body: z.infer<Body>; readonly request: FastifyRequest }): void;
  handle(call: Call<z.infer<Params>, z.infer<Query>, z.infer<Body>>): Answer | Promise<Answer>;
}

type AnyEvent = { readonly type: string; readonly data: unknown };

export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly origin: Origin;
  /** The caller's address. */
  readonly peer: string;
  /**
   * Sends a command on the caller's behalf. `answer` computes this request's answer from the state the command leads
   * to; with an `Idempotency-Key` it is recorded in the same commit. Throws `Refused`.
   */
  dispatch<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
    answer?: ((state: State) => Answer) | CommandOptions<State>,
  ): Promise<Dispatched<State>>;
  /** Records what an idempotent repeat of this request gets, for answers that are known only at their end. */
  remember(answer: Answer): Promise<void>;
}

/** What else one commit does: see `DispatchOptions`. */
export interface CommandOptions<State> {
  readonly answer?: (state: State) => Answer;
  readonly together?: Together<State>;
  readonly turn?: string;
}

/** Declares a route; the types of its handler follow from its schemas. */
export function route<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  spec: RouteSpec<Params, Query, Body>,
): RouteSpec {
  return spec as unknown as RouteSpec;
}
