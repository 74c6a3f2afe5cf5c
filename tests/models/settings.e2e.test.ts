/** Which harness settings are sent: exactly the honoured ones, for every supported provider. */
import { describe, expect, test } from 'vitest';
import { type HonoredField, honoredFields } from '../../src/commands/harness/defaults.ts';
import type { HarnessSettings } from '../../src/events/harness.ts';
import { createModels } from '../../src/integrations/models/models.ts';
import { PROVIDERS } from '../../src/integrations/models/providers.ts';
import type { ModelRequest } from '../../src/ports/models.ts';
import { startFakeAnthropic } from '../fakes/providers/anthropic.ts';
import { startFakeGoogle } from '../fakes/providers/google.ts';
import { startFakeOllama } from '../fakes/providers/ollama.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { ask, KEY, NATIVE, READ_FILE } from './support.ts';

const EVERYTHING: HarnessSettings = {
  ...NATIVE,
  prompt_cache: true,
  max_output_tokens: 1_234,
  temperature: 0,
  parallel_tool_calls: false,
  context_window_fallback: 54_321,
  thinking_budgets: { high: 4_321 },
  system_prompt_suffix: 'THE-SUFFIX',
};

/** Where each field can be seen on some wire. */
const SEEN: { readonly [field in HonoredField]?: RegExp } = {
  max_output_tokens: /"(?:max_tokens|max_output_tokens|maxOutputTokens)":(?:1234|5555)/,
  temperature: /"temperature":0[,}]/,
  parallel_tool_calls: /"parallel_tool_calls":false/,
  thinking_budgets: /"(?:budget_tokens|thinkingBudget)":4321/,
  prompt_cache: /"cache_control":\{"type":"ephemeral"\}/,
};

const STARTS = {
  anthropic: startFakeAnthropic,
  google: startFakeGoogle,
  openai: startFakeOpenAi,
  compatible: startFakeOpenAi,
  ollama: startFakeOllama,
};

const CALLABLE = PROVIDERS.flatMap((provider) =>
  provider.dialect === 'scripted' ? [] : [{ ...provider, dialect: provider.dialect }],
);

async function bodyFor(provider: (typeof CALLABLE)[number], more: Partial<ModelRequest>, env = {}): Promise<string> {
  const fake = await STARTS[provider.dialect]();
  const models = createModels({ env: { [provider.keys[0]!]: KEY, [provider.urlVariable]: fake.url, ...env } });
  await ask(models, { provider: provider.id, tools: [READ_FILE], settings: EVERYTHING, ...more });
  await fake.close();
  expect(fake.requests).toHaveLength(1);
  return JSON.stringify(fake.requests[0]?.body);
}

describe.each(CALLABLE)('$id', (provider) => {
  const honored = new Set<HonoredField>(honoredFields(provider.id));

  test('honoured settings are sent, others never', async () => {
    const plain = await bodyFor(provider, {});
    const thinking = await bodyFor(provider, { thinking_budget: 4_321 });
    for (const [field, pattern] of Object.entries(SEEN)) {
      const sent = pattern.test(field === 'thinking_budgets' ? thinking : plain);
      expect({ field, sent }).toEqual({ field, sent: honored.has(field as HonoredField) });
    }
    // These shape the prompt, which the run builds; they are not sent.
    expect(plain + thinking).not.toMatch(/54321|THE-SUFFIX|context_window|prompt_dialect|tool_transport/);
  });

  test('what is not set is not sent', async () => {
    const body = await bodyFor(provider, { settings: NATIVE });
    expect(body).not.toMatch(/temperature|parallel_tool_calls|thinking|cache_control|maxOutputTokens/);
    // Anthropic's API does not work without a limit: its package fills in the largest the model has.
    if (provider.dialect !== 'anthropic') expect(body).not.toMatch(/max_(?:output_)?tokens/);
  });

  test('without tools there is nothing to call in parallel', async () => {
    expect(await bodyFor(provider, { tools: [] })).not.toContain('parallel_tool_calls');
  });
});

test('OpenAI’s own API gets the same settings', async () => {
  const openai = CALLABLE.find((provider) => provider.id === 'openai')!;
  const body = await bodyFor(openai, {}, { DAYBOOK_OPENAI_API: 'responses' });
  expect(body).toMatch(SEEN.max_output_tokens!);
  expect(body).toMatch(SEEN.temperature!);
  expect(body).toMatch(SEEN.parallel_tool_calls!);
});

test('Anthropic’s breakpoints stand after the system prompt and at the end of the conversation', async () => {
  const anthropic = CALLABLE.find((provider) => provider.id === 'anthropic')!;
  const body = JSON.parse(
    await bodyFor(anthropic, {
      messages: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two', tool_calls: [] },
        { role: 'user', content: 'three' },
      ],
    }),
  );
  const marked = { cache_control: { type: 'ephemeral' } };
  expect(body.system.at(-1)).toMatchObject(marked);
  expect(body.messages[2].content.at(-1)).toMatchObject(marked);
  expect(JSON.stringify(body.messages.slice(0, 2)) + JSON.stringify(body.tools)).not.toContain('cache_control');
});

test('a thinking budget below what Anthropic accepts is raised to it', async () => {
  const anthropic = CALLABLE.find((provider) => provider.id === 'anthropic')!;
  expect(await bodyFor(anthropic, { thinking_budget: 10 })).toContain('"budget_tokens":1024');
});
