import { describe, expect, it } from 'vitest';
import type { LeaseTable } from '../../src/ports/leases.ts';
import { TestClock } from '../ops/clock.ts';
import { LEASE_MS, leaseTables } from './lease-table.ts';

function cluster() {
  const { clock, tables } = leaseTables();
  const reports: string[] = [];
  const node = (id: string, own: TestClock = clock) => {
    const lost: string[] = [];
    const leases = tables.leasesOf(id, { clock: own, report: (line) => reports.push(`${id}: ${line}`) });
    leases.onLost((name) => lost.push(name));
    return { leases, lost };
  };
  return { clock, tables, reports, node };
}

describe('a lease', () => {
  it('is held by one node, as long as that renews it', async () => {
    const { clock, node } = cluster();
    const [a, b] = [node('a'), node('b')];
    await Promise.all([a.leases.start(), b.leases.start()]);
    expect(await a.leases.acquire('run-1')).toMatchObject({ epoch: 1, isTakenOver: false });
    expect(await b.leases.acquire('run-1')).toBeNull();
    await clock.pass(60_000);
    expect([a.leases.isHeld('run-1'), b.leases.holder('run-1'), a.lost]).toEqual([true, 'a', []]);
    expect(await b.leases.acquire('run-1')).toBeNull();
  });

  it('that is given back is free at once, and its next holder finds nothing half done', async () => {
    const { node } = cluster();
    const [a, b] = [node('a'), node('b')];
    await a.leases.acquire('run-1');
    await a.leases.release('run-1');
    expect(a.leases.isHeld('run-1')).toBe(false);
    expect(await b.leases.acquire('run-1')).toMatchObject({ epoch: 2, isTakenOver: false });
  });

  it('that its holder takes again while it is being given back is granted', async () => {
    const { node } = cluster();
    const { leases } = node('a');
    await leases.acquire('run-1');
    void leases.release('run-1');
    expect(await leases.acquire('run-1')).toMatchObject({ isTakenOver: false });
    expect(leases.isHeld('run-1')).toBe(true);
  });

  it('is not taken from a database that was restored to an earlier position than that of the log', async () => {
    const { tables } = leaseTables();
    tables.head = 6;
    const leases = tables.leasesOf('a', { position: () => 7, report: expect.fail });
    expect(await leases.acquire('run-1')).toBeNull();
    expect(leases.isHeld('run-1')).toBe(false);
    tables.head = 7;
    expect(await leases.acquire('run-1')).toMatchObject({ isTakenOver: true });
  });

  it('counts once the log has what the holder before has appended', async () => {
    const { tables } = leaseTables();
    tables.head = 7;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waited: number[] = [];
    const reached = (position: number): Promise<void> => {
      waited.push(position);
      return promise;
    };
    const leases = tables.leasesOf('a', { reached, report: expect.fail });
    let isGranted = false;
    const granted = leases.acquire('run-1').then(() => {
      isGranted = true;
    });
    await new Promise((turn) => setImmediate(turn));
    expect([waited, isGranted]).toEqual([[7], false]);
    resolve();
    await granted;
    expect(isGranted).toBe(true);
  });
});

it('a lease whose log did not catch up is not given back: its next holder knows that something may be half done', async () => {
  const { clock, tables } = leaseTables();
  const reached = () => Promise.reject(new Error('The log here did not reach position 7 in time.'));
  const behind = tables.leasesOf('a', { reached, report: expect.fail });
  expect(await behind.acquire('run-1')).toBeNull();
  expect(behind.isHeld('run-1')).toBe(false);
  await clock.pass(LEASE_MS);
  expect(await tables.leasesOf('b').acquire('run-1')).toMatchObject({ epoch: 2, isTakenOver: true });
});

