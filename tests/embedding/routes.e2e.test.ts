/** The contract of the embedding routes and of the `embedding` block of `/health`, row by row. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daemonHere, type TestDaemon, testDaemon } from '../support/daemon.ts';
import { type FakeEmbedder, KEY, startFakeEmbedder, vectorOf } from './fake.ts';

let daemon: TestDaemon;
let ollama: FakeEmbedder;
let openai: FakeEmbedder;

beforeAll(async () => {
  ollama = await startFakeEmbedder('ollama');
  ollama.installed = ['nomic-embed-text:latest', 'qwen3:8b'];
  openai = await startFakeEmbedder('openai');
  daemon = await testDaemon({ env: { ...ollama.env, ...openai.env } });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all([ollama.close(), openai.close()]);
});

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
  readonly body: any;
  readonly text: string;
}

async function call(on: TestDaemon, path: string, body?: unknown): Promise<Answered> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await on.request(path, init);
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text };
}

describe('GET /embeddings/models', () => {
  it('has the providers in their order, the selected model and what Ollama has', async () => {
    const { status, body, text } = await call(daemon, '/embeddings/models');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['error', 'ollama_installed', 'providers', 'selected']);
    expect(body.providers.map((row: { id: string }) => row.id)).toEqual([
      'ollama',
      'openai',
      'voyage',
      'cohere',
      'gemini',
      'local',
    ]);
    expect(body.selected).toEqual({ provider: 'local', model: 'hashed-512' });
    expect(body.error).toBeNull();
    expect(body.ollama_installed).toEqual({ status: 'ok', models: ['nomic-embed-text:latest'] });
    expect(text).not.toContain(KEY);
  });

  it('has every field of a provider and of a model', async () => {
    const { body } = await call(daemon, '/embeddings/models');
    for (const row of body.providers) {
      expect(row).toEqual({
        provider: row.id,
        id: expect.any(String),
        display_name: expect.any(String),
        requires_api_key: expect.any(Boolean),
        is_local: row.id === 'ollama' || row.id === 'local',
        availability: { state: expect.stringMatching(/^(ready|needs_api_key|not_compiled_in)$/) },
        models: expect.any(Array),
        default_model: expect.any(String),
      });
      for (const model of row.models) {
        expect(Object.keys(model).sort()).toEqual(
          [
            'provider',
            'id',
            'display_name',
            'dimension',
            'supported_dimensions',
            'max_input_tokens',
            'document_prefix',
            'query_prefix',
            'recommended_for_code',
            'notes',
          ].sort(),
        );
      }
    }
  });
});

describe('POST /embeddings/embed', () => {
  it('answers the vectors of the configured model', async () => {
    const { status, body } = await call(daemon, '/embeddings/embed', { texts: ['a b', 'c d'] });
    expect(status).toBe(200);
    expect(body.model).toEqual({ provider: 'local', model: 'hashed-512' });
    expect(body.dimension).toBe(512);
    expect(body.embeddings.map((vector: number[]) => vector.length)).toEqual([512, 512]);
  });

  it('answers the vectors of a given model as they came, with the length they really have', async () => {
    const { body } = await call(daemon, '/embeddings/embed', {
      texts: ['one', 'two'],
      kind: 'query',
      provider: 'OLLAMA',
      model: ' nomic-embed-text ',
    });
    expect(body).toEqual({
      model: { provider: 'ollama', model: 'nomic-embed-text' },
      dimension: 8,
      embeddings: [vectorOf('search_query: one', 8), vectorOf('search_query: two', 8)],
    });
  });

  it('takes a text for a document when nothing else is said', async () => {
    const { body } = await call(daemon, '/embeddings/embed', {
      texts: ['x'],
      provider: 'ollama',
      model: 'nomic-embed-text',
    });
    expect(body.embeddings).toEqual([vectorOf('search_document: x', 8)]);
  });

  it.each([
    [{ texts: ['a'], provider: 'openai' }],
    [{ texts: ['a'], model: 'text-embedding-3-small' }],
    [{ texts: ['a'], provider: null, model: null, kind: null }],
  ])('half a pair means the configured model: %j', async (body) => {
    expect((await call(daemon, '/embeddings/embed', body)).body.model.provider).toBe('local');
  });

  it('has no dimension without texts', async () => {
    const { status, body } = await call(daemon, '/embeddings/embed', { texts: [] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ dimension: null, embeddings: [] });
  });

  it.each([
    [{}, 400, /texts/],
    [{ texts: 'a' }, 400, /texts/],
    [{ texts: [1] }, 400, /texts\.0/],
    [{ texts: Array(2049).fill('') }, 400, /texts: must have at most 2048/],
    [{ texts: ['a'], kind: 'passage' }, 400, /kind: must be document or query/],
    [{ texts: ['a'], provider: 'nope', model: 'x' }, 400, /provider: .*'nope'.*ollama, openai/],
    [{ texts: ['a'], provider: 'openai', model: ' ' }, 400, /model/],
    [{ texts: ['a'], provider: 'voyage', model: 'voyage-code-3' }, 400, /VOYAGE_API_KEY/],
    [{ texts: ['a'], provider: 'local', model: 'other' }, 400, /model/],
  ])('refuses %j', async (body, status, message) => {
    const refused = await call(daemon, '/embeddings/embed', body);
    expect(refused.status).toBe(status);
    expect(refused.body).toEqual({ error: expect.stringMatching(message) });
  });

  it('is 500 with a sentence when the provider fails, without the key', async () => {
    openai.trouble({ kind: 'refuse', status: 400, message: `no model x for ${KEY}` });
    const failed = await call(daemon, '/embeddings/embed', { texts: ['a'], provider: 'openai', model: 'x' });
    expect(failed.status).toBe(500);
    expect(failed.body.error).toContain('OpenAI: no model x');
    expect(failed.text).not.toContain(KEY);
  });

  it('keeps no vectors in the log, also with an Idempotency-Key', async () => {
    const send = () =>
      daemon.request('/embeddings/embed', {
        method: 'POST',
        headers: { 'idempotency-key': 'embed-1' },
        body: JSON.stringify({ texts: ['once'], provider: 'ollama', model: 'all-minilm' }),
      });
    const [first, second] = [await (await send()).json(), await (await send()).json()];
    expect(second).toEqual(first);
    // That the key was used is kept, and for which body: the vectors are not.
    const { events } = (await call(daemon, '/v1/events')).body;
    expect(events).toMatchObject([{ type: 'RequestAnswered', data: { body: null, status: 200 } }]);
  });
});

describe('settings', () => {
  it('of an unknown provider disable only what needs the provider', async () => {
    const odd = await daemonHere({ env: { DAYBOOK_EMBEDDING_PROVIDER: 'word2vec' } });
    const { body: models } = await call(odd, '/embeddings/models');
    expect(models.selected).toBeNull();
    expect(models.error).toContain('word2vec');
    const { body: health } = await call(odd, '/health');
    expect(health.embedding).toEqual({ status: 'misconfigured', error: models.error });
    for (const path of ['/index/status', '/index/search?q=x']) expect((await call(odd, path)).status).toBe(400);
    expect((await call(odd, '/index/build', {})).status).toBe(400);
    expect((await call(odd, '/embeddings/embed', { texts: [] })).status).toBe(400);
    const own = await call(odd, '/embeddings/embed', { texts: ['a'], provider: 'local', model: 'hashed-512' });
    expect(own.body.dimension).toBe(512);
  });

  it('of a model without its key say so', async () => {
    const keyless = await daemonHere({
      env: { DAYBOOK_EMBEDDING_PROVIDER: 'gemini', DAYBOOK_EMBEDDING_DIMENSIONS: '768' },
    });
    const { body: models } = await call(keyless, '/embeddings/models');
    expect(models.selected).toEqual({ provider: 'gemini', model: 'gemini-embedding-001', dimensions: 768 });
    expect(models.error).toContain('GEMINI_API_KEY');
    const { status, body } = await call(keyless, '/index/build', {});
    expect([status, body.error]).toEqual([400, expect.stringContaining('GEMINI_API_KEY')]);
  });
});

it('no answer or log line of the daemon has a key, also when the provider repeats it', async () => {
  const env = { ...openai.env, DAYBOOK_EMBEDDING_PROVIDER: 'openai' };
  const secretive = await daemonHere({ env });
  writeFileSync(join(secretive.workspace, 'a.md'), 'Text.\n');
  openai.trouble({ kind: 'refuse', status: 400, message: `Incorrect API key provided: ${KEY}` });
  const failed = await call(secretive, '/index/build', {});
  expect([failed.status, failed.body.error]).toEqual([500, expect.stringContaining('Incorrect API key')]);
  const paths = ['/index/status', '/embeddings/models', '/health', '/v1/events', '/v1/capabilities'];
  const said = await Promise.all(paths.map(async (path) => (await call(secretive, path)).text));
  expect([failed.text, ...said, ...secretive.lines].join('\n')).not.toContain(KEY);
});

it('/health names the model and no index', async () => {
  expect((await call(daemon, '/health')).body.embedding).toEqual({
    status: 'not_indexed',
    provider: 'local',
    model: 'hashed-512',
    dimensions: 512,
    local: true,
    description: 'local/hashed-512 (512d, local)',
    chunks: null,
    files: null,
    other_indexes: [],
  });
});
