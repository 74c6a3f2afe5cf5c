/**
 * Harness overrides: a user's settings of a (provider, model) pair. Stream `settings-harness`, appended by its routes.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

const zBudget = z.int().positive();

const zThinkingBudgets = z.strictObject({
  low: zBudget.exactOptional().describe('For low effort.'),
  medium: zBudget.exactOptional().describe('For medium effort.'),
  high: zBudget.exactOptional().describe('For high effort.'),
  xhigh: zBudget.exactOptional().describe('For extra high effort.'),
});

/** A patch: exactly the fields the user set. Absent is "the provider decides", never zero and never unlimited. */
export const zHarnessPatch = z.strictObject({
  tool_transport: z
    .enum(['native', 'prose'])
    .exactOptional()
    .describe('Tools of the provider, or calls written as text.'),
  prompt_dialect: z.enum(['full', 'compact']).exactOptional().describe('How much the system prompt says.'),
  prompt_cache: z.boolean().exactOptional().describe('Marks the prompt for the cache of the provider.'),
  max_output_tokens: z.int().positive().max(4_294_967_295).exactOptional().describe('Most tokens of an answer.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .exactOptional()
    .describe('How freely the model chooses words: 0 hardly, 2 very.'),
  parallel_tool_calls: z.boolean().exactOptional().describe('Lets the model ask for several tools at once.'),
  thinking_budgets: zThinkingBudgets.exactOptional().describe('Tokens for reasoning, by its effort.'),
  context_window_fallback: z
    .int()
    .positive()
    .max(4_294_967_295)
    .exactOptional()
    .describe('Tokens of the context window where the provider does not say.'),
  system_prompt_suffix: z.string().max(20_000).exactOptional().describe('Stands at the end of the system prompt.'),
});
z.globalRegistry.add(zHarnessPatch, { id: 'HarnessPatch', examples: [{ temperature: 0, max_output_tokens: 4096 }] });
export type HarnessPatch = z.infer<typeof zHarnessPatch>;

/** Settings as resolved: the three that always have a value, the rest only when set. */
export const zHarnessSettings = zHarnessPatch.extend({
  tool_transport: z.enum(['native', 'prose']).describe('Tools of the provider, or calls written as text.'),
  prompt_dialect: z.enum(['full', 'compact']).describe('How much the system prompt says.'),
  prompt_cache: z.boolean().describe('Marks the prompt for the cache of the provider.'),
});
z.globalRegistry.add(zHarnessSettings, { id: 'HarnessSettings' });
export type HarnessSettings = z.infer<typeof zHarnessSettings>;

export const harnessEvents = {
  /** `key` is `<provider>/<model>` or `<provider>/* `; the patch replaces the one stored under it. */
  HarnessOverrideSet: define('HarnessOverrideSet', z.object({ key: z.string(), patch: zHarnessPatch })),
  HarnessOverrideRemoved: define('HarnessOverrideRemoved', z.object({ key: z.string() })),
} as const;

export type HarnessEvent = EventIn<typeof harnessEvents>;
