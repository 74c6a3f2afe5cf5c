import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createSlots } from '../../src/reactors/run/slots.ts';

const { signal: never } = new AbortController();
const place = { hasBegun: false, signal: never };

it('grants slots in order of arrival, each stream one', async () => {
  const slots = createSlots(1);
  await slots.acquire('a', place);
  await slots.acquire('a', place);
  const granted: string[] = [];
  const waiting = ['b', 'c'].map(async (id) => {
    await slots.acquire(id, place);
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

// A run that a person approved waited behind all that were queued.
it('grants slots first to streams that have begun', async () => {
  const slots = createSlots(1);
  await slots.acquire('a', place);
  const granted: string[] = [];
  const waiting = ['b', 'C', 'd', 'E'].map(async (id) => {
    await slots.acquire(id, { ...place, hasBegun: id < 'a' });
    granted.push(id);
    slots.release(id);
  });
  slots.release('a');
  await Promise.all(waiting);
  expect(granted).toEqual(['C', 'E', 'b', 'd']);
});

it('takes a stream that is aborted out of the queue', async () => {
  const slots = createSlots(1);
  await slots.acquire('a', place);
  const controller = new AbortController();
  const aborted = slots.acquire('b', { ...place, signal: controller.signal });
  const next = slots.acquire('c', place);
  controller.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  await expect(slots.acquire('d', { ...place, signal: controller.signal })).rejects.toThrow('stopped');
  slots.release('a');
  await next;
});

it('leaves no listener on the signal once the slot is granted', async () => {
  const slots = createSlots(1);
  const { signal } = new AbortController();
  await slots.acquire('a', place);
  const waiting = slots.acquire('b', { ...place, signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  slots.release('a');
  await waiting;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
