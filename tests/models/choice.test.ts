/** The choice of the model: configuration, requests, and the address of a provider. */
import { describe, expect, test } from 'vitest';
import { endpointOf } from '../../src/integrations/models/endpoint.ts';
import { createModels } from '../../src/integrations/models/models.ts';
import { type Env, findProvider } from '../../src/integrations/models/providers.ts';
import { type Recording, withReplay } from '../../src/integrations/models/replay.ts';
import type { ModelFrame } from '../../src/ports/models.ts';
import { ask, collect, failure, KEY, NATIVE, request } from './support.ts';

const REHEARSAL = { provider: 'rehearsal', model: 'rehearsal-1' };

describe('configured', () => {
  test('nothing set: the rehearsal', () => expect(createModels({ env: {} }).configured).toEqual(REHEARSAL));
  test('a key makes its provider the daemon’s own, with its first model', () => {
    const { configured } = createModels({ env: { GROQ_API_KEY: KEY } });
    expect(configured.provider).toBe('groq');
    expect(configured.model).not.toBe('');
  });
  test('a blank key is no key', () =>
    expect(createModels({ env: { OPENAI_API_KEY: '  ' } }).configured).toEqual(REHEARSAL));
  test('what is named wins over keys', () => {
    const config = { env: { ANTHROPIC_API_KEY: KEY }, provider: ' Ollama ', model: 'qwen3:8b' };
    expect(createModels(config).configured).toEqual({ provider: 'ollama', model: 'qwen3:8b' });
  });
  test('an unknown provider or a missing key is said when it is asked, not swallowed', async () => {
    const unknown = createModels({ env: {}, provider: 'nobody', model: 'x' });
    const missing = createModels({ env: {}, provider: 'anthropic' });
    const first = await failure(ask(unknown, unknown.configured));
    const second = await failure(ask(missing, missing.configured));
    expect([first.kind, second.kind]).toEqual(['unconfigured', 'unconfigured']);
    expect(first.message).toContain("'nobody'");
    expect(second.message).toContain('ANTHROPIC_API_KEY');
  });
  test('a provider without a model says which variable to set', async () => {
    const models = createModels({ env: {}, provider: 'ollama' });
    expect((await failure(ask(models, models.configured))).message).toContain('DAYBOOK_MODEL');
  });
  test('names of providers, sorted, never keys', () => {
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, OLLAMA_HOST: 'http://127.0.0.1:1' };
    expect(createModels({ env }).configuredProviders()).toEqual(['anthropic', 'ollama', 'openai', 'rehearsal']);
    expect(createModels({ env: {} }).configuredProviders()).toEqual(['rehearsal']);
  });
});

describe('choose: the pair, or silently the configured one', () => {
  const models = createModels({ env: { OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY } });
  const own = models.configured;
  test.each([
    ['both', 'openai', 'gpt-x', { provider: 'openai', model: 'gpt-x' }],
    ['spaces and capitals', ' OpenAI ', ' GPT-x ', { provider: 'openai', model: 'GPT-x' }],
    ['an alias keeps its name', 'gemini', 'm', { provider: 'gemini', model: 'm' }],
    ['no key needed', 'ollama', 'm', { provider: 'ollama', model: 'm' }],
    ['the rehearsal', 'rehearsal', 'm', { provider: 'rehearsal', model: 'm' }],
    ['only a provider', 'openai', '', own],
    ['only a model', '', 'gpt-x', own],
    ['only spaces', '  ', '  ', own],
    ['null', null, null, own],
    ['nothing', undefined, undefined, own],
    ['an unknown provider', 'nobody', 'm', own],
    ['a provider without a key', 'claude', 'm', own],
    ['a name that objects have', 'constructor', 'm', own],
  ])('%s', (_name, provider, model, choice) => expect(models.choose(provider, model)).toEqual(choice));
});

