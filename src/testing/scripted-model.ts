/**
 * A language model with scripted answers: one entry of its script for each call, in order. It replaces all providers of
 * a daemon.
 */
import type { Json } from '../events/envelope.ts';
import { sleep, type Timers } from '../lib/timers.ts';
import {
  type FinishReason,
  ModelError,
  type ModelErrorKind,
  type ModelFrame,
  type ModelRequest,
  type ModelsPort,
} from '../ports/models.ts';
import { type Duration, milliseconds } from './clock.ts';

export interface ScriptedToolCall {
  readonly name: string;
  readonly input?: Json;
}

/** An answer of the model; a plain string is short for `{ text }`. */
export interface ScriptedSpeech {
  /** One piece, or a list of pieces. */
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  readonly tools?: readonly ScriptedToolCall[];
  /** The delay before each piece, on the clock of the daemon. */
  readonly every?: Duration;
  /** Default: `tool_calls` with tools, else `stop`. */
  readonly finish?: FinishReason;
  /** The connection breaks after the answer. */
  readonly then?: ScriptedFailure;
}

export interface ScriptedFailure {
  /** `transient` failures are retried by the daemon. */
  readonly error: ModelErrorKind;
  readonly message?: string;
  readonly status?: number;
  readonly retryAfter?: Duration;
}

/** Sends nothing until the daemon gives up. */
export interface ScriptedSilence {
  readonly silence: true;
}

export type ScriptedAnswer = string | ScriptedSpeech | ScriptedFailure | ScriptedSilence;
export type ScriptEntry = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

export interface ScriptedModel {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** The number of unused entries. */
  readonly left: number;
  /** Adds entries at the end of the script. */
  add(...entries: readonly ScriptEntry[]): void;
  /** For the daemon: the model as a port. The script continues where it is, also after a restart. */
  connect(timers: Timers): ModelsPort;
}

const CHOICE = { provider: 'scripted', model: 'scripted-1' } as const;

/** A call beyond the script fails permanently, with a message that says so. */
export function scriptedModel(script: readonly ScriptEntry[] = []): ScriptedModel {
  const entries = [...script];
  const requests: ModelRequest[] = [];
  const answerTo = (request: ModelRequest): ScriptedAnswer => {
    requests.push(request);
    const entry = entries.shift();
    if (entry === undefined)
      return { error: 'fatal', message: `The script has no answer for call ${requests.length}.` };
    return typeof entry === 'function' ? entry(request) : entry;
  };
  return {
    requests,
    get left() {
      return entries.length;
    },
    add: (...more) => void entries.push(...more),
    connect: (timers) => ({
      configured: CHOICE,
      choose: () => CHOICE,
      configuredProviders: () => [CHOICE.provider],
      catalogue: async () => [{ id: CHOICE.model, provider: CHOICE.provider, active: true }],
      stream: (request, signal) => frames(answerTo(request), { timers, signal, call: requests.length }),
    }),
  };
}

interface Call {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** The number of the call, from 1; it makes the ids of tool calls unique. */
  readonly call: number;
}

async function* frames(answer: ScriptedAnswer, { timers, signal, call }: Call): AsyncGenerator<ModelFrame> {
  signal.throwIfAborted();
  if (typeof answer === 'string') return yield* frames({ text: answer }, { timers, signal, call });
  if ('silence' in answer) return await untilAborted(signal);
  if ('error' in answer) throw failure(answer);
  for (const frame of piecesOf(answer, call)) {
    if (answer.every !== undefined) await sleep(timers, milliseconds(answer.every), signal);
    yield frame;
  }
  if (answer.then !== undefined) throw failure(answer.then);
  const reason = answer.finish ?? ((answer.tools?.length ?? 0) > 0 ? 'tool_calls' : 'stop');
  yield { type: 'finish', reason, usage: { input_tokens: null, output_tokens: null } };
}

function piecesOf({ text = [], reasoning, tools = [] }: ScriptedSpeech, call: number): readonly ModelFrame[] {
  const texts = typeof text === 'string' ? [text] : text;
  const thought: ModelFrame[] =
    reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning, signature: null }];
  const spoken = texts.map((piece): ModelFrame => ({ type: 'text', text: piece }));
  const called = tools.map(({ name, input = {} }, index): ModelFrame => {
    return { type: 'tool_call', call: { id: `call-${call}-${index + 1}`, name, input } };
  });
  return [...thought, ...spoken, ...called];
}

function failure({ error, message = 'The script says that the call fails.', status, retryAfter }: ScriptedFailure) {
  const retryAfterMs = retryAfter === undefined ? null : milliseconds(retryAfter);
  return new ModelError(error, message, { status: status ?? null, retryAfterMs });
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
