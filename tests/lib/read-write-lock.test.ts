/** The read-write lock: shared sections run side by side, exclusive ones alone, in the order of their requests. */
import { describe, expect, it } from 'vitest';
import { createReadWriteLock } from '../../src/lib/read-write-lock.ts';

describe('the lock', () => {
  it('runs shared sections side by side and an exclusive one alone', async () => {
    const lock = createReadWriteLock();
    const steps: string[] = [];
    const gates = new Map<string, () => void>();
    const section = (name: string) => async (): Promise<void> => {
      steps.push(`${name} begins`);
      await new Promise<void>((resolve) => gates.set(name, resolve));
      steps.push(`${name} ends`);
    };
    const all = [
      lock.shared(section('a')),
      lock.shared(section('b')),
      lock.exclusive(section('alone')),
      lock.shared(section('c')),
    ];
    for (const name of ['b', 'a', 'alone', 'c']) {
      await new Promise((resolve) => setImmediate(resolve));
      gates.get(name)!();
    }
    await Promise.all(all);
    expect(steps).toEqual([
      ...['a begins', 'b begins', 'b ends', 'a ends', 'alone begins', 'alone ends', 'c begins', 'c ends'],
    ]);
  });

  it('counts exclusive sections when they begin, and goes on after one that failed', async () => {
    const lock = createReadWriteLock();
    const failed = lock.shared(() => Promise.reject(new Error('no'))).catch(() => 'failed');
    const count = lock.exclusive(async () => lock.exclusiveCount());
    expect(lock.exclusiveCount()).toBe(0);
    expect(await failed).toBe('failed');
    expect(await count).toBe(1);
    await lock.exclusive(() => Promise.reject(new Error('no'))).catch(() => undefined);
    expect(await lock.shared(async () => lock.exclusiveCount())).toBe(2);
  });
});
