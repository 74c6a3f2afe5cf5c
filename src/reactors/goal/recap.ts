/** Asks a model to write the recap of a goal. */
import { z } from 'zod';
import type { Goal } from '../../events/goal.ts';
import { type ModelChoice, ModelError } from '../../ports/models.ts';
import { ACTIONS_MAX, BULLETS_MAX, distinctTexts, type RecapText, type RunEnd } from '../../queries/goal/recap.ts';
import type { ModelCallDependencies } from '../../queries/run/model-calls.ts';
import { askForObject } from './ask-model.ts';

/** Characters of one run's summary in the prompt. */
const SUMMARY_CHARACTERS_MAX = 4_000;

const SYSTEM = `You sum up what has come of a goal, for the person who set it. Answer with one JSON object and nothing else:
{"headline": string, "bullets": [string], "next_actions": [string]}
The headline is one sentence. At most ${BULLETS_MAX} bullets, each a fact from the runs, most important first.
At most ${ACTIONS_MAX} next actions, each one something to do. Say nothing that the runs do not show.`;

const zWritten = z.object({
  headline: z.string().refine((text) => text.trim() !== ''),
  bullets: z.array(z.string()),
  next_actions: z.array(z.string()).default([]),
});

export type WrittenRecap = { readonly text: RecapText } | { readonly error: string };

/** Returns a failure of the model instead of throwing it: the caller then writes the recap without a model. */
export async function writeRecap(
  deps: ModelCallDependencies,
  {
    goal,
    ends,
    ...asked
  }: {
    readonly goal: Goal;
    readonly ends: readonly RunEnd[];
    readonly choice: ModelChoice;
    readonly signal: AbortSignal;
  },
): Promise<WrittenRecap> {
  try {
    const answered = await askForObject(deps, { ...asked, system: SYSTEM, prompt: promptOf(goal, ends) });
    const { headline, bullets, next_actions } = zWritten.parse(answered);
    const text = {
      headline: headline.trim(),
      bullets: distinctTexts(bullets, BULLETS_MAX),
      next_actions: distinctTexts(next_actions, ACTIONS_MAX),
    };
    return { text };
  } catch (error) {
    if (error instanceof ModelError) return { error: error.message };
    if (error instanceof z.ZodError) return { error: 'The model’s answer is no recap.' };
    throw error;
  }
}

function promptOf({ title, statement, success_criteria }: Goal, ends: readonly RunEnd[]): string {
  const runs = ends.map(({ task, status, summary, files_modified }) => {
    const files = files_modified.length === 0 ? '' : `\nFiles: ${files_modified.slice(0, 50).join(', ')}`;
    const told = summary.slice(0, SUMMARY_CHARACTERS_MAX);
    return `Run (${status}): ${task.slice(0, 500)}\n${told}${files}`.toWellFormed();
  });
  const criteria = success_criteria.length === 0 ? '' : `Reached when:\n${success_criteria.join('\n')}`;
  return [`Goal: ${title}`, statement, criteria, ...runs].filter((part) => part.trim() !== '').join('\n\n');
}
