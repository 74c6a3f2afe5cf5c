import { expect, it } from 'vitest';
import { ownLogLeases } from '../../src/integrations/leases/own-log.ts';
import { takeDuty } from '../../src/reactors/nodes/duty.ts';
import { leaseTables } from './lease-table.ts';

function cluster(names: readonly string[]) {
  const { clock, tables } = leaseTables();
  const able = new Set(names);
  const acquired: string[] = [];
  const nodes = names.map((node) => {
    const leases = tables.leasesOf(node);
    const parts = { isAble: () => able.has(node), onAcquired: () => void acquired.push(node) };
    return { node, leases, duty: takeDuty({ name: 'backups', leases, ...parts }) };
  });
  const start = () => Promise.all(nodes.map(({ leases }) => leases.start()));
  const onDuty = () => nodes.filter(({ duty }) => duty.isOn()).map(({ node }) => node);
  return { clock, tables, able, acquired, nodes, start, onDuty };
}

it('one of several daemons has a duty, at every moment', async () => {
  const { clock, start, onDuty, acquired } = cluster(['a', 'b', 'c']);
  await start();
  for (let look = 0; look < 20; look += 1) {
    await clock.pass(1_000);
    expect(onDuty()).toHaveLength(1);
  }
  expect(acquired).toEqual(onDuty());
});

it('another one takes it over from a daemon that is gone, and not before that has let go', async () => {
  const { clock, tables, start, onDuty, acquired } = cluster(['a', 'b']);
  await start();
  await clock.pass(1_000);
  const [first] = onDuty();
  tables.cutOff(first!);
  for (let step = 0; step < 50; step += 1) {
    await clock.pass(100);
    expect(onDuty().length).toBeLessThanOrEqual(1);
  }
  expect(acquired).toHaveLength(2);
  expect(onDuty()).toEqual(acquired.slice(1));
  expect(onDuty()).not.toEqual([first]);
});

it('a daemon that is not able to do the work leaves it to the others', async () => {
  const { clock, able, start, onDuty } = cluster(['a', 'b']);
  able.delete('a');
  await start();
  await clock.pass(3_000);
  expect(onDuty()).toEqual(['b']);
  able.delete('b');
  able.add('a');
  await clock.pass(3_000);
  expect(onDuty()).toEqual(['a']);
});

it('a daemon on a log of its own has every duty', () => {
  expect(takeDuty({ name: 'backups', leases: ownLogLeases() }).isOn()).toBe(true);
});
