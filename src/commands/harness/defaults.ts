/**
 * The settings of a (provider, model) pair: the defaults of this build with the user's overrides applied.
 *
 * - Layers, later ones win field by field: family default, user `<provider>/*`, user `<provider>/<model>`.
 *   `thinking_budgets` merges tier by tier.
 * - `builtin` never contains a user's value; without overrides `effective` equals `builtin`.
 * - A field is set when it is present: `temperature: 0` is a value, an absent number is "the provider decides".
 */
import { z } from 'zod';
import { type HarnessPatch, type HarnessSettings, zHarnessPatch, zHarnessSettings } from '../../events/harness.ts';
import { normalizeProvider } from '../../events/provider-id.ts';

export type HonoredField = keyof HarnessPatch;
export type HarnessOverrides = { readonly [key: string]: HarnessPatch };

export const zHarnessProfile = z.object({
  provider: z.string(),
  model: z.string().describe('Name of the model at its provider; `*` stands for all.'),
  effective: zHarnessSettings.describe('The settings in force.'),
  builtin: zHarnessSettings.describe('The settings without overrides.'),
  provider_override: zHarnessPatch
    .optional()
    .describe('Your override for all models of the provider; absent without one.'),
  model_override: zHarnessPatch.optional().describe('Your override for this model; absent without one.'),
  honored_fields: z
    .array(z.string())
    .describe('Settings that reach requests to this provider; others are stored and change nothing.'),
});
z.globalRegistry.add(zHarnessProfile, { id: 'HarnessProfile' });
type HarnessProfile = Readonly<z.infer<typeof zHarnessProfile>>;

type HarnessProfileRow = Pick<HarnessProfile, 'provider' | 'model' | 'effective' | 'builtin'>;

/** The model name of the provider-wide entry. */
export const ANY_MODEL = '*';

const UNIVERSAL: readonly HonoredField[] = [
  'tool_transport',
  'prompt_dialect',
  'context_window_fallback',
  'system_prompt_suffix',
];
const LIMITS: readonly HonoredField[] = ['max_output_tokens', 'temperature'];

const HONORED = {
  anthropic: [...UNIVERSAL, ...LIMITS, 'thinking_budgets', 'prompt_cache'],
  google: [...UNIVERSAL, ...LIMITS, 'thinking_budgets'],
  bedrock: [...UNIVERSAL, ...LIMITS],
  openai: [...UNIVERSAL, ...LIMITS, 'parallel_tool_calls'],
  plain: UNIVERSAL,
} as const satisfies { readonly [family: string]: readonly HonoredField[] };

type Family = keyof typeof HONORED;

const OPENAI_LIKE = [
  ...['openai', 'azure-openai', 'grok', 'xai', 'openrouter', 'copilot', 'groq', 'cerebras', 'together', 'fireworks'],
  ...['sambanova', 'minimax', 'zhipu', 'mistral', 'deepseek', 'perplexity', 'poolside', 'vercel', 'vercel-ai'],
  ...['vllm', 'lmstudio'],
] as const;

const FAMILIES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['claude', 'anthropic'],
  ['anthropic', 'anthropic'],
  ['gemini', 'google'],
  ['google', 'google'],
  ['bedrock', 'bedrock'],
  ['aws-bedrock', 'bedrock'],
  ...OPENAI_LIKE.map((id): [string, Family] => [id, 'openai']),
  ['ollama', 'plain'],
  ['github-copilot', 'plain'],
]);

/** Every provider for which this build has a rule, in the order of `GET /harness/profiles`. */
export const KNOWN_PROVIDERS: readonly string[] = [...FAMILIES.keys()];

export function resolveHarness(request: {
  readonly provider: string;
  readonly model: string;
  readonly overrides: HarnessOverrides;
}): HarnessProfile {
  const provider = normalizeProvider(request.provider);
  const model = request.model.trim() || ANY_MODEL;
  const builtin = familyDefault(provider);
  const providerWide = own(request.overrides, harnessKey(provider, ANY_MODEL));
  const forModel = model === ANY_MODEL ? undefined : own(request.overrides, harnessKey(provider, model));
  return {
    provider,
    model,
    effective: layered(layered(builtin, providerWide), forModel),
    builtin,
    ...(providerWide && { provider_override: providerWide }),
    ...(forModel && { model_override: forModel }),
    honored_fields: [...honoredFields(provider)],
  };
}

/** The fields the provider can act on; anything else may be stored but never reaches a request. */
export function honoredFields(provider: string): readonly HonoredField[] {
  return HONORED[FAMILIES.get(normalizeProvider(provider)) ?? 'plain'];
}

/** The key of a stored override. */
export function harnessKey(provider: string, model: string): string {
  return `${normalizeProvider(provider)}/${model.trim() || ANY_MODEL}`;
}

/** A `*` row for every known provider, then a row for every other stored override. */
export function harnessProfileRows(overrides: HarnessOverrides): readonly HarnessProfileRow[] {
  const known = KNOWN_PROVIDERS.map((provider) => harnessKey(provider, ANY_MODEL));
  const stored = Object.keys(overrides).filter((key) => !known.includes(key));
  const keys = [...known, ...stored.sort()];
  return keys.map((key) => {
    const slash = key.indexOf('/');
    const profile = resolveHarness({ provider: key.slice(0, slash), model: key.slice(slash + 1), overrides });
    const { provider, model, effective, builtin } = profile;
    return { provider, model, effective, builtin };
  });
}

function familyDefault(provider: string): HarnessSettings {
  const family = FAMILIES.get(provider);
  if (family === undefined) return { tool_transport: 'prose', prompt_dialect: 'full', prompt_cache: false };
  return { tool_transport: 'native', prompt_dialect: 'compact', prompt_cache: family === 'anthropic' };
}

function layered(base: HarnessSettings, patch: HarnessPatch = {}): HarnessSettings {
  const { thinking_budgets: below, ...rest } = base;
  const { thinking_budgets: above, ...set } = patch;
  const budgets = { ...below, ...above };
  const merged: HarnessSettings = Object.assign({}, rest, set);
  return Object.keys(budgets).length > 0 ? { ...merged, thinking_budgets: budgets } : merged;
}

/** An own property only, because keys come from users and may equal a member of `Object.prototype`. */
function own(overrides: HarnessOverrides, key: string): HarnessPatch | undefined {
  return Object.hasOwn(overrides, key) ? overrides[key] : undefined;
}
