/** The windows of the rate limits: of many requests, and of more addresses than are tracked. */
import { expect, it } from 'vitest';
import { createRateLimiter } from '../../src/http/server/rate-limit.ts';

it('counts each of thousands of requests for a minute, and lets in as many as have left the window', () => {
  const limiter = createRateLimiter(4_500);
  const admitted = (count: number, at: number): number =>
    Array.from({ length: count }, () => limiter.admit('a', at)).filter(Boolean).length;
  // Two in each even millisecond, one in each odd one.
  for (let at = 0; at < 3_000; at += 1) expect(admitted(2 - (at % 2), at)).toBe(2 - (at % 2));
  expect(admitted(1, 59_999)).toBe(0);
  expect(admitted(4_500, 61_998)).toBe(2_999);
  expect(admitted(4_500, 62_999)).toBe(1_501);
  expect(admitted(4_500, 121_997)).toBe(0);
  expect(admitted(4_500, 121_998)).toBe(2_999);
});

it('tracks 10 000 addresses: one more ends the window of the address that was idle longest', () => {
  const limiter = createRateLimiter(1);
  for (let address = 0; address < 10_000; address += 1) limiter.admit(`${address}`, address);
  expect(limiter.admit('0', 10_000)).toBe(false);
  expect(limiter.admit('another', 10_001)).toBe(true);
  expect(limiter.admit('0', 10_002)).toBe(false);
  expect(limiter.admit('1', 10_003)).toBe(true);
});
