import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createSlots } from '../../src/reactors/run/slots.ts';

const never = new AbortController().signal;

it('grants slots in order of arrival, each stream one', async () => {
  const slots = createSlots(1);
  await slots.acquire('a', never);
  await slots.acquire('a', never);
  const granted: string[] = [];
  const waiting = ['b', 'c'].map(async (id) => {
    await slots.acquire(id, never);
    granted.push(id);
  });
  slots.release('unknown');
  slots.release('a');
  await waiting[0];
  expect(granted).toEqual(['b']);
  slots.release('b');
  await waiting[1];
  expect(granted).toEqual(['b', 'c']);
});

it('takes a stream that is aborted out of the queue', async () => {
  const slots = createSlots(1);
  await slots.acquire('a', never);
  const controller = new AbortController();
  const aborted = slots.acquire('b', controller.signal);
  const next = slots.acquire('c', never);
  controller.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  await expect(slots.acquire('d', controller.signal)).rejects.toThrow('stopped');
  slots.release('a');
  await next;
});

it('leaves no listener on the signal once the slot is granted', async () => {
  const slots = createSlots(1);
  const { signal } = new AbortController();
  await slots.acquire('a', never);
  const waiting = slots.acquire('b', signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  slots.release('a');
  await waiting;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
