/** Normalises the names of providers that people type; shared by the harness rules and the models integration. */

/** `Azure_OpenAI ` and `azure-openai` are the same provider. Model names are only trimmed: their case matters. */
export function normalizeProvider(id: string): string {
  return id.trim().toLowerCase().replaceAll('_', '-');
}
