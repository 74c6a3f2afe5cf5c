/** Claims of an idempotency key by two nodes, with a clock that the test moves. */
import { expect, it } from 'vitest';
import { createClaim } from '../../src/http/server/request-claims.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { leaseTables } from '../nodes/lease-table.ts';
import type { TestClock } from '../ops/clock.ts';

function nodes() {
  const { clock, tables } = leaseTables();
  const answered = { is: false };
  const listeners = new Set<Parameters<EventLog['onAppended']>[0]>();
  const log: Pick<EventLog, 'onAppended'> = {
    onAppended(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const claimOf = async (node: string) => {
    const leases = tables.leasesOf(node);
    await leases.start();
    return createClaim({ leases, log, timers: clock }, 'one', () => answered.is);
  };
  const answer = (): void => {
    answered.is = true;
    for (const listener of [...listeners]) listener([]);
  };
  return { clock, tables, log, claimOf, answer, listeners };
}

/** Lets time pass until the promise has settled. */
async function settled<Value>(clock: TestClock, promise: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  let result: PromiseSettledResult<Value> | undefined;
  void Promise.allSettled([promise]).then(([first]) => {
    result = first;
  });
  for (let step = 0; result === undefined && step < 400; step += 1) await clock.pass(100);
  return result!;
}

it('is taken by one; the other one waits for the answer of that', async () => {
  const { clock, claimOf, answer, listeners } = nodes();
  const [first, second] = [await claimOf('a'), await claimOf('b')];
  expect(await first.take()).toBe(true);
  expect(await first.take()).toBe(true);
  const waiting = second.take();
  await clock.pass(3_000);
  answer();
  expect(await waiting).toBe(false);
  expect([first.fence?.holder, second.fence]).toEqual([expect.stringContaining('a'), undefined]);
  expect(listeners.size).toBe(0);
});

it('falls to the other one when it is given back without an answer', async () => {
  const { clock, claimOf } = nodes();
  const [first, second] = [await claimOf('a'), await claimOf('b')];
  await first.take();
  const waiting = second.take();
  await clock.pass(500);
  first.release();
  expect(await settled(clock, waiting)).toEqual({ status: 'fulfilled', value: true });
  expect(second.fence?.epoch).toBeGreaterThan(first.fence!.epoch);
});

it('falls to the other one when its node is gone', async () => {
  const { clock, tables, claimOf } = nodes();
  const [first, second] = [await claimOf('a'), await claimOf('b')];
  await first.take();
  tables.cutOff('a');
  expect(await settled(clock, second.take())).toEqual({ status: 'fulfilled', value: true });
  expect([tables.admits(first.fence!), tables.admits(second.fence!)]).toEqual([false, true]);
});

it.each([
  ['another node holds it', (claim: { take(): Promise<boolean> }) => claim.take(), 'Another daemon works on a request'],
  ['the database is away', undefined, 'the database of the log does not answer'],
])('is refused with 503 after 20 s while %s', async (_, before, message) => {
  const { clock, tables, claimOf } = nodes();
  const [first, second] = [await claimOf('a'), await claimOf('b')];
  await before?.(first);
  if (before === undefined) tables.cutOff('b');
  const startedAt = clock.now();
  expect(await settled(clock, second.take())).toMatchObject({
    status: 'rejected',
    reason: { status: 503, headers: { 'retry-after': '1' }, message: expect.stringContaining(message) },
  });
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(20_000);
});

it('is not needed on a log that a process has for itself', async () => {
  const { clock: timers, log } = nodes();
  const claim = createClaim({ log, timers }, 'one', () => false);
  expect([await claim.take(), claim.fence]).toEqual([true, undefined]);
});
