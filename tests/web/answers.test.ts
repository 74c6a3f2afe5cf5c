/** Requests of the page without an answer: a connection that was kept for reuse may be lost, as after a laptop's sleep. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const asked = vi.fn<(target: string, method: string | undefined) => void>();

/** Never answers, as on a lost connection. */
function lost(input: string, init: RequestInit): Promise<Response> {
  asked(input, init.method);
  return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
}

beforeEach(() => {
  vi.useFakeTimers();
  // The client of the page looks where the page is when it is loaded.
  vi.resetModules();
  vi.stubGlobal('location', { origin: 'http://daemon.test', protocol: 'http:' });
  vi.stubGlobal('fetch', lost);
  asked.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('the subscription asks again after ten seconds', async () => {
  const { connection, startLive, stopLive } = await import('../../web/live.ts');
  startLive();
  await vi.advanceTimersByTimeAsync(12_000);
  stopLive();
  expect([asked.mock.calls.length, connection.value.state]).toEqual([2, 'cut']);
});

it('a read fails after two minutes', async () => {
  const { api } = await import('../../web/api.ts');
  const read = expect(api.goals.list()).rejects.toThrow('does not answer: nothing came for 120 s');
  await vi.advanceTimersByTimeAsync(120_000);
  await read;
});

it('a change may take longer', async () => {
  const { api } = await import('../../web/api.ts');
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  api.goals.plan('1', {}).then(over, over);
  await vi.advanceTimersByTimeAsync(600_000);
  expect([asked.mock.calls.length, isOver]).toEqual([1, false]);
});
