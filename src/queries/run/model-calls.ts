/** Model calls: a question as a request, frames with a stall limit, and retries. */
import { BACKOFF_MS_MAX, backoffMs } from '../../commands/run/rules.ts';
import type { HarnessSettings } from '../../events/harness.ts';
import { sleep, type Timers } from '../../lib/timers.ts';
import {
  type ModelChoice,
  ModelError,
  type ModelFrame,
  type ModelRequest,
  type ModelsPort,
} from '../../ports/models.ts';
import type { Views } from '../../projections/views.ts';

const CALLS_MAX = 3;

/** What a call of a model outside of a run needs. */
export interface ModelCallDependencies {
  readonly config: { readonly model_stall_seconds: number };
  readonly timers: Timers;
  random(): number;
  readonly views: Views;
  readonly models: Pick<ModelsPort, 'choose' | 'stream'>;
}

/** What a reactor needs that calls models. */
export interface ModelReactorParts {
  readonly models: ModelsPort;
  readonly timers: Timers;
  /** A number from 0 (included) to 1 (excluded), for jitter. */
  random(): number;
  /** The effective harness settings of a provider and model. */
  readonly settings: (provider: string, model: string) => HarnessSettings;
  /** Milliseconds without a frame after which a call has failed. */
  readonly stallMs: number;
}

export interface StallLimit {
  /** Milliseconds. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  readonly timers: Timers;
}

/**
 * Yields the frames of one model call. Throws a transient `ModelError` when no frame comes for `stallMs`.
 *
 * - Keep-alives are not frames. The time that the caller takes with a frame does not count.
 * - `stream` gets a signal that aborts with `signal`, or when the model stalls.
 */
export async function* framesWithin(
  { stallMs, signal, timers }: StallLimit,
  stream: (signal: AbortSignal) => AsyncIterable<ModelFrame>,
): AsyncGenerator<ModelFrame> {
  const stall = new AbortController();
  const giveUp = (): void => stall.abort(new Error('The model stalled.'));
  let cancel = timers.after(stallMs, giveUp);
  try {
    for await (const frame of stream(AbortSignal.any([signal, stall.signal]))) {
      cancel();
      yield frame;
      cancel = timers.after(stallMs, giveUp);
    }
  } catch (error) {
    if (!stall.signal.aborted) throw error;
    throw new ModelError('transient', `The model sent nothing for ${Math.round(stallMs / 1000)} seconds.`);
  } finally {
    cancel();
  }
}

/**
 * The result of `call`, which is retried after transient failures, up to `CALLS_MAX` calls in all. A provider that asks
 * for a longer wait than `BACKOFF_MS_MAX` is not asked again.
 */
export async function retried<Result>(
  { random, signal, timers }: { readonly signal: AbortSignal; readonly timers: Timers; random(): number },
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isWorthAnother(error) || attempt + 1 >= CALLS_MAX || signal.aborted) throw error;
      await sleep(timers, backoffMs(attempt, random(), error.retryAfterMs), signal);
    }
  }
}

function isWorthAnother(error: unknown): error is ModelError {
  if (!(error instanceof ModelError) || error.kind !== 'transient') return false;
  return error.retryAfterMs === null || error.retryAfterMs <= BACKOFF_MS_MAX;
}

/**
 * The whole text of a call. Throws a fatal `ModelError` when it has more than `charactersMax` characters, or when the
 * model or its provider cut it off.
 */
export async function textOf(frames: AsyncIterable<ModelFrame>, charactersMax: number): Promise<string> {
  let text = '';
  for await (const frame of frames) {
    if (frame.type === 'text') text += frame.text;
    if (text.length > charactersMax) throw new ModelError('fatal', 'The model’s answer is too long.');
    if (frame.type === 'finish' && (frame.reason === 'length' || frame.reason === 'content_filter')) {
      throw new ModelError('fatal', 'The model’s answer was cut off.');
    }
  }
  return text;
}

/** One question, without tools. */
export function questionRequest(
  { provider, model }: ModelChoice,
  settings: HarnessSettings,
  { system: prompt, question }: { readonly system: string; readonly question: string },
): ModelRequest {
  const suffix = settings.system_prompt_suffix;
  const system = suffix === undefined ? prompt : `${prompt}\n\n${suffix}`;
  const messages = [{ role: 'user', content: question }] as const;
  return { provider, model, system, messages, tools: [], settings, thinking_budget: null };
}
