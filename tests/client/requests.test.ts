/** Which requests the client repeats, when, and with which headers. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createClient, DaybookError } from '../../src/client/client.ts';

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

type Reply = () => Response;

const ok: Reply = () => Response.json({ position: 1 });
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  () =>
    Response.json({ error: `status ${code}` }, { status: code, headers });
const refused: Reply = () => {
  throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
};
const cutOff: Reply = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.error(new TypeError('terminated'));
      },
    }),
  );

/** A client whose requests are answered by these, one after the other, and what it sent. */
function answered(replies: readonly Reply[], options: ClientOptions = {}) {
  const seen: Seen[] = [];
  const left = [...replies];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    seen.push({ url: request.url, method: request.method, headers: request.headers, body: await request.text() });
    return left.shift()!();
  };
  const client = createClient({ url: 'http://daemon.test/', token: 'secret', fetch, ...options });
  return { client, seen };
}

/** The result of a call while its pauses pass at once. */
async function settled<Value>(call: Promise<Value>): Promise<Value | DaybookError> {
  const result = call.catch((error: unknown) => {
    if (error instanceof DaybookError) return error;
    throw error;
  });
  await vi.runAllTimersAsync();
  return result;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a request', () => {
  it('is not sent with a token that no header can have, which no error shows', async () => {
    const { client, seen } = answered([], { token: 'secret\n# of the team' });
    await expect(client.log.head()).rejects.toThrow(new TypeError('The token is not one word of ASCII.'));
    expect(seen).toEqual([]);
  });

  it('has a token without the line feed of its file, as a socket needs it', async () => {
    const { client } = answered([], { token: () => 'secret\n' });
    expect(await client.daemon()).toEqual({ url: 'http://daemon.test', token: 'secret' });
  });

  it('has the token, the query and a body of JSON', async () => {
    const { client, seen } = answered([ok, ok]);
    await client.log.list({ query: { after: 3, limit: undefined, type: 'a b' } });
    await client.goals.create(
      { title: 'x', statement: undefined },
      { headers: { 'X-Trace': '1' }, idempotencyKey: 'mine' },
    );
    expect(seen[0]!.url).toBe('http://daemon.test/v1/events?after=3&type=a+b');
    expect(seen[0]!.headers.get('authorization')).toBe('Bearer secret');
    expect(seen[0]!.headers.get('idempotency-key')).toBeNull();
    expect(seen[1]!.body).toBe('{"title":"x"}');
    expect(Object.fromEntries(seen[1]!.headers)).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'mine',
      'x-trace': '1',
    });
  });

  it('keeps a path parameter in its place', async () => {
    const { client, seen } = answered([ok]);
    await client.runs.get('a/b?c#d');
    expect(seen[0]!.url).toBe('http://daemon.test/jobs/a%2Fb%3Fc%23d');
    for (const id of ['', '.', '..']) await expect(client.runs.get(id)).rejects.toThrow(TypeError);
  });

  it('whose answer is not JSON fails with the text of the answer', async () => {
    const page = '<html>Log in</html>';
    const { client, seen } = answered([() => new Response(page)]);
    const error = await settled(client.runs.list());
    expect(error).toBeInstanceOf(DaybookError);
    expect(error).toMatchObject({ status: 200, error: 'The answer of the daemon is not JSON.', body: page });
    expect(seen).toHaveLength(1);
  });

  it('sends bytes with their type', async () => {
    const { client, seen } = answered([ok]);
    await client.voice.transcribe({ type: 'audio/wav', bytes: new Uint8Array([65, 66]) });
    expect([seen[0]!.body, seen[0]!.headers.get('content-type')]).toEqual(['AB', 'audio/wav']);
  });
});

