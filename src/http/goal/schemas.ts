/** Fields of the goal routes, and the answers they share. */
import { z } from 'zod';
import { goal } from '../../commands/goal/decide.ts';
import { goalPins } from '../../commands/goal/pins.ts';
import { goals } from '../../projections/goal.ts';

export const zGoalId = z.object({ id: z.string() });

/** A blank workspace is null: the global slot. */
export const zWorkspace = z
  .string()
  .nullable()
  .transform((workspace) => (workspace === null || workspace.trim() === '' ? null : workspace))
  .describe('Folder that it belongs to; null or blank: the global slot.');

/** `workspace` of a query: blank and absent are the global slot. */
export const zSlotQuery = z.object({ workspace: zWorkspace.optional().transform((workspace) => workspace ?? null) });

/** The projection and categories from which a past state of several goals, or of the pins, is folded. */
export const allGoals = { projection: goals, categories: [goal.category, goalPins.category] };

export const invalid = { 400: 'A field that is missing or not allowed; the error names it.' };
export const notThere = { 404: 'Unknown goal.' };

/** The model to ask instead of the configured one. */
export const zRequestedModel = z
  .object({
    provider: z.string().nullish().describe('Counts together with `model` only; absent: the selected one.'),
    model: z.string().nullish().describe('Counts together with `provider` only; absent: the selected one.'),
  })
  .optional();
z.globalRegistry.add(zRequestedModel, { examples: [{ provider: 'ollama', model: 'qwen3:8b' }] });
export type RequestedModelBody = z.infer<typeof zRequestedModel>;

/** The fields of an answer that repeat which model the caller named. */
export function requestedModel(prefix: 'plan' | 'recap', body: RequestedModelBody): Readonly<Record<string, string>> {
  return {
    ...(body?.provider == null ? {} : { [`${prefix}_provider_requested`]: body.provider }),
    ...(body?.model == null ? {} : { [`${prefix}_model_requested`]: body.model }),
  };
}
