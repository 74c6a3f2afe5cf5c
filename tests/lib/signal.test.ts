/** Signals: a waiter is woken once, and a signal without a waiter is kept for the next one. */
import { describe, expect, it } from 'vitest';
import { createSignal } from '../../src/lib/signal.ts';

const never = new AbortController().signal;

async function isPending(work: Promise<void>): Promise<boolean> {
  const turn = new Promise<'turn'>((resolve) => setImmediate(() => resolve('turn')));
  return (await Promise.race([work, turn])) === 'turn';
}

describe('a signal', () => {
  it('is kept once for the next waiter', async () => {
    const signal = createSignal();
    signal.send();
    signal.send();
    await signal.wait(never);
    expect(await isPending(signal.wait(never))).toBe(true);
  });

  it('wakes the waiter', async () => {
    const signal = createSignal();
    const waiting = signal.wait(never);
    expect(await isPending(waiting)).toBe(true);
    signal.send();
    await waiting;
  });

  it('waits no longer than the timeout', async () => {
    await createSignal().wait(never, 1);
  });

  it('ends the wait when the abort signal fires, also one that fired before', async () => {
    const stop = new AbortController();
    const signal = createSignal();
    const waiting = signal.wait(stop.signal);
    stop.abort();
    await waiting;
    await signal.wait(stop.signal);
  });
});
