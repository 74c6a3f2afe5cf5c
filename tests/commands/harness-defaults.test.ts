/** The harness tables of the contract as data, and the layering rules as properties. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HarnessOverrides,
  harnessKey,
  harnessProfileRows,
  honoredFields,
  KNOWN_PROVIDERS,
  resolveHarness,
} from '../../src/commands/harness/defaults.ts';
import { type HarnessPatch, zHarnessSettings } from '../../src/events/harness.ts';

const UNIVERSAL = ['tool_transport', 'prompt_dialect', 'context_window_fallback', 'system_prompt_suffix'];
const LIMITS = ['max_output_tokens', 'temperature'];

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

const NATIVE = words(`openai azure-openai grok xai openrouter copilot github-copilot gemini google bedrock aws-bedrock
  ollama groq cerebras together fireworks sambanova minimax zhipu mistral deepseek perplexity poolside vercel vercel-ai
  vllm lmstudio`);
const PARALLEL =
  words(`openai azure-openai grok xai openrouter copilot groq cerebras together fireworks sambanova minimax
  zhipu mistral deepseek perplexity poolside vercel vercel-ai vllm lmstudio`);

const builtin = (provider: string) => resolveHarness({ provider, model: 'm', overrides: {} }).builtin;

describe('family defaults', () => {
  test.each(['claude', 'anthropic'])('%s is native, compact, cached', (id) => {
    expect(builtin(id)).toEqual({ tool_transport: 'native', prompt_dialect: 'compact', prompt_cache: true });
  });
  test.each(NATIVE)('%s is native, compact, not cached', (id) => {
    expect(builtin(id)).toEqual({ tool_transport: 'native', prompt_dialect: 'compact', prompt_cache: false });
  });
  test.each(['rehearsal', 'replay', 'in-process', 'constructor', ''])('%j is prose, full, not cached', (id) => {
    expect(builtin(id)).toEqual({ tool_transport: 'prose', prompt_dialect: 'full', prompt_cache: false });
  });
  test('the known providers are those of the table', () => {
    expect([...KNOWN_PROVIDERS].sort()).toEqual(['claude', 'anthropic', ...NATIVE].sort());
  });
});

describe('honored fields, in the order the contract emits them', () => {
  test.each([
    ['anthropic', [...UNIVERSAL, ...LIMITS, 'thinking_budgets', 'prompt_cache']],
    ['claude', [...UNIVERSAL, ...LIMITS, 'thinking_budgets', 'prompt_cache']],
    ['gemini', [...UNIVERSAL, ...LIMITS, 'thinking_budgets']],
    ['google', [...UNIVERSAL, ...LIMITS, 'thinking_budgets']],
    ['bedrock', [...UNIVERSAL, ...LIMITS]],
    ['aws-bedrock', [...UNIVERSAL, ...LIMITS]],
    ['ollama', UNIVERSAL],
    ['github-copilot', UNIVERSAL],
    ['never-heard-of-it', UNIVERSAL],
    ...PARALLEL.map((id): [string, string[]] => [id, [...UNIVERSAL, ...LIMITS, 'parallel_tool_calls']]),
  ])('%s', (id, fields) => expect(honoredFields(id)).toEqual(fields));
});

describe('names', () => {
  test('a provider id is trimmed, lower-cased and dashed; a model only trimmed', () => {
    const profile = resolveHarness({ provider: ' Azure_OpenAI ', model: ' GPT-X ', overrides: {} });
    expect([profile.provider, profile.model]).toEqual(['azure-openai', 'GPT-X']);
    expect(harnessKey(' Azure_OpenAI ', ' GPT-X ')).toBe('azure-openai/GPT-X');
  });
  test.each(['', '  ', '*', ' * '])('model %j is the provider-wide entry', (model) => {
    expect(resolveHarness({ provider: 'openai', model, overrides: {} }).model).toBe('*');
    expect(harnessKey('openai', model)).toBe('openai/*');
  });
});

describe('layers', () => {
  const overrides: HarnessOverrides = {
    'openai/*': { temperature: 0.5, max_output_tokens: 100, thinking_budgets: { low: 1, high: 3 } },
    'openai/a': { temperature: 0, thinking_budgets: { low: 2, medium: 9 } },
  };

  test('the model wins field by field, budgets tier by tier, and 0 is a value', () => {
    const profile = resolveHarness({ provider: 'openai', model: 'a', overrides });
    expect(profile.effective).toEqual({
      tool_transport: 'native',
      prompt_dialect: 'compact',
      prompt_cache: false,
      temperature: 0,
      max_output_tokens: 100,
      thinking_budgets: { low: 2, medium: 9, high: 3 },
    });
    expect(profile.provider_override).toEqual(overrides['openai/*']);
    expect(profile.model_override).toEqual(overrides['openai/a']);
  });
  test('overrides that are not set are left out, not null', () => {
    expect(resolveHarness({ provider: 'groq', model: 'a', overrides })).not.toHaveProperty('provider_override');
    expect(resolveHarness({ provider: 'openai', model: 'b', overrides })).not.toHaveProperty('model_override');
    const wide = resolveHarness({ provider: 'openai', model: '*', overrides });
    expect(wide.provider_override).toEqual(overrides['openai/*']);
    expect(wide).not.toHaveProperty('model_override');
  });
  test('names that every object has find nothing', () => {
    const profile = resolveHarness({ provider: '__proto__', model: 'toString', overrides: {} });
    expect(profile.effective).toEqual(profile.builtin);
  });

  const patch: fc.Arbitrary<HarnessPatch> = fc.record(
    {
      tool_transport: fc.constantFrom('native', 'prose'),
      prompt_dialect: fc.constantFrom('full', 'compact'),
      prompt_cache: fc.boolean(),
      max_output_tokens: fc.integer({ min: 1, max: 4_294_967_295 }),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      parallel_tool_calls: fc.boolean(),
      thinking_budgets: fc.record({ low: fc.integer({ min: 1 }), xhigh: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
      system_prompt_suffix: fc.string(),
    },
    { requiredKeys: [] },
  );
  test('any overrides resolve to valid settings in which every field the user set is the user’s', () => {
    fc.assert(
      fc.property(fc.constantFrom('claude', 'openai', 'own'), patch, patch, (provider, wide, narrow) => {
        const found = resolveHarness({
          provider,
          model: 'm',
          overrides: { [`${provider}/*`]: wide, [`${provider}/m`]: narrow },
        });
        expect(zHarnessSettings.parse(found.effective)).toEqual(found.effective);
        expect(found.builtin).toEqual(builtin(provider));
        const { thinking_budgets: low, ...wideRest } = wide;
        const { thinking_budgets: high, ...narrowRest } = narrow;
        expect(found.effective).toMatchObject({ ...wideRest, ...narrowRest });
        expect(found.effective.thinking_budgets ?? {}).toEqual({ ...low, ...high });
      }),
    );
  });
});

describe('rows of GET /harness/profiles', () => {
  test('one * row a known provider, then the stored overrides that are no such row', () => {
    const overrides: HarnessOverrides = {
      'openai/*': { temperature: 1 },
      'zeta/*': { temperature: 0 },
      'openai/org/model': { max_output_tokens: 5 },
    };
    const rows = harnessProfileRows(overrides);
    expect(rows.slice(0, KNOWN_PROVIDERS.length).map((row) => `${row.provider}/${row.model}`)).toEqual(
      KNOWN_PROVIDERS.map((id) => `${id}/*`),
    );
    expect(rows.slice(KNOWN_PROVIDERS.length).map((row) => [row.provider, row.model])).toEqual([
      ['openai', 'org/model'],
      ['zeta', '*'],
    ]);
    expect(rows.find((row) => row.provider === 'openai' && row.model === '*')?.effective.temperature).toBe(1);
    expect(rows.find((row) => row.model === 'org/model')?.effective).toMatchObject({
      temperature: 1,
      max_output_tokens: 5,
    });
  });
});
