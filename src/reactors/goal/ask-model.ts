/**
 * Asks a model for one JSON object and reads it from the text of its answer.
 *
 * - A transient failure, a stalled model included, is retried, ATTEMPTS_MAX calls in all, unless the caller hangs up.
 * - An answer of more than ANSWER_CHARACTERS_MAX fails, and so does a call that takes longer than ASK_SECONDS_MAX.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { backoffMs } from '../../commands/run/rules.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { type ModelChoice, ModelError } from '../../ports/models.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import type { Views } from '../../projections/views.ts';
import { framesWithin } from '../../queries/run/model-frames.ts';

export interface AskDependencies {
  readonly config: { readonly model_stall_seconds: number };
  random(): number;
  readonly views: Views;
  readonly models: ModelsPort;
}

const ATTEMPTS_MAX = 3;
const ASK_SECONDS_MAX = 300;
const ANSWER_CHARACTERS_MAX = 200_000;

export interface Question {
  readonly choice: ModelChoice;
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** The object in the model's answer. Throws `ModelError`. */
export async function askForObject(deps: AskDependencies, question: Question): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return objectIn(await answerTo(deps, question));
    } catch (error) {
      const again = error instanceof ModelError && error.kind === 'transient' && attempt + 1 < ATTEMPTS_MAX;
      if (question.signal.aborted) throw new ModelError('fatal', 'Nobody waits for the answer any more.');
      if (!again) throw error;
      await pause(backoffMs(attempt, deps.random(), error.retryAfterMs), question.signal);
    }
  }
}

async function answerTo(deps: AskDependencies, { choice, system, prompt, signal }: Question): Promise<string> {
  const settings = resolveHarness({ ...choice, overrides: harnessOverrides(deps.views) }).effective;
  const suffix = settings.system_prompt_suffix;
  const request = {
    ...choice,
    system: suffix === undefined ? system : `${system}\n\n${suffix}`,
    messages: [{ role: 'user', content: prompt } as const],
    tools: [],
    settings,
    thinking_budget: null,
  };
  const deadline = AbortSignal.timeout(ASK_SECONDS_MAX * 1000);
  const limit = { stallMs: deps.config.model_stall_seconds * 1000, signal: AbortSignal.any([signal, deadline]) };
  let text = '';
  try {
    for await (const frame of framesWithin(limit, (live) => deps.models.stream(request, live))) {
      if (frame.type === 'text') text += frame.text;
      if (text.length > ANSWER_CHARACTERS_MAX) throw new ModelError('fatal', 'The model’s answer is too long.');
    }
    return text;
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw new ModelError('fatal', 'The model took too long to answer.');
    throw error;
  }
}

/** From the first brace to the last: code fences and text around the object are ignored. */
function objectIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    throw new ModelError('fatal', 'The model’s answer holds no JSON object that can be read.');
  }
}

/** Ends after `ms`, or when the caller hangs up. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
