/** Requests that the rate limit rejects, for which the page says that it waits, and those that wait in order not to meet it. */
import { afterEach, expect, it, vi } from 'vitest';
import { clientWith, roomForBackground, waiting } from '../../web/api.ts';

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

it('lets background requests go on when the clock is set back', async () => {
  vi.useFakeTimers();
  vi.setSystemTime(Date.now() - 3_600_000);
  let isAdmitted = false;
  void roomForBackground().then(() => {
    isAdmitted = true;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isAdmitted).toBe(true);
});
