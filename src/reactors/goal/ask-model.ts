/**
 * Asks a model for one JSON object and reads it from the text of its answer.
 *
 * - A transient failure, a stalled model included, is retried, in all three calls at most; a disconnected caller ends
 *   it.
 * - An answer that is cut off or has more than ANSWER_CHARACTERS_MAX fails, and so does a call that takes longer than
 *   ASK_SECONDS_MAX.
 */
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { parsedJson } from '../../lib/json-text.ts';
import { within } from '../../lib/timers.ts';
import { type ModelChoice, ModelError } from '../../ports/models.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import {
  framesWithin,
  type ModelCallDependencies,
  questionRequest,
  retried,
  textOf,
} from '../../queries/run/model-calls.ts';

const ASK_SECONDS_MAX = 300;
const ANSWER_CHARACTERS_MAX = 200_000;

export interface Question {
  readonly choice: ModelChoice;
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** The object in the model's answer. Throws `ModelError`. */
export async function askForObject(deps: ModelCallDependencies, question: Question): Promise<unknown> {
  const { signal } = question;
  const { random, timers } = deps;
  try {
    return await retried({ random, signal, timers }, async () => objectIn(await answerTo(deps, question)));
  } catch (error) {
    if (signal.aborted) throw new ModelError('fatal', 'Nobody waits for the answer any more.');
    throw error;
  }
}

async function answerTo(deps: ModelCallDependencies, { choice, system, prompt, signal }: Question): Promise<string> {
  const settings = resolveHarness({ ...choice, overrides: harnessOverrides(deps.views) }).effective;
  const request = questionRequest(choice, settings, { system, question: prompt });
  const { timers, models, config } = deps;
  return within(timers, ASK_SECONDS_MAX * 1000, async (late) => {
    const limit = { stallMs: config.model_stall_seconds * 1000, signal: AbortSignal.any([signal, late]), timers };
    try {
      return await textOf(
        framesWithin(limit, (live) => models.stream(request, live)),
        ANSWER_CHARACTERS_MAX,
      );
    } catch (error) {
      if (late.aborted && !signal.aborted) throw new ModelError('fatal', 'The model took too long to answer.');
      throw error;
    }
  });
}

/** From the first brace to the last: code fences and text around the object are ignored. */
function objectIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  const value = parsedJson(text.slice(start, end + 1));
  if (value !== undefined) return value;
  throw new ModelError('fatal', 'The model’s answer holds no JSON object that can be read.');
}
