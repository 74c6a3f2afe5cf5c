/**
 * `POST /chat/stream` byte for byte: tokens with every kind of white space, the empty `done`, and errors without
 * `done`.
 */
import { describe, expect, it } from 'vitest';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { type Answer, cutsOff, hangs, refuses, says } from '../fakes/providers/server.ts';
import { sharedBench } from '../run/support.ts';

const setup = sharedBench();

const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });
const ask = (): Promise<Response> => setup.daemon.request('/chat/stream', { method: 'POST', body: BODY });
const DONE = 'event: done\ndata: \n\n';

/** The bytes of a token and their split into data lines by the standard's rules. */
const TOKENS: readonly { readonly token: string; readonly bytes: string }[] = [
  { token: 'Hello', bytes: 'data: Hello\n\n' },
  { token: '  two leading spaces', bytes: 'data:   two leading spaces\n\n' },
  { token: 'one\ntwo', bytes: 'data: one\ndata: two\n\n' },
  { token: '\n', bytes: 'data: \ndata: \n\n' },
  { token: 'end\n\n', bytes: 'data: end\ndata: \ndata: \n\n' },
  { token: 'carriage\r\nreturn', bytes: 'data: carriage\ndata: return\n\n' },
  { token: 'lone\rreturn', bytes: 'data: lone\ndata: return\n\n' },
  { token: 'data: event: done', bytes: 'data: data: event: done\n\n' },
  { token: ':not a comment', bytes: 'data: :not a comment\n\n' },
  { token: 'Ünïcödé 🌱', bytes: 'data: Ünïcödé 🌱\n\n' },
  { token: ' ', bytes: 'data:  \n\n' },
];

describe('tokens', () => {
  it('are split into data lines, in order, and read back they are the text the model wrote', async () => {
    setup.provider.script(says(...TOKENS.map(({ token }) => token)));
    const response = await ask();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const text = await response.text();
    expect(text).toBe(TOKENS.map(({ bytes }) => bytes).join('') + DONE);
    const events = await readSse(new Response(text));
    const read = events.filter(({ event }) => event === undefined).map(({ data }) => data);
    expect(read.join('')).toBe(TOKENS.map(({ token }) => token.replace(/\r\n?/g, '\n')).join(''));
  });
});

// A break whose two characters came in two pieces was read as two breaks: `/chat` and `/chat/stream` disagreed.
it.each([
  [['one\r', '\ntwo'], 'data: one\n\ndata: \ndata: two\n\n'],
  [['one\r', 'two'], 'data: one\n\ndata: \ndata: two\n\n'],
  [['\r', '\r', '\n'], 'data: \ndata: \n\ndata: \ndata: \n\n'],
  [['end\r'], 'data: end\n\ndata: \ndata: \n\n'],
])('the pieces %j have the breaks of their text', async (pieces, bytes) => {
  setup.provider.script(says(...pieces));
  const text = await (await ask()).text();
  expect(text).toBe(bytes + DONE);
  const events = await readSse(new Response(text));
  const read = events.filter(({ event }) => event === undefined).map(({ data }) => data);
  expect(read.join('')).toBe(pieces.join('').replace(/\r\n?/g, '\n'));
});

describe('errors', () => {
  it('before the first token: status 200, one error event, no done', async () => {
    setup.provider.script(refuses(401));
    const response = await ask();
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/^event: error\ndata: LLM provider error: [^\n]+\n\n$/);
  });

  it('after some tokens: the tokens, one error event, no done', async () => {
    setup.provider.script(cutsOff('Half a ', 'sentence'));
    const text = await (await ask()).text();
    expect(text).toMatch(/^data: Half a \n\ndata: sentence\n\nevent: error\ndata: Stream error: [^\n]+\n\n$/);
  });
});

// These were a whole answer, followed by `done`, and a 200 of `/chat`.
describe('an answer that is not whole', () => {
  const part = (finish: NonNullable<Answer['finish']>, ...text: readonly string[]): Answer => ({
    kind: 'answer',
    text,
    finish,
  });
  const whole = async (): Promise<unknown> =>
    (await setup.daemon.request('/chat', { method: 'POST', body: BODY })).json();

  it.each([
    [part('length', 'Half a'), '[The answer is cut off: it reached its limit of tokens.]'],
    [part('content_filter', 'Half a'), '[The answer is cut off: the provider’s filter ended it.]'],
  ])('%j says so at its end', async (answer, note) => {
    setup.provider.script(answer, answer);
    expect(await (await ask()).text()).toBe(`data: Half a\n\ndata: \ndata: \ndata: ${note}\n\n${DONE}`);
    expect(await whole()).toEqual({ content: `Half a\n\n${note}` });
  });

  it.each([
    [part('content_filter'), 'LLM provider error: The provider’s filter withheld the answer.'],
    [part('length'), 'LLM provider error: The answer reached its limit of tokens before it said anything.'],
  ])('%j is an error', async (answer, error) => {
    setup.provider.script(answer, answer);
    expect(await (await ask()).text()).toBe(`event: error\ndata: ${error}\n\n`);
    expect(await whole()).toEqual({ error });
  });

  it('because it is empty is asked for again', async () => {
    setup.provider.script(says(), says('Hello'));
    expect(await whole()).toEqual({ content: 'Hello' });
  });
});

it('a reader that closes its connection ends the model call', async () => {
  setup.provider.script(hangs('Hello'));
  const response = await ask();
  await readSse(response, ({ data }) => data === 'Hello');
  await setup.provider.requests.at(-1)!.abandoned;
});
