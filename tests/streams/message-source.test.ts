/** Messages made for one reader: keep-alives while nothing comes, an end when the reader goes, errors as the last message. */
import type { EventMessage } from 'fastify-sse-v2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KEEP_ALIVE_MS, messageSource } from '../../src/http/server/sse.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Make = (signal: AbortSignal) => AsyncIterable<EventMessage>;

function open(make: Make) {
  const source = messageSource(make, (error) => ({ event: 'error', data: (error as Error).message }));
  if (source.kind !== 'messages') throw new Error('not a message source');
  return source.open();
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('a keep-alive comes for each 15 s without a message, and no message is lost by it', async () => {
  const messages = open(async function* () {
    yield { data: 'one' };
    await after(2 * KEEP_ALIVE_MS + 1);
    yield { data: 'two' };
  });
  const seen: EventMessage[] = [];
  const reading = (async () => {
    for await (const message of messages) seen.push(message);
  })();
  await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS - 1);
  expect(seen).toEqual([{ data: 'one' }]);
  await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS + 2);
  expect(seen).toEqual([{ data: 'one' }, { comment: ' keep-alive' }, { comment: ' keep-alive' }, { data: 'two' }]);
  await reading;
});

it('a reader that goes ends the source while it waits, aborts what makes the messages, and leaves no timer', async () => {
  let aborted = false;
  const messages = open(async function* (signal) {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    await new Promise(() => undefined);
    yield { data: 'never' };
  });
  const next = messages.next();
  await vi.advanceTimersByTimeAsync(1);
  messages.close();
  expect(await next).toEqual({ done: true, value: undefined });
  expect([aborted, vi.getTimerCount()]).toEqual([true, 0]);
});

it('what the maker throws is the last message, never an exception', async () => {
  const messages = open(async function* () {
    yield { data: 'one' };
    throw new Error('broken');
  });
  const seen: EventMessage[] = [];
  for await (const message of messages) seen.push(message);
  expect(seen).toEqual([{ data: 'one' }, { event: 'error', data: 'broken' }]);
});
