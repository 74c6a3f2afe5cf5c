/** The embedders port against providers on loopback that speak the five real wire formats. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmbedders } from '../../src/integrations/embedders/embedders.ts';
import { EmbedderError, type EmbeddingProvider } from '../../src/ports/embedder.ts';
import { until } from '../support/until.ts';
import { type FakeEmbedder, KEY, startFakeEmbedder, vectorOf, WIRE_NAMES, type WireName } from './fake.ts';

const MODELS: Readonly<Record<WireName, string>> = {
  ollama: 'nomic-embed-text',
  openai: 'text-embedding-3-small',
  voyage: 'voyage-code-3',
  cohere: 'embed-v4.0',
  gemini: 'gemini-embedding-001',
};

let fake: FakeEmbedder;

function embedders(env: Readonly<Record<string, string>> = {}, dimensions?: number) {
  return createEmbedders({ env: { ...fake.env, ...env }, dimensions, localVector: () => new Float32Array(4) });
}

const open = (provider: EmbeddingProvider, model: string, dimensions?: number) =>
  embedders().open({ provider, model, ...(dimensions !== undefined && { dimensions }) });

async function failure(work: Promise<unknown>): Promise<EmbedderError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EmbedderError);
  return error as EmbedderError;
}

describe.each(WIRE_NAMES)('%s', (name) => {
  const embedder = () => open(name, MODELS[name]);
  beforeEach(async () => {
    fake = await startFakeEmbedder(name);
  });
  afterEach(() => fake.close());

  it('answers the provider’s own numbers in the order of the texts', async () => {
    const texts = ['alpha', 'beta gamma', 'δ', 'alpha'];
    const prefix = name === 'ollama' ? 'search_document: ' : '';
    const vectors = await embedder().embedRaw(texts, { kind: 'document' });
    expect(vectors).toEqual(texts.map((text) => vectorOf(prefix + text, 8)));
  });

  it('answers vectors of length 1 to those who compare them', async () => {
    const [vector] = await embedder().embed(['alpha beta'], { kind: 'query' });
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
  });

  it('tries again after what may pass, as long as it was asked to wait', async () => {
    fake.trouble({ kind: 'refuse', status: 429, message: 'slow down', retryAfter: '0' }, { kind: 'drop' });
    fake.trouble({ kind: 'refuse', status: 503, message: 'overloaded', retryAfter: '0' });
    expect(await embedder().embedRaw(['a'], { kind: 'query' })).toHaveLength(1);
    expect(fake.seen).toHaveLength(4);
  });

  it('does not try again what cannot pass, and keeps the key to itself', async () => {
    fake.trouble({ kind: 'refuse', status: 400, message: `the model is not there, ${KEY}` });
    const error = await failure(embedder().embedRaw(['a'], { kind: 'query' }));
    expect(error.reason).toBe('refused');
    expect(error.message).toContain('the model is not there');
    expect(error.message).not.toContain(KEY);
    expect(fake.seen).toHaveLength(1);
  });

  it('neither follows nor repeats a redirect, and says what to set', async () => {
    fake.trouble({ kind: 'refuse', status: 307, message: 'moved' });
    const error = await failure(embedder().embedRaw(['a'], { kind: 'query' }));
    expect(error.message).toMatch(/ redirects to an unknown address \(307\), .*: set [A-Z_]+ to the final address\.$/);
    expect([error.reason, fake.seen.length]).toEqual(['refused', 1]);
  });

  it('gives up on a provider that wants a long pause', async () => {
    fake.trouble({ kind: 'refuse', status: 429, message: 'come back tomorrow', retryAfter: '86400' });
    expect((await failure(embedder().embedRaw(['a'], { kind: 'query' }))).message).toContain('come back tomorrow');
    // The other way to write it: the moment itself.
    const retryAfter = new Date(Date.now() + 86_400_000).toUTCString();
    fake.trouble({ kind: 'refuse', status: 429, message: 'not before noon', retryAfter });
    expect((await failure(embedder().embedRaw(['a'], { kind: 'query' }))).message).toContain('not before noon');
    expect(fake.seen).toHaveLength(2);
  });

  it('halves a batch that is too large for the provider', async () => {
    fake.batchMax = 3;
    const texts = Array.from({ length: 11 }, (_, at) => `text ${at}`);
    const vectors = await embedder().embedRaw(texts, { kind: 'query' });
    const prefix = name === 'ollama' ? 'search_query: ' : '';
    expect(vectors).toEqual(texts.map((text) => vectorOf(prefix + text, 8)));
  });

  it('sends texts in requests of bounded size', async () => {
    const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
    expect(await embedder().embedRaw(texts, { kind: 'document' })).toHaveLength(300);
    expect(Math.max(...fake.seen.map((each) => each.texts.length))).toBeLessThanOrEqual(256);
    expect(fake.texts()).toHaveLength(300);
  });

  it('sends a blank where a text is empty', async () => {
    expect(await embedder().embedRaw(['', 'a'], { kind: 'document' })).toHaveLength(2);
  });

  it.each([
    ['another number of vectors', [[1, 2]], 'vectors for 2 texts'],
    [
      'vectors of different dimensions',
      [
        [1, 2],
        [1, 2, 3],
      ],
      'numbers',
    ],
    ['something else than numbers', [['a'], ['b']], 'list of vectors'],
    ['an empty vector', [[], []], 'list of vectors'],
  ])('refuses %s', async (_, vectors, said) => {
    fake.trouble({ kind: 'vectors', vectors });
    const error = await failure(embedder().embedRaw(['a', 'b'], { kind: 'query' }));
    expect(error.reason).toBe('bad_output');
    expect(error.message).toContain(said);
  });

  it.each(['', '{"nothing":1}', '<html>', '[]', 'null'])('refuses the answer %j', async (text) => {
    fake.trouble({ kind: 'raw', text });
    expect((await failure(embedder().embedRaw(['a'], { kind: 'query' }))).reason).toBe('bad_output');
  });

  it('ends a request when its caller is gone', async () => {
    fake.trouble({ kind: 'hang' });
    const controller = new AbortController();
    const asked = embedder().embedRaw(['a'], { kind: 'query', signal: controller.signal });
    await until(() => fake.seen.length > 0);
    controller.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
  });

  it('reports that no server answers', async () => {
    const there = embedder();
    await fake.close();
    const error = await failure(there.embedRaw(['a'], { kind: 'query' }));
    expect(error.reason).toBe('unreachable');
  });
});

describe('what each provider is sent', () => {
  afterEach(() => fake.close());
  const ask = async (name: WireName, kind: 'document' | 'query', dimensions?: number) => {
    fake = await startFakeEmbedder(name);
    await open(name, MODELS[name], dimensions).embedRaw(['one', 'two'], { kind });
    return fake.seen[0]!;
  };

  it('ollama: prefixes, and that longer texts may be cut', async () => {
    const { body } = await ask('ollama', 'query');
    expect(body).toEqual({
      model: 'nomic-embed-text',
      input: ['search_query: one', 'search_query: two'],
      truncate: true,
    });
  });

  it('openai: floats of a shorter dimension', async () => {
    const { body, headers } = await ask('openai', 'document', 256);
    expect(body).toEqual({
      model: 'text-embedding-3-small',
      input: ['one', 'two'],
      encoding_format: 'float',
      dimensions: 256,
    });
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('voyage: the kind of text', async () => {
    const { body } = await ask('voyage', 'query', 512);
    expect(body).toEqual({
      model: 'voyage-code-3',
      input: ['one', 'two'],
      input_type: 'query',
      truncation: true,
      output_dimension: 512,
    });
  });

  it('cohere: the kind of text in its words', async () => {
    const { body } = await ask('cohere', 'document');
    expect(body).toEqual({
      model: 'embed-v4.0',
      texts: ['one', 'two'],
      input_type: 'search_document',
      embedding_types: ['float'],
      truncate: 'END',
    });
  });

  it('gemini: a request a text, with its task', async () => {
    const { body, path } = await ask('gemini', 'query', 768);
    expect(path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents');
    expect(body.requests[1]).toEqual({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text: 'two' }] },
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 768,
    });
  });
});

it('says whose key was rejected, by the name of its variable', async () => {
  fake = await startFakeEmbedder('openai');
  const wrong = embedders({ OPENAI_API_KEY: 'another-key' }).open({ provider: 'openai', model: 'm' });
  const error = await failure(wrong.embedRaw(['a'], { kind: 'query' }));
  expect(error.message).toContain('OPENAI_API_KEY');
  expect(error.message).not.toContain('another-key');
  await fake.close();
});

it('is asked by Gemini in the body to wait', async () => {
  fake = await startFakeEmbedder('gemini');
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '86400s' }];
  const error = { code: 429, message: 'quota exceeded', status: 'RESOURCE_EXHAUSTED', details };
  fake.trouble({ kind: 'raw', status: 429, text: JSON.stringify({ error }) });
  const { message } = await failure(open('gemini', MODELS.gemini).embedRaw(['a'], { kind: 'query' }));
  expect([message, fake.seen.length]).toEqual(['Google Gemini: quota exceeded (429)', 1]);
  await fake.close();
});

it('refuses another dimension than the one it asked for', async () => {
  fake = await startFakeEmbedder('openai');
  fake.trouble({ kind: 'vectors', vectors: [[1, 2, 3]] });
  const error = await failure(open('openai', 'text-embedding-3-small', 256).embedRaw(['a'], { kind: 'query' }));
  expect(error.message).toBe('OpenAI sent a vector of 3 numbers where 256 were due.');
  await fake.close();
});

describe('what Ollama has', () => {
  afterEach(() => fake.close());
  it('is the models that embed', async () => {
    fake = await startFakeEmbedder('ollama');
    fake.installed = ['qwen3:8b', 'nomic-embed-text:latest', 'bge-m3:latest', 'llama3.2:1b', 'all-minilm:l6-v2'];
    expect(await embedders().installed()).toEqual({
      status: 'ok',
      models: ['nomic-embed-text:latest', 'bge-m3:latest', 'all-minilm:l6-v2'],
    });
  });

  it('is unknown when the server does not answer', async () => {
    fake = await startFakeEmbedder('ollama');
    await fake.close();
    expect(await embedders().installed()).toEqual({ status: 'unreachable', error: 'ECONNREFUSED' });
  });
});
