/** The choice of a model by settings and requests, and its messages. */
import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../src/integrations/embedders/batches.ts';
import { createEmbedders } from '../../src/integrations/embedders/embedders.ts';
import { HOSTS } from '../../src/integrations/embedders/providers.ts';
import { localVector } from '../../src/projections/recall/vector.ts';

type Settings = Partial<Omit<Parameters<typeof createEmbedders>[0], 'localVector'>>;

const made = (settings: Settings = {}) => createEmbedders({ env: {}, localVector, ...settings });

describe('the selected model', () => {
  it.each<[string, Settings, object]>([
    ['nothing set', {}, { provider: 'local', model: 'hashed-512' }],
    ['a blank provider', { provider: ' ' }, { provider: 'local', model: 'hashed-512' }],
    ['a provider', { provider: 'ollama' }, { provider: 'ollama', model: 'nomic-embed-text' }],
    ['any case, blanks', { provider: ' OpenAI ', model: ' x ' }, { provider: 'openai', model: 'x' }],
    ['a blank model', { provider: 'voyage', model: '  ' }, { provider: 'voyage', model: 'voyage-code-3' }],
    [
      'a dimension',
      { provider: 'gemini', dimensions: 768 },
      { provider: 'gemini', model: 'gemini-embedding-001', dimensions: 768 },
    ],
    ['the model’s own dimension', { provider: 'local', dimensions: 512 }, { provider: 'local', model: 'hashed-512' }],
    [
      'an unlisted model with a dimension',
      { provider: 'openai', model: 'next', dimensions: 99 },
      { provider: 'openai', model: 'next', dimensions: 99 },
    ],
    [
      'another server',
      { provider: 'ollama', env: { OLLAMA_HOST: '0.0.0.0:9' } },
      { provider: 'ollama', model: 'nomic-embed-text', base_url: 'http://127.0.0.1:9' },
    ],
  ])('%s', (_, settings, expected) => {
    expect(made(settings).selected()).toEqual(expected);
  });

  it.each<[Settings, RegExp]>([
    [{ provider: 'foo' }, /DAYBOOK_EMBEDDING_PROVIDER.*'foo'.*ollama, openai, voyage, cohere, gemini, local/],
    [{ provider: 'local', model: 'other' }, /model: .*hashed-512/],
    [{ provider: 'cohere', dimensions: 7 }, /embedding_dimensions: embed-v4.0 .*256, 512, 1024, 1536/],
    [{ provider: 'ollama', env: { OLLAMA_HOST: 'http://user:pass@host' } }, /OLLAMA_HOST/],
  ])('refuses %j', (settings, message) => {
    expect(() => made(settings).selected()).toThrow(message);
  });
});

describe('the model of a request', () => {
  it.each([
    [null, null],
    ['openai', undefined],
    [undefined, 'text-embedding-3-small'],
    ['no-such', null],
  ])('is the configured one without a pair: %j %j', (provider, model) => {
    expect(made().choose(provider, model)).toEqual({ provider: 'local', model: 'hashed-512' });
  });

  it('is the given pair, in any case, trimmed', () => {
    expect(made().choose(' VOYAGE', ' voyage-3.5 ')).toEqual({ provider: 'voyage', model: 'voyage-3.5' });
  });

  it.each([
    ['nope', 'x', /provider: unknown embedding provider 'nope'/],
    ['<b>"x"', 'x', /'bx'/],
    ['', 'x', /provider/],
    ['openai', '', /model: must not be empty/],
    ['openai', '   ', /model: must not be empty/],
  ])('%j %j is refused', (provider, model, message) => {
    expect(() => made().choose(provider, model)).toThrow(message);
  });

  it('needs a key to be opened', () => {
    expect(() => made().open({ provider: 'cohere', model: 'embed-v4.0' })).toThrow(/COHERE_API_KEY/);
  });
});

it.each<[Settings, string]>([
  [{}, 'local/hashed-512 (512d, local)'],
  [{ provider: 'ollama' }, 'ollama/nomic-embed-text (768d, local)'],
  [{ provider: 'ollama', model: 'nomic-embed-text:latest' }, 'ollama/nomic-embed-text:latest (768d, local)'],
  [
    { provider: 'ollama', model: 'qwen3-embedding:0.6b' },
    'ollama/qwen3-embedding:0.6b (dimension not known yet, local)',
  ],
  [{ provider: 'openai' }, 'openai/text-embedding-3-small (1536d, cloud)'],
  [{ provider: 'openai', dimensions: 256 }, 'openai/text-embedding-3-small (256d, cloud)'],
  [{ provider: 'openai', model: 'next' }, 'openai/next (dimension not known yet, cloud)'],
])('what is said of a model: %j: %s', (settings, expected) => {
  const embedders = made(settings);
  expect(embedders.describe(embedders.selected()).text).toBe(expected);
});

describe('the providers', () => {
  it('are six, in their order, with what each needs', () => {
    const rows = made({ env: { VOYAGE_API_KEY: 'k', GOOGLE_API_KEY: 'k', CO_API_KEY: ' ' } }).providers();
    expect(rows.map((row) => [row.id, row.requires_api_key, row.is_local, row.availability.state])).toEqual([
      ['ollama', false, true, 'ready'],
      ['openai', true, false, 'needs_api_key'],
      ['voyage', true, false, 'ready'],
      ['cohere', true, false, 'needs_api_key'],
      ['gemini', true, false, 'ready'],
      ['local', false, true, 'ready'],
    ]);
  });

  it('list their default among their models', () => {
    for (const row of made().providers()) {
      expect(row.models.map(({ id }) => id)).toContain(row.default_model);
      expect(row.provider).toBe(row.id);
      for (const model of row.models) expect(model.provider).toBe(row.id);
    }
  });
});

describe('the built-in model', () => {
  it('is always the same for the same text, and a document is a query', async () => {
    const embedder = made().open({ provider: 'local', model: 'hashed-512' });
    const [document] = await embedder.embedRaw(['jumps over the lazy dog'], { kind: 'document' });
    const [query] = await embedder.embedRaw(['jumps over the lazy dog'], { kind: 'query' });
    expect(document).toEqual(query);
    expect(document).toHaveLength(512);
    expect(Math.hypot(...document!)).toBeCloseTo(1, 5);
  });

  it('tells by its recipe when its function is another', () => {
    const open = (vector: (text: string) => Float32Array) =>
      createEmbedders({ env: {}, localVector: vector }).open({ provider: 'local', model: 'hashed-512' });
    expect(open(localVector).recipe).toBe(open(localVector).recipe);
    expect(open(() => Float32Array.of(1, 0)).recipe).not.toBe(open(localVector).recipe);
  });
});

it('a batch has a bounded number of texts and characters', () => {
  const host = { ...HOSTS.openai, batchTexts: 3, batchCharacters: 10 };
  expect(batchesOf(host, [])).toEqual([]);
  expect(batchesOf(host, ['a', 'b', 'c', 'd'])).toEqual([['a', 'b', 'c'], ['d']]);
  expect(batchesOf(host, ['123456', '12345', '1234', 'x'.repeat(99), 'y'])).toEqual([
    ['123456'],
    ['12345', '1234'],
    ['x'.repeat(99)],
    ['y'],
  ]);
});