describe('a node that ends without giving back', () => {
  it('is replaced as soon as its lease has run out, with a larger epoch', async () => {
    const { clock, tables, node } = cluster();
    const [a, b] = [node('a'), node('b')];
    await Promise.all([a.leases.start(), b.leases.start()]);
    await a.leases.acquire('run-1');
    tables.cutOff('a');
    const freeAt: number[] = [];
    b.leases.onTableRead(() => {
      if (b.leases.holder('run-1') === null) freeAt.push(clock.now());
    });
    const cutAt = clock.now();
    await clock.pass(5_000);
    expect(freeAt[0]! - cutAt).toBeLessThanOrEqual(LEASE_MS + 50);
    expect(await b.leases.acquire('run-1')).toMatchObject({ epoch: 2, isTakenOver: true });
  });

  it('stops counting on its leases before another may have them', async () => {
    const { clock, tables, reports, node } = cluster();
    const a = node('a');
    await a.leases.start();
    await a.leases.acquire('run-1');
    tables.cutOff('a');
    await clock.pass(LEASE_MS * 0.8);
    expect([a.leases.isHeld('run-1'), a.lost]).toEqual([true, []]);
    await clock.pass(LEASE_MS * 0.15);
    expect([a.leases.isHeld('run-1'), a.lost]).toEqual([false, ['run-1']]);
    expect(reports).toEqual(['a: The leases cannot be renewed: the database is away']);
    tables.reconnect('a');
    await clock.pass(LEASE_MS);
    expect(reports).toContain('a: The leases are renewed again.');
    expect(a.leases.isHeld('run-1')).toBe(false);
  });

  it('finds by its clock that it slept, before any of its timers ran', async () => {
    const { clock, node } = cluster();
    const paused = new TestClock('2026-11-20T09:00:00');
    const a = node('a', paused);
    await a.leases.start();
    await a.leases.acquire('run-1');
    paused.jump(30_000);
    await clock.pass(30_000);
    expect(a.leases.isHeld('run-1')).toBe(false);
    expect(await node('b').leases.acquire('run-1')).toMatchObject({ isTakenOver: true });
    await paused.pass(1_000);
    expect(a.lost).toEqual(['run-1']);
    expect(await a.leases.acquire('run-1')).toBeNull();
  });
});

it('a lease whose fence the log refused is lost', async () => {
  const { node } = cluster();
  const a = node('a');
  await a.leases.acquire('run-1');
  a.leases.lost('run-1');
  a.leases.lost('run-1');
  expect([a.lost, a.leases.isHeld('run-1')]).toEqual([['run-1'], false]);
});

it.each([
  ['that was free: gives it back', async () => undefined, false],
  ['that another one left: leaves its next holder to know', (clock: TestClock) => clock.pass(LEASE_MS), true],
])('a node that stops while it takes a lease: %s', async (_, before, isTakenOver) => {
  const { clock, tables } = leaseTables();
  const [asked, answer, behind] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const table = tables.of('b');
  const take: LeaseTable['take'] = async (...of) => {
    const taken = await table.take(...of);
    asked!.resolve();
    await answer!.promise;
    return taken;
  };
  if (isTakenOver) await tables.leasesOf('a').acquire('run-1');
  await before(clock);
  const stopping = tables.leasesOf('b', { table: { ...table, take }, reached: () => behind!.promise });
  const acquired = stopping.acquire('run-1');
  await asked!.promise;
  const stopped = stopping.stop();
  answer!.resolve();
  await stopped;
  behind!.resolve();
  expect(await acquired).toBeNull();
  if (isTakenOver) await clock.pass(LEASE_MS);
  expect(await tables.leasesOf('c').acquire('run-1')).toMatchObject({ isTakenOver });
});

it('a node that stops gives everything back, and takes nothing more', async () => {
  const { node } = cluster();
  const [a, b] = [node('a'), node('b')];
  await a.leases.start();
  await a.leases.acquire('run-1');
  await a.leases.stop();
  expect(await a.leases.acquire('run-2')).toBeNull();
  expect(await b.leases.acquire('run-1')).toMatchObject({ isTakenOver: false });
});
