/** A replicated log whose primary answers and takes no batch. `tests/storage/postgres` has the tests with a database. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openReplicatedLog } from '../../src/storage/log/event-log.ts';
import type { Primary } from '../../src/storage/log/primary.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { EMPTY_TREE_HASH } from '../../src/storage/merkle.ts';
import { event, to } from './log-helpers.ts';

const FULL = 'The disk of the database is full. (SQLSTATE 53100)';

/** An empty primary that refuses every batch until `takes` is set. */
function refusingPrimary(patienceMs: number, reason = new StorageError('STORAGE_UNAVAILABLE', FULL)) {
  const control = { takes: false, batches: 0 };
  const primary: Primary = {
    patienceMs,
    failure: null,
    gaveUp() {},
    onHead() {},
    async append() {
      control.batches += 1;
      await nextTurn();
      if (control.takes) return { kind: 'taken' };
      throw reason;
    },
    tail: async () => ({ head: { position: 0, tree: EMPTY_TREE_HASH }, leaf: null, records: [] }),
    leaves: async () => new Uint8Array(0),
    records: async () => [],
    async hold() {},
    async release() {},
  };
  return { primary, control };
}

it('refuses an append after the wait of writers, says why, and takes appends again when the primary does', async () => {
  const { primary, control } = refusingPrimary(150);
  const log = openReplicatedLog(openMemoryEngine(), { primary });
  const append = () => log.append([to('a-1', [event(1)])]);
  const refused = { code: 'STORAGE_UNAVAILABLE', message: FULL };
  await expect(append()).rejects.toMatchObject(refused);
  // Pauses of 25, 50 and 100 ms, each shortened by half at most.
  expect(control.batches).toBeLessThanOrEqual(5);
  expect(log.failure).toMatchObject(refused);
  control.batches = 0;
  await expect(append()).rejects.toMatchObject(refused);
  expect(control.batches).toBe(2);
  control.takes = true;
  expect(await append()).toMatchObject({ kind: 'appended', events: [{ position: 1 }] });
  expect(log.failure).toBeNull();
  await log.close();
});

it('sends no batch again that the primary has refused after longer than writers wait', async () => {
  const { primary, control } = refusingPrimary(2_000);
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const slow: Primary = {
    ...primary,
    append(batch) {
      now += 5_000;
      return primary.append(batch);
    },
  };
  const log = openReplicatedLog(openMemoryEngine(), { primary: slow });
  for (const batches of [1, 2]) {
    await expect(log.append([to('a-1', [event(1)])])).rejects.toMatchObject({ message: FULL });
    expect(control.batches).toBe(batches);
  }
  await log.close();
});

it('says why it refused an append, also when the primary does not tell whether it has it', async () => {
  const reason = new StorageError('STORAGE_UNAVAILABLE', 'The log is locked by another writer for too long.');
  const { primary, control } = refusingPrimary(0, reason);
  const { tail } = primary;
  const locked: Primary = { ...primary, tail: () => Promise.reject(reason) };
  const log = openReplicatedLog(openMemoryEngine(), { primary: locked });
  const append = () => log.append([to('a-1', [event(1)])]);
  await expect(append()).rejects.toBe(reason);
  expect(log.failure).toBe(reason);
  Object.assign(locked, { tail });
  control.takes = true;
  await append();
  expect(log.failure).toBeNull();
  await log.close();
});

it('says why it cannot follow the primary when that lasts longer than writers wait, until it can', async () => {
  const { primary, control } = refusingPrimary(0);
  const { tail } = primary;
  const reason = new StorageError('STORAGE_IO', 'The database refused a statement of the log (SQLSTATE XX001)');
  const listeners: ((position: number) => void)[] = [];
  const listening: Primary = {
    ...primary,
    onHead: (listener) => listeners.push(listener),
    tail: () => Promise.reject(reason),
  };
  const announce = (): void => {
    for (const listener of listeners) listener(1);
  };
  const log = openReplicatedLog(openMemoryEngine(), { primary: listening });
  announce();
  await expect.poll(() => log.failure).toBe(reason);
  Object.assign(listening, { tail });
  announce();
  await expect.poll(() => log.failure).toBeNull();
  Object.assign(listening, { tail: () => Promise.reject(reason) });
  announce();
  await expect.poll(() => log.failure).toBe(reason);
  control.takes = true;
  await log.append([to('a-1', [event(1)])]);
  expect(log.failure).toBeNull();
  await log.close();
});

it('sends a batch once that no wait can help, says why, and takes appends again when the primary does', async () => {
  const reason = new StorageError('STORAGE_IO', 'The database refused a statement of the log (SQLSTATE XX001)');
  const { primary, control } = refusingPrimary(60_000, reason);
  const log = openReplicatedLog(openMemoryEngine(), { primary });
  const append = () => log.append([to('a-1', [event(1)])]);
  await expect(append()).rejects.toBe(reason);
  expect([control.batches, log.failure]).toEqual([1, reason]);
  control.takes = true;
  expect((await append()).kind).toBe('appended');
  expect(log.failure).toBeNull();
  await log.close();
});
