/** Requests of the page without an answer: a connection that was kept for reuse may be lost, as after a laptop's sleep. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answeredWithin } from '../../web/api.ts';

/** Never answers, as on a lost connection. */
function lost(_input: unknown, init?: RequestInit): Promise<Response> {
  return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a read fails when nothing came for so long', async () => {
  const read = expect(answeredWithin(10)(lost)('/goals', { method: 'GET' })).rejects.toThrow('nothing came for 10 s');
  await vi.advanceTimersByTimeAsync(10_000);
  await read;
});

it('a read ends with its page', async () => {
  const page = new AbortController();
  const read = answeredWithin(10)(lost)('/goals', { method: 'GET', signal: page.signal });
  page.abort(new Error('left'));
  await expect(read).rejects.toThrow('left');
  expect(vi.getTimerCount()).toBe(0);
});

it('a change may take longer', async () => {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  answeredWithin(10)(lost)('/goals', { method: 'POST' }).then(over, over);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(isOver).toBe(false);
});