describe('is repeated', () => {
  it.each<[string, Reply]>([
    ['no answer', refused],
    ['a cut answer', cutOff],
    ['503', status(503)],
    ['429', status(429)],
  ])('a GET after %s', async (_name, reply) => {
    const { client, seen } = answered([reply, reply, ok]);
    expect(await settled(client.log.head())).toEqual({ position: 1 });
    expect(seen).toHaveLength(3);
  });

  it('a mutation, with the key of the first attempt', async () => {
    const { client, seen } = answered([refused, cutOff, ok]);
    await settled(client.goals.create({ title: 'x' }));
    const keys = seen.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('a PUT, which has no key', async () => {
    const { client, seen } = answered([refused, ok]);
    await settled(client.harness.setProfile({ temperature: 0 }, { query: { provider: 'p' } }));
    expect(seen.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null]);
  });

  it('as often as it is told', async () => {
    for (const retriesMax of [0, 2]) {
      const { client, seen } = answered([refused, refused, refused], { retriesMax });
      expect(await settled(client.log.head())).toMatchObject({ status: 0 });
      expect(seen).toHaveLength(retriesMax + 1);
    }
  });

  it('after Retry-After, and the waits are told', async () => {
    const waits: number[] = [];
    const onRetry = ({ waitMs }: { readonly waitMs: number }): void => void waits.push(waitMs);
    const { client } = answered([status(429, { 'retry-after': '7' }), refused, refused, ok], { onRetry });
    await settled(client.log.head());
    expect(waits[0]).toBe(7_000);
    expect(waits[1]).toBeGreaterThanOrEqual(200);
    expect(waits[1]).toBeLessThanOrEqual(400);
    expect(waits[2]).toBeGreaterThanOrEqual(400);
    expect(waits[2]).toBeLessThanOrEqual(800);
  });
});

describe('is not repeated', () => {
  it.each<[string, Reply]>([
    ['404', status(404)],
    ['500', status(500)],
    ['a Retry-After of more than a minute', status(503, { 'retry-after': '61' })],
  ])('a GET after %s', async (_name, reply) => {
    const { client, seen } = answered([reply, ok]);
    expect(await settled(client.log.head())).toBeInstanceOf(DaybookError);
    expect(seen).toHaveLength(1);
  });

  it('a mutation without a key, unless the daemon did not look at it', async () => {
    const lost = answered([refused, ok]);
    expect(await settled(lost.client.goals.create({ title: 'x' }, { idempotencyKey: null }))).toMatchObject({
      status: 0,
    });
    expect(lost.seen).toHaveLength(1);
    const limited = answered([status(429), ok]);
    await settled(limited.client.goals.create({ title: 'x' }, { idempotencyKey: null }));
    expect(limited.seen).toHaveLength(2);
  });

  it('when its signal ends the pause', async () => {
    const controller = new AbortController();
    const { client, seen } = answered([refused, ok]);
    const call = client.log.head({ signal: controller.signal });
    const failed = expect(call).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(10);
    controller.abort(new Error('enough'));
    await failed;
    expect(seen).toHaveLength(1);
  });
});

describe('401', () => {
  it('asks for the token again, once', async () => {
    const tokens = ['old', 'new'];
    const { client, seen } = answered([status(401), ok], { token: () => tokens.shift() });
    expect(await settled(client.log.head())).toEqual({ position: 1 });
    expect(seen.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer old', 'Bearer new']);
  });

  it('waits a moment for a token that is not there yet', async () => {
    const tokens = ['old', 'old', 'new'];
    const { client, seen } = answered([status(401), ok], { token: () => tokens.shift() });
    expect(await settled(client.log.head())).toEqual({ position: 1 });
    expect(seen).toHaveLength(2);
  });

  it('is an error when the token stays, when the new one is refused too, and when it was given as text', async () => {
    const stays = answered([status(401), ok], { token: () => 'old' });
    expect(await settled(stays.client.log.head())).toMatchObject({ status: 401 });
    const tokens = ['old', 'new', 'newer'];
    const refusedToo = answered([status(401), status(401), ok], { token: () => tokens.shift() });
    expect(await settled(refusedToo.client.log.head())).toMatchObject({ status: 401 });
    const fixed = answered([status(401), ok]);
    expect(await settled(fixed.client.log.head())).toMatchObject({ status: 401 });
    expect([stays.seen.length, refusedToo.seen.length, fixed.seen.length]).toEqual([1, 2, 1]);
  });
});

it.each<[string, Reply, object]>([
  ['the sentence of the daemon', status(404), { status: 404, error: 'status 404', body: { error: 'status 404' } }],
  [
    'the status of another answer',
    () => new Response('<html>', { status: 418, statusText: 'Teapot' }),
    { status: 418, error: 'The daemon answered 418 Teapot.', body: '<html>' },
  ],
  [
    'the pause that the daemon asks for',
    status(503, { 'retry-after': '90' }),
    { status: 503, retryAfter: 90, message: 'status 503' },
  ],
  ['the reason', refused, { status: 0, error: 'The daemon at http://daemon.test does not answer: ECONNREFUSED.' }],
])('an error has %s', async (_name, reply, facts) => {
  const { client } = answered([reply], { retriesMax: 0 });
  const error = await settled(client.log.head());
  expect(error).toBeInstanceOf(DaybookError);
  expect(error).toMatchObject(facts);
});

it('in a page its origin is the address', async () => {
  vi.stubGlobal('location', { origin: 'http://page.test', protocol: 'http:' });
  const { client, seen } = answered([ok], { url: undefined, token: 'x' });
  await client.log.head();
  expect(seen[0]!.url).toBe('http://page.test/v1/log/head');
  vi.unstubAllGlobals();
});
