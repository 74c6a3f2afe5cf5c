/** Chooses the model for a question about a goal. */
import { normalizeProvider } from '../../events/provider-id.ts';
import type { ModelChoice, ModelsPort } from '../../ports/models.ts';

/** The model in a request. It is used only if both fields are present and the pair is usable. */
export interface RequestedModel {
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
}

interface Chosen {
  readonly choice: ModelChoice;
  /** True when the requested model is used. */
  readonly isRequested: boolean;
}

export function chooseModel(models: Pick<ModelsPort, 'choose'>, requested: RequestedModel | undefined): Chosen {
  const provider = normalizeProvider(requested?.provider ?? '');
  const model = (requested?.model ?? '').trim();
  const choice = models.choose(provider, model);
  const isNamed = provider !== '' && model !== '';
  return { choice, isRequested: isNamed && choice.provider === provider && choice.model === model };
}

/** Whether the model is the scripted one, which cannot answer such a question. */
export function isScripted({ provider }: ModelChoice): boolean {
  return provider === 'rehearsal';
}