describe('addresses', () => {
  const url = (id: string, env: Env = {}) => {
    const provider = findProvider(id)!;
    return endpointOf(provider, { [provider.keys[0]!]: KEY, ...env }).url;
  };
  test.each([
    ['anthropic', {}, 'https://api.anthropic.com/v1'],
    ['claude', { ANTHROPIC_BASE_URL: 'https://proxy.example/anthropic/' }, 'https://proxy.example/anthropic/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'https://proxy.example/v1' }, 'https://proxy.example/v1'],
    ['gemini', { GEMINI_BASE_URL: 'http://127.0.0.1:9' }, 'http://127.0.0.1:9/v1beta'],
    ['openai', {}, 'https://api.openai.com/v1'],
    ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080/v1'],
    ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:8080/api' }, 'http://127.0.0.1:8080/api'],
    ['perplexity', {}, 'https://api.perplexity.ai'],
    ['ollama', {}, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: ':4000' }, 'http://127.0.0.1:4000/v1'],
    ['ollama', { OLLAMA_HOST: 'box:4000' }, 'http://box:4000/v1'],
    ['ollama', { OLLAMA_HOST: 'https://box/' }, 'https://box/v1'],
    ['ollama', { OLLAMA_HOST: '::' }, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: '::1' }, 'http://[::1]:11434/v1'],
    ['ollama', { OLLAMA_HOST: '[::1]:4000' }, 'http://[::1]:4000/v1'],
    ['ollama', { OLLAMA_HOST: 'box:4000/models' }, 'http://box:4000/models/v1'],
    ['ollama', { OLLAMA_HOST: 'box/models/' }, 'http://box:11434/models/v1'],
    ['vllm', { VLLM_BASE_URL: 'http://gpu:8000/v1' }, 'http://gpu:8000/v1'],
  ])('%s %j', (id, env, expected) => expect(url(id, env)).toBe(expected));

  test.each([
    'nonsense',
    'file:///etc/passwd',
    'http://user:secret@host/v1',
    'https://host/v1?api-version=preview',
    'https://host/v1#x',
  ])('%s is refused by the name of its variable', (value) => {
    expect(() => url('openai', { OPENAI_BASE_URL: value })).toThrow(/^OPENAI_BASE_URL must be/);
  });

  test('of Ollama that are none are refused', () => {
    for (const value of ['a:b:c', 'box:', 'https://box/?key=1']) {
      expect(() => url('ollama', { OLLAMA_HOST: value })).toThrow(/^OLLAMA_HOST must be/);
    }
  });
});

describe('replay', () => {
  const frames: ModelFrame[] = [
    { type: 'text', text: 'Hi' },
    { type: 'finish', reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } },
  ];
  const recorded: Recording = {
    asked: [
      { provider: 'openai', model: 'gpt', settings: NATIVE },
      { provider: 'anthropic', model: 'claude', settings: NATIVE },
    ],
    answers: new Map([
      ['openai/gpt: known', frames],
      ['anthropic/claude: before', frames],
    ]),
  };
  const models = withReplay(createModels({ env: {} }), {
    recording: (id) => (id === 'session' ? recorded : undefined),
    hash: ({ provider, model, system }) => `${provider}/${model}: ${system}`,
  });
  const replay = (system: string, signal: AbortSignal) =>
    models.stream(request({ system, provider: 'replay', model: 'session' }), signal);
  const open = new AbortController().signal;

  test('gives what was recorded', async () => expect((await collect(replay('known', open))).frames).toEqual(frames));
  test('gives what a model said that was asked before the newest', async () =>
    expect((await collect(replay('before', open))).frames).toEqual(frames));
  test('fails loudly when nothing was', async () => {
    const error = await failure(collect(replay('other', open)));
    expect(error.kind).toBe('fatal');
    expect(error.message).toContain('other');
  });
  test('is chosen by the id of a recorded session only', () => {
    expect(models.choose('Replay', 'session')).toEqual({ provider: 'replay', model: 'session' });
    expect(models.choose('replay', 'other')).toEqual(REHEARSAL);
  });
  test('can be stopped', async () => {
    await expect(collect(replay('known', AbortSignal.abort(new Error('stop'))))).rejects.toThrow('stop');
  });
});
