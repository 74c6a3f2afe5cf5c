/** Requests that the rate limit rejects: the page says that it waits as long as one of them does. */
import { afterEach, expect, it, vi } from 'vitest';
import { clientWith, waiting } from '../../web/api.ts';

afterEach(() => void vi.useRealTimers());

it('waits until the last of several waits has ended', async () => {
  vi.useFakeTimers();
  const tooMany = new Response('{"error":"Too many"}', { status: 429, headers: { 'Retry-After': '5' } });
  const answers = [tooMany.clone(), tooMany.clone(), new Response('{"goals":[]}'), new Response('{"goals":[]}')];
  vi.stubGlobal('location', { origin: 'http://daemon.test', protocol: 'http:' });
  const client = clientWith(() => () => Promise.resolve(answers.shift()!));
  const first = client.goals.list();
  await vi.advanceTimersByTimeAsync(3_000);
  const second = client.goals.list();
  await vi.advanceTimersByTimeAsync(2_500);
  await first;
  expect(waiting.value).toBe(true);
  await vi.advanceTimersByTimeAsync(2_500);
  await second;
  expect(waiting.value).toBe(false);
});
