/** Failures of providers, on every wire format: the kind of the error, its message, and that it contains no secret. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createModels } from '../../src/integrations/models/models.ts';
import type { ModelsPort } from '../../src/ports/models.ts';
import {
  type Behaviour,
  cutsOff,
  drops,
  endsEarly,
  type FakeProvider,
  failsInStream,
  garbles,
  rateLimits,
  refuses,
  sendsDocument,
} from '../fakes/providers/server.ts';
import { ask, connect, failure, KEY, READ_FILE, WIRES } from './support.ts';

type Row = readonly [name: string, behaviour: Behaviour, kind: string, status: number | null];

const ROWS: readonly Row[] = [
  ['a rate limit', rateLimits(7), 'transient', 429],
  ['a timeout', refuses(408), 'transient', 408],
  ['a conflict', refuses(409), 'transient', 409],
  ['a broken server', refuses(500), 'transient', 500],
  ['a bad gateway', refuses(502), 'transient', 502],
  ['an overloaded server', refuses(529), 'transient', 529],
  ['a dropped connection', drops, 'transient', null],
  ['a stream that breaks', cutsOff('Half an ans'), 'transient', null],
  ['a stream that ends without a finish', endsEarly('Half an ans'), 'transient', null],
  ['a stream that ends at once', endsEarly(), 'transient', null],
  ['a chunk that is no JSON', garbles('Half'), 'transient', null],
  ['a redirect', refuses(302, 'moved', { location: `https://elsewhere.example/v1?key=${KEY}` }), 'fatal', 302],
  ['a redirect to nowhere', refuses(301), 'fatal', 301],
  ['a bad request', refuses(400, 'no such field'), 'fatal', 400],
  ['an unknown model', refuses(404, 'no such model'), 'fatal', 404],
  ['a request that is too large', refuses(413, 'too much'), 'fatal', 413],
  ['a rejected key', refuses(401, `bad key ${KEY}`), 'fatal', 401],
  ['a forbidden key', refuses(403, `bad key ${KEY}`), 'fatal', 403],
];

describe.each(WIRES)('$name', (wire) => {
  let fake: FakeProvider;
  let models: ModelsPort;
  beforeEach(async () => {
    ({ fake, models } = await connect(wire));
  });

  test.each(ROWS)('%s', async (_name, behaviour, kind, status) => {
    fake.script(behaviour);
    const error = await failure(ask(models, { provider: wire.provider, tools: [READ_FILE] }));
    expect([error.kind, error.status]).toEqual([kind, status]);
    expect(error.message).not.toContain(KEY);
    // One call is one request: the layers below do not retry.
    expect(fake.requests).toHaveLength(1);
  });

  test('an error event in the stream is an error, hopeless or not', async () => {
    const [busy, hopeless] =
      wire.provider === 'google' ? ['UNAVAILABLE', 'INVALID_ARGUMENT'] : ['overloaded_error', 'invalid_request_error'];
    for (const start of [['Half an ans'], []]) {
      fake.script(failsInStream(busy!, ...start), failsInStream(hopeless!, ...start));
      expect((await failure(ask(models, { provider: wire.provider }))).kind).toBe('transient');
      const error = await failure(ask(models, { provider: wire.provider }));
      expect(error.kind).toBe('fatal');
      expect(error.message).toContain('the fake broke');
    }
  });

  test('what the provider says is passed on, without keys and cut to size', async () => {
    fake.script(refuses(400, `the field is wrong, ${KEY}, Bearer ${KEY} sk-proj-abcdefghijkl ${'x'.repeat(5_000)}`));
    const error = await failure(ask(models, { provider: wire.provider }));
    expect(error.message).toContain('the field is wrong');
    expect(error.message).not.toContain(KEY);
    expect(error.message).not.toContain('sk-proj');
    expect(error.message.length).toBeLessThan(700);
  });

  test('a document in place of a stream is an error that says so, or has the message of the document', async () => {
    const refusal = JSON.stringify({ error: { type: 'billing_error', message: 'no credit is left' } });
    fake.script(sendsDocument(200, '\n<!doctype html><p>Sign in</p>'), sendsDocument(200, refusal));
    const page = await failure(ask(models, { provider: wire.provider }));
    expect([page.kind, page.message]).toEqual(['transient', expect.stringContaining('is a document, not a stream')]);
    const unpaid = await failure(ask(models, { provider: wire.provider }));
    expect([unpaid.kind, unpaid.message]).toEqual(['fatal', expect.stringMatching(/^[\w ]+: no credit is left$/)]);
  });

  test('a rejected key names the variable and repeats nothing of the provider', async () => {
    fake.script(refuses(401, 'you sent abcdef'));
    const { message } = await failure(ask(models, { provider: wire.provider }));
    expect(message).toMatch(/[A-Z]+_API_KEY/);
    expect(message).not.toContain('abcdef');
  });

  test('retry-after in seconds, milliseconds and as a date', async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const byAnotherClock = { date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT' };
    fake.script(
      rateLimits(7),
      refuses(503, 'busy', { 'retry-after-ms': '1500', 'retry-after': '2' }),
      refuses(429, 'busy', { 'retry-after': later }),
      refuses(503),
      refuses(429, 'busy', byAnotherClock),
    );
    const waits: (number | null)[] = [];
    for (let call = 0; call < 5; call++) {
      waits.push((await failure(ask(models, { provider: wire.provider }))).retryAfterMs);
    }
    expect([waits[0], waits[1], waits[3], waits[4]]).toEqual([7_000, 1_500, null, 30_000]);
    expect(waits[2]).toBeGreaterThan(3_000_000);
  });

  // It became Infinity, which no event can hold: the run ended with an internal error.
  test('a retry-after of hundreds of digits is a number all the same', async () => {
    fake.script(refuses(429, 'busy', { 'retry-after': '9'.repeat(400) }));
    const { retryAfterMs } = await failure(ask(models, { provider: wire.provider }));
    expect(retryAfterMs).toBe(Number.MAX_SAFE_INTEGER);
    fake.script(refuses(429, 'busy', { 'retry-after-ms': '9'.repeat(40) }));
    expect((await failure(ask(models, { provider: wire.provider }))).retryAfterMs).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('a retry-after in milliseconds without a number is none', async () => {
    fake.script(refuses(429, 'busy', { 'retry-after-ms': '', 'retry-after': '7' }));
    expect((await failure(ask(models, { provider: wire.provider }))).retryAfterMs).toBe(7_000);
  });
});

test('a server that is not there is transient and says so', async () => {
  const { fake } = await connect(WIRES[0]!);
  await fake.close();
  const models = createModels({ env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: fake.url } });
  const error = await failure(ask(models, { provider: 'openai' }));
  expect(error.kind).toBe('transient');
  expect(error.message).toContain('ECONNREFUSED');
});

test('Gemini says in the body how long to wait', async () => {
  const { fake, models } = await connect(WIRES[3]!);
  fake.script(refuses(429));
  expect((await failure(ask(models, { provider: 'google' }))).retryAfterMs).toBe(37_000);
});

test.each([
  [{ error: 'No models loaded' }, 'No models loaded'],
  [{ code: 'invalid', error: 'Model not found: m' }, 'Model not found: m'],
  [{ message: 'Model m does not exist', type: 'not_found_error', code: 'model_not_found' }, 'Model m does not exist'],
  [{ object: 'error', message: 'max_tokens is too large', code: 400 }, 'max_tokens is too large'],
  [{ object: 'error', message: { detail: [{ loc: ['body', 'x'], msg: 'Extra inputs' }] } }, 'Extra inputs'],
  [{ detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] }, 'Field required'],
  [[{ error: { code: 404, message: 'models/m is not found', status: 'NOT_FOUND' } }], 'models/m is not found'],
  [{ error: { code: 7 }, message: '' }, 'Bad Request'],
])('a refusal with the body %j says %s', async (body, said) => {
  const { fake, models } = await connect(WIRES[0]!);
  fake.script(sendsDocument(400, JSON.stringify(body)));
  expect((await failure(ask(models, { provider: 'openai' }))).message).toBe(`OpenAI: ${said} (400)`);
  fake.script(sendsDocument(200, `data: ${JSON.stringify(body)}\n\n`));
  const inStream = said === 'Bad Request' ? 'not a valid message of this provider' : said;
  expect((await failure(ask(models, { provider: 'openai' }))).message).toContain(inStream);
});

test.each([
  'This model’s maximum context length is 128000 tokens',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)',
  'Please reduce the length of the messages or completion',
])('the refusal of a conversation that is too long names the setting: %s', async (message) => {
  const { fake, models } = await connect(WIRES[0]!);
  fake.script(refuses(400, message));
  const said = (await failure(ask(models, { provider: 'openai' }))).message;
  expect(said).toBe(
    `OpenAI: ${message} (400). Runs keep within context_window_fallback of the harness profile (PUT /harness/profile); ` +
      'a chat has to be shorter.',
  );
  await fake.close();
});
