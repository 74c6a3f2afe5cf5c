/** Searching the index over HTTP. */
import { beforeEach, describe, expect, it } from 'vitest';
import { indexOf, sharedBench, writeFiles } from './support.ts';

const bench = sharedBench();
const index = () => indexOf(bench.daemon);

const OLLAMA = { provider: 'ollama', model: 'nomic-embed-text' };

it.each([
  ['', /q/],
  ['q=', /q: must not be empty/],
  ['q=%20', /q: must not be empty/],
  [`q=${'x'.repeat(2001)}`, /q: must have at most 2000/],
  ['q=a&k=0', /k: must be from 1 to 100/],
  ['q=a&k=101', /k: must be from 1 to 100/],
  ['q=a&k=1.5', /k: must be a whole number/],
  ['q=a&k=many', /k: must be a whole number/],
  ['q=a&provider=nope&model=x', /provider/],
])('GET /index/search?%s is refused', async (query, message) => {
  const response = await bench.daemon.request(`/index/search?${query}`);
  expect([response.status, await response.json()]).toEqual([400, { error: expect.stringMatching(message) }]);
});

describe('GET /index/search', () => {
  beforeEach(async () => {
    writeFiles(bench.workspace, {
      'src/retry.ts':
        '/** Waits before a failed request is sent again. */\nexport function backoffMs(attempt: number): number {\n  return 2 ** attempt;\n}\n',
      'src/colour.ts': 'export const palette = ["red", "green"];\n',
      'docs/guide.md': '# Guide\n\nHow to choose colours for the palette.\n',
    });
    await index().build();
  });

  it('answers places with every part of their score', async () => {
    const { status, body } = await index().search('how long until a failed request is retried', { k: '1' });
    expect(status).toBe(200);
    expect(body).toEqual({
      query: 'how long until a failed request is retried',
      model: { provider: 'local', model: 'hashed-512' },
      results: [
        {
          path: 'src/retry.ts',
          start_line: 1,
          end_line: 4,
          language: 'typescript',
          symbol: 'backoffMs',
          text: expect.stringContaining('2 ** attempt'),
          score: expect.any(Number),
          vector_score: expect.any(Number),
          lexical_score: 1,
        },
      ],
      notes: [],
    });
  });

  it('finds by names in any spelling', async () => {
    expect((await index().search('backoff_ms')).body.results[0].path).toBe('src/retry.ts');
    expect((await index().search('guide')).body.results[0].path).toBe('docs/guide.md');
  });

  it('says which model has no index', async () => {
    const { status, body } = await index().search('a', OLLAMA);
    expect([status, body.error]).toEqual([404, expect.stringContaining('ollama/nomic-embed-text')]);
  });

  it('survives a restart, and a rebuild of the views', async () => {
    const before = await index().search('palette');
    await bench.restart();
    expect(await index().search('palette')).toEqual(before);
    const { body: status } = await index().status();
    await bench.daemon.request('/v1/views/rebuild', { method: 'POST' });
    expect((await index().status()).body).toEqual(status);
  });
});
