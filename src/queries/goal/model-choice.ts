/** Which model a question about a goal is put to. */
import { normalizeProvider } from '../../events/provider-id.ts';
import type { ModelChoice, ModelsPort } from '../../ports/models.ts';

/** The model that a caller names; it counts when both are named and the pair can be used. */
export interface RequestedModel {
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
}

interface Chosen {
  readonly choice: ModelChoice;
  /** True when the requested model is used. */
  readonly isRequested: boolean;
}

export function chooseModel(models: ModelsPort, requested: RequestedModel | undefined): Chosen {
  const provider = normalizeProvider(requested?.provider ?? '');
  const model = (requested?.model ?? '').trim();
  const choice = models.choose(provider, model);
  const isNamed = provider !== '' && model !== '';
  return { choice, isRequested: isNamed && choice.provider === provider && choice.model === model };
}

/** The scripted model cannot write such a text, so it is not asked. */
export function isScripted({ provider }: ModelChoice): boolean {
  return provider === 'rehearsal';
}
