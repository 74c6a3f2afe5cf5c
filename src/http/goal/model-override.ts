/** The pair that a caller names for one question: it counts when both are named and the pair can be used. */
import { z } from 'zod';
import { normalizeProvider } from '../../events/provider-id.ts';
import type { ModelChoice, ModelsPort } from '../../ports/models.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly models: ModelsPort;
}

export const zPair = z.object({ provider: z.string().nullish(), model: z.string().nullish() }).optional();
export type Pair = z.infer<typeof zPair>;

export interface Override {
  /** What will be asked. */
  readonly choice: ModelChoice;
  readonly isApplied: boolean;
}

export function overrideOf(deps: Dependencies, pair: Pair): Override {
  const provider = normalizeProvider(pair?.provider ?? '');
  const model = (pair?.model ?? '').trim();
  const choice = deps.models.choose(provider, model);
  const isNamed = provider !== '' && model !== '';
  return { choice, isApplied: isNamed && choice.provider === provider && choice.model === model };
}

/** The rehearsal is no model: it can only repeat what it is told. */
export function isRehearsal({ provider }: ModelChoice): boolean {
  return provider === 'rehearsal';
}
