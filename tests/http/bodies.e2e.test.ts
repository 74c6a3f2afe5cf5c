/** Request bodies: malformed, mistyped, oversized, odd and hostile input, each with its status. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { errorOf, inject, type Reply, send, type Wish } from './wire.ts';

const daemon = sharedDaemon();

const withToken = (wish: Wish): Wish => ({
  ...wish,
  headers: { authorization: `Bearer ${daemon.token}`, ...wish.headers },
});

function ask(target: string, wish: Wish = {}): Promise<Reply> {
  return inject(daemon, target, withToken(wish));
}

/** Over a socket: what `inject` would normalise, and how bodies are framed. */
function askOverSocket(target: string, wish: Wish = {}): Promise<Reply> {
  return send(daemon.url, target, withToken(wish));
}

const post = (target: string, body: string | Buffer, headers: Wish['headers'] = {}): Promise<Reply> =>
  ask(target, { method: 'POST', body, headers });

const MALFORMED: readonly (readonly [string, string | Buffer])[] = [
  ['half an object', '{"task":'],
  ['a bare word', 'task'],
  ['two values', '{} {}'],
  ['single quotes', "{'task':'x'}"],
  ['a trailing comma', '{"task":"x",}'],
  ['a comment', '{"task":"x"/**/}'],
  ['NaN', '{"task":NaN}'],
  ['a byte order mark only', '\uFEFF'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['an overlong UTF-8 slash', Buffer.concat([Buffer.from('{"task":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ['a UTF-8 surrogate', Buffer.concat([Buffer.from('{"task":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
  ['__proto__', '{"task":"x","__proto__":{"admin":true}}'],
  ['a nested __proto__', '{"task":"x","context_request":{"__proto__":{"kind":"Chat"}}}'],
  ['constructor.prototype', '{"task":"x","constructor":{"prototype":{"admin":true}}}'],
  ['half a character', '{"task":"\\ud800"}'],
  ['half a character in a name', '{"task":"x","\\udc00":1}'],
  ['half a character in a field nobody reads', '{"task":"x","y":["\\ud83d"]}'],
  ['a number beyond all numbers in a field nobody reads', '{"task":"x","y":-1e400}'],
  ['129 levels', `{"task":"x","y":${'['.repeat(128)}${']'.repeat(128)}}`],
  ['deep nesting', `{"task":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['deep nesting never closed', '['.repeat(100_000)],
];

// The body of an unknown path or method is not parsed: a wrong method is 405, not 400.
describe('a body that is no JSON', () => {
  it.each([
    ['/jobs', 405],
    ['/nowhere', 404],
  ])('to %s is %i', async (target, status) => {
    expect((await post(target, '{"half')).status).toBe(status);
    const type = { 'content-type': 'no type' };
    expect((await post(target, '{}', type)).status).toBe(status);
    // A method that must have a type, and has none.
    expect((await askOverSocket(target, { method: 'QUERY' })).status).toBe(status);
  });

  it('and a body of JSON that sets a prototype get different errors', async () => {
    expect(errorOf(await post('/agent', '{"task":'))).toBe('The body is not valid JSON.');
    expect(errorOf(await post('/agent', '{"task":"x","__proto__":{}}'))).toMatch(/prototype/);
  });
  it('says where in it the fault is', async () => {
    expect(errorOf(await post('/agent', '{"task":"x","y":[0,{"z":"\\ud83d"}]}'))).toMatch(
      /half of a character.* at y\.1\.z\./,
    );
    expect(errorOf(await post('/agent', '"\\ud83d"'))).toMatch(/half of a character[^.]*other half\.$/);
  });
  it('nor in a coding that is not read', async () => {
    const reply = await post('/agent', gzipSync('{"task":"x"}'), { 'content-encoding': 'gzip' });
    expect([reply.status, errorOf(reply)]).toEqual([415, expect.stringContaining('Content-Encoding gzip')]);
    for (const plain of ['identity', 'Identity', '']) {
      expect((await post('/agent', '{"task":"x"}', { 'content-encoding': plain })).status).toBe(200);
    }
  });
  it('a field named constructor is no attack', async () => {
    expect((await post('/agent', '{"task":"x","constructor":"Smith"}')).status).toBe(200);
    expect((await post('/agent', '{"task":"x","constructor":null}')).status).toBe(200);
  });
});

it.each(MALFORMED)('bodies that are no JSON object of ours: POST /agent with %s is 400', async (_name, body) => {
  const reply = await post('/agent', body);
  expect(reply.status).toBe(400);
  errorOf(reply);
});

const MISTYPED: readonly (readonly [string, string, string])[] = [
  ['/agent', 'an empty object', '{}'],
  ['/agent', 'no body', ''],
  ['/agent', 'null', 'null'],
  ['/agent', 'a list', '[]'],
  ['/agent', 'a string', '"task"'],
  ['/agent', 'a task that is a number', '{"task":1}'],
  ['/agent', 'a task that is null', '{"task":null}'],
  ['/agent', 'a blank task', '{"task":"  "}'],
  ['/agent', 'an approval that is a number', '{"task":"x","approval":1}'],
  ['/agent', 'negative extensions', '{"task":"x","max_step_extensions":-1}'],
  ['/agent', 'half an extension', '{"task":"x","max_step_extensions":1.5}'],
  ['/agent', 'infinitely many extensions', '{"task":"x","max_step_extensions":1e400}'],
  ['/agent', 'an unknown context kind', '{"task":"x","context_request":{"kind":"Nope"}}'],
  ['/chat', 'no messages', '{}'],
  ['/chat', 'messages that are an object', '{"messages":{}}'],
  ['/chat', 'a message without content', '{"messages":[{"role":"user"}]}'],
  ['/chat', 'content that is a list', '{"messages":[{"role":"user","content":[]}]}'],
  ['/chat/stream', 'no messages', '{}'],
  ['/chat/stream', 'a provider that is a number', '{"messages":[],"provider":1}'],
  ['/api/tasks', 'no title', '{}'],
  ['/api/tasks', 'a blank title', '{"title":" "}'],
  ['/pair', 'no token', '{}'],
  ['/pair', 'a token that is a list', '{"token":["x"]}'],
];

describe('bodies at the edge', () => {
  it.each(['DELETE', 'PUT', 'POST'])('%s with a content type and without a body is answered', async (method) => {
    const reply = await askOverSocket('/v1/goals/current', { method, headers: { 'content-type': 'application/json' } });
    expect(reply.status).toBe({ DELETE: 200, PUT: 400, POST: 405 }[method]);
  });

  it('128 levels and whole surrogate pairs are taken', async () => {
    const body = `{"title":"\\ud83d\\ude80","y":${'['.repeat(127)}${']'.repeat(127)}}`;
    const reply = await post('/api/tasks', body);
    expect([reply.status, (JSON.parse(reply.text) as { title: string }).title]).toEqual([200, '🚀']);
  });
});

describe('fields that are missing or of a wrong type', () => {
  it.each(MISTYPED)('POST %s with %s is 400', async (target, _name, body) => {
    const reply = await post(target, body);
    expect(reply.status).toBe(400);
    errorOf(reply);
  });

  it.each([
    ['GET', '/harness/profile', undefined],
    ['GET', '/harness/profile?provider=%20', undefined],
    ['PUT', '/harness/profile?provider=openai', '{"temperature":"hot"}'],
    ['PUT', '/harness/profile?provider=openai', '{"tool_transport":"pigeon"}'],
    ['PUT', '/harness/profile?provider=openai', '{"max_output_tokens":-1}'],
    ['GET', '/jobs?limit=0', undefined],
    ['GET', '/v1/events/stream?after=soon', undefined],
  ])('%s %s %s is 400', async (method, target, body) => {
    const reply = await ask(target, { method, ...(body === undefined ? {} : { body }) });
    expect(reply.status).toBe(400);
    errorOf(reply);
  });
});

describe('what the error says', () => {
  it('a field that is not there is missing, with what belongs there', async () => {
    const error = errorOf(await post('/memory/fact', '{"subject":"s","object":1}'));
    expect(error).toBe('Invalid body: predicate: is missing; it must be a string; object: must be a string');
  });

  // 40 000 unknown fields were answered with all their names: 828 kB.
  it('of many unknown fields the first are named and the rest counted', async () => {
    const names = Array.from({ length: 40_000 }, (_, n) => `unknown_${n}`);
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const error = errorOf(await ask('/harness/profile?provider=openai', { method: 'PUT', body }));
    expect(error).toBe(`Invalid body: unknown field ${names.slice(0, 5).join(', ')} and 39995 more`);
  });
});

describe('size', () => {
  const filled = (bytes: number): string => {
    const frame = '{"messages":[{"role":"user","content":""}]}';
    return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
  };

  it('1 MB is taken', async () => {
    expect((await post('/chat', filled(1_048_576))).status).toBe(200);
  });

  it.each(['/agent', '/chat', '/chat/stream', '/api/tasks'])('POST %s with a byte more is 413', async (target) => {
    const reply = await post(target, filled(1_048_577));
    expect(reply.status).toBe(413);
    errorOf(reply);
  });

  it('a chunked body is counted, too', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    const reply = await askOverSocket('/agent', { method: 'POST', body: filled(1_048_577), headers });
    expect(reply.status).toBe(413);
    errorOf(reply);
  });
});

it.each(['GET', 'HEAD'])(
  'a body where none is asked for: %s leaves it unread, whatever it is, and the connection serves the next request',
  async (method) => {
    const authorization = `Bearer ${daemon.token}`;
    for (const body of ['a=b', '{', 'x'.repeat(1_048_577)]) {
      const headers = { authorization, 'content-type': 'nonsense', 'content-length': String(body.length) };
      expect((await send(daemon.url, '/jobs', { method, headers, body })).status).toBe(200);
    }
  },
);

describe('content types', () => {
  const TYPES = [
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
  ];

  it.each(TYPES)('a JSON body with content type “%s” is taken', async (type) => {
    const reply = await post('/api/tasks', '{"title":"x"}', type === '' ? {} : { 'content-type': type });
    expect(reply.status).toBe(200);
  });

  it('a content type that cannot be read is 400', async () => {
    const reply = await post('/api/tasks', '{"title":"x"}', { 'content-type': 'nonsense' });
    expect(reply.status).toBe(400);
    errorOf(reply);
  });

  it.each([{}, { 'content-length': '0' }, { 'content-type': 'application/json' }])(
    'cancel needs no body (%o)',
    async (headers) => {
      const { session_id } = JSON.parse((await post('/agent', '{"task":"Say hello."}')).text) as { session_id: string };
      const reply = await askOverSocket(`/jobs/${session_id}/cancel`, { method: 'POST', headers });
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toMatchObject({ session_id });
    },
  );

  it('text outside the Basic Multilingual Plane survives', async () => {
    const title = 'Grüße 🚀 \u0000 end';
    const reply = await post('/api/tasks', JSON.stringify({ title }));
    expect(JSON.parse(reply.text)).toMatchObject({ title });
  });
});

describe('echoes in errors', () => {
  const long = 'a'.repeat(500);
  it.each([
    ['/jobs/', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', "Job 'scriptalert1script' not found"],
    ['/jobs/', '..%2f..%2fetc%2fpasswd', "Job '....etcpasswd' not found"],
    ['/jobs/', '%00%0d%0aX-Evil:%201', "Job 'X-Evil1' not found"],
    ['/jobs/', 'a%22%7D%2C', "Job 'a' not found"],
    ['/jobs/', 'a-b_c.d', "Job 'a-b_c.d' not found"],
    ['/jobs/', 'sch%C3%B6n', "Job 'schön' not found"],
    ['/jobs/', long, `Job '${long.slice(0, 200)}' not found`],
    ['/jobs/', `${'%2F'.repeat(300)}${long}`, `Job '${long.slice(0, 200)}' not found`],
    ['/stream/', 'x%3Cy', "Session 'xy' not found"],
    ['/api/tasks/', 'x%3Cy', "Task 'xy' not found"],
  ])('GET %s%s', async (path, id, message) => {
    const reply = await ask(path + id);
    expect([reply.status, errorOf(reply)]).toEqual([404, message]);
  });

  it('a job to cancel', async () => {
    const reply = await ask('/jobs/a%3Cb/cancel', { method: 'POST' });
    expect([reply.status, errorOf(reply)]).toEqual([404, "Job 'ab' not found"]);
  });

  it('field names are sanitised, too', async () => {
    const reply = await ask('/harness/profile?provider=openai', { method: 'PUT', body: '{"<img src=x>":1}' });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain('<');
  });
});

describe('odd targets', () => {
  it('10 000 query parameters do not hurt', async () => {
    const reply = await askOverSocket(`/jobs?${'a=1&'.repeat(3_000)}`);
    expect(reply.status).toBe(200);
    const tooLong = await askOverSocket(`/jobs?${'a=1&'.repeat(10_000)}`);
    expect(tooLong.status).toBe(431);
    errorOf(tooLong);
  });

  it.each(['/jobs/%zz', '/jobs/%', '/jobs/%c0%af', '/%ff'])('%s is refused as it stands', async (target) => {
    const reply = await askOverSocket(target);
    expect(reply.status).toBe(400);
    errorOf(reply);
  });

  it.each([
    '/view/..%2f..%2fpackage.json',
    '/view/%2e%2e',
    '/web/%2e%2e/package.json',
    '/web/..%2fpackage.json',
    '/web/scripts/..%2f..%2fpackage.json',
    '/web/styles/style.css%00.css',
  ])('%s leads nowhere', async (target) => {
    const reply = await askOverSocket(target);
    expect(reply.status).toBe(404);
    expect(reply.text).not.toContain('dependencies');
  });

  it.each(['/jobs/', '/view/', '/stream/', '/api/tasks/'])('a NUL in the id of %s is an unknown id', async (path) => {
    expect((await askOverSocket(`${path}%00`)).status).toBe(404);
  });

  it('an id of 5 000 characters is refused', async () => {
    const reply = await askOverSocket(`/jobs/${'a'.repeat(5_000)}`);
    expect(reply.status).toBe(414);
    errorOf(reply);
  });
});
