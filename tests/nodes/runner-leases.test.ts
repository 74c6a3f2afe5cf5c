/** Reactor runners of two nodes on one log. The test decides when an effect ends, and when a node is disconnected. */
import { describe, expect, it } from 'vitest';
import { type TaskCommand, type TaskState, task } from '../../src/commands/task.ts';
import type { TaskEvent } from '../../src/events/task.ts';
import { openViews } from '../../src/projections/views.ts';
import { eventTable } from '../../src/resources.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { createCommittedEvents } from '../../src/streams/committed-events.ts';
import { Projector } from '../../src/streams/projector.ts';
import type { EffectScope, Reactor } from '../../src/streams/reactor.ts';
import { ReactorRunner } from '../../src/streams/reactor-runner.ts';
import { TestClock } from '../ops/clock.ts';
import { replacing } from '../support/replacing.ts';
import { steadySystem } from '../support/steady-system.ts';
import { turns } from '../support/turns.ts';
import { LEASE_MS, type LeaseTables, leaseTables } from './lease-table.ts';

const ORIGIN = { origin: { actor: 'owner', correlation: null } };
type Effect = { readonly key: string };

interface Performance {
  readonly key: string;
  readonly scope: EffectScope<TaskCommand, TaskState>;
  /** What a tool does last of all: it reports, also after it was aborted. */
  report(status: TaskState['status']): Promise<unknown>;
  end(error?: Error): void;
}

/** The log refuses a fence that is not the newest of its lease. */
function fenced(log: EventLog, tables: LeaseTables): EventLog {
  return replacing(log, {
    async append(batch, options) {
      const stale = (options?.fences ?? []).find((fence) => !tables.admits(fence));
      if (stale !== undefined) throw new StorageError('STORAGE_FENCED', `Another holder has ${stale.name}.`);
      return log.append(batch, options);
    },
  });
}

async function cluster() {
  const { clock, tables } = leaseTables();
  const storage = await openStorage({ directory: '', ephemeral: true });
  const log = fenced(storage.log, tables);
  const system = steadySystem();
  const node = (id: string, { canTake = true, own = clock, process = '1' } = {}) => {
    const commandHandler = createCommandHandler({ log, ...system, unknownTypes: 'refuse' });
    const parts = { projections: [], events: eventTable, report: expect.fail };
    const { appended$ } = createCommittedEvents(log, new Projector({ log, store: openViews(null), ...parts }));
    const performed: Performance[] = [];
    const reports: string[] = [];
    const rested: string[] = [];
    const reactor: Reactor<TaskCommand, TaskState, TaskEvent, Effect> = {
      decider: task,
      actor: () => 'system',
      next: ({ status }) => (['queued', 'running'].includes(status) ? { key: status } : undefined),
      takes: () => canTake,
      perform: ({ key }, scope) =>
        new Promise((resolve, reject) => {
          const report = (status: TaskState['status']) => scope.send({ type: 'ChangeTask', status });
          performed.push({ key, scope, report, end: (error) => (error === undefined ? resolve() : reject(error)) });
          scope.signal.addEventListener('abort', () => reject(scope.signal.reason));
        }),
      rested: (stream) => rested.push(stream),
      recovery: () => ({ type: 'ChangeTask', status: 'partial' }),
      failure: () => ({ type: 'ChangeTask', status: 'failed' }),
    };
    const leases = tables.leasesOf(id, { table: tables.of(id, process), clock: own });
    const runner = new ReactorRunner(reactor, {
      commandHandler,
      leases,
      appended$,
      report: (line) => reports.push(line),
    });
    const set = (stream: string, status: TaskState['status']) =>
      commandHandler.dispatch(task, stream, { type: 'ChangeTask', status }, ORIGIN);
    const create = (stream: string) =>
      commandHandler.dispatch(
        task,
        stream,
        { type: 'CreateTask', title: 'Tidy up', provider: '', model: '', project_path: '/work' },
        ORIGIN,
      );
    return { leases, runner, performed, reports, rested, set, create };
  };
  const status = (stream: string) => createCommandHandler({ log, ...system }).load(task, stream).status;
  /** A program that knows more events writes one. */
  const write = (stream: string, type: string) => {
    const envelope = { id: '019e0000-0000-7000-8000-000000000000', schema: 1, at: 1, actor: 'owner' };
    const event = { ...envelope, type, data: {}, correlation: null, causation: null };
    return log.append([{ stream, expectedVersion: 'any', events: [event] }]);
  };
  return { clock, tables, node, status, write };
}

/** A cluster of two nodes that have started. */
async function pair({ canTake = true } = {}) {
  const { node, ...rest } = await cluster();
  const [a, b] = [node('a'), node('b', { canTake })];
  await Promise.all([a.leases.start(), b.leases.start()]);
  return { a, b, ...rest };
}

describe('a stream', () => {
  it('is taken by the node that was asked, and by no other', async () => {
    const { a, b, clock } = await pair();
    await b.create('one');
    await clock.pass(10_000);
    expect([a.performed.length, b.performed.length]).toEqual([0, 1]);
  });

  it('that the node that was asked cannot take is taken by another at its next look', async () => {
    const { a, b, clock } = await pair({ canTake: false });
    await b.create('one');
    await clock.pass(LEASE_MS / 4);
    await turns();
    expect([a.performed.length, b.performed.length]).toEqual([1, 0]);
  });

  it('hears what users send to other nodes: a cancelled effect is aborted where it runs', async () => {
    const { a, b, clock, status } = await pair();
    await a.create('one');
    await turns();
    await clock.pass(1_000);
    await b.set('one', 'draft');
    await turns();
    expect([a.performed[0]?.scope.signal.aborted, status('one')]).toEqual([true, 'draft']);
    expect(b.performed).toEqual([]);
  });

  it('that rested is free for the node that is asked next', async () => {
    const { a, b, clock } = await pair();
    await a.create('one');
    await turns();
    await a.performed[0]?.report('completed');
    a.performed[0]?.end();
    await turns();
    await clock.pass(2_000);
    await b.set('one', 'running');
    await turns();
    expect(b.performed.map(({ key }) => key)).toEqual(['running']);
  });
});

describe('a node that is gone', () => {
  it('is replaced within 5 s; what it had in flight is recovered first, and its late report is refused', async () => {
    const { a, b, clock, tables, status } = await pair();
    await a.create('one');
    await turns();
    const paused = a.performed[0]!;
    tables.cutOff('a');
    await clock.pass(5_000);
    await turns();
    expect([status('one'), b.performed.length]).toEqual(['partial', 0]);
    expect(paused.scope.signal.aborted).toBe(true);
    await expect(paused.report('completed')).rejects.toThrow('Another daemon may have taken this over.');
    expect([a.reports, b.reports, status('one')]).toEqual([[], [], 'partial']);
  });

  it('and comes back from a pause finds out before it acts, and the log refuses what it sends all the same', async () => {
    const { clock, tables, node, status } = await cluster();
    const asleep = new TestClock('2026-11-20T09:00:00');
    const a = node('a', { own: asleep });
    await a.leases.start();
    await a.create('one');
    await turns();
    await clock.pass(30_000);
    await tables.of('b').take('task-one', LEASE_MS);
    // Its clock stood still: only the log knows.
    await expect(a.performed[0]!.report('completed')).rejects.toThrow('Another holder has task-one.');
    a.performed[0]!.end(new StorageError('STORAGE_FENCED', 'Another holder has task-one.'));
    await turns();
    expect([a.leases.isHeld('task-one'), a.reports, status('one')]).toEqual([false, [], 'queued']);
    expect(a.performed).toHaveLength(1);
    // Its clock tells.
    await a.create('two');
    await turns();
    asleep.jump(30_000);
    const { scope } = a.performed[1]!;
    expect(() => scope.ensureHeld()).toThrow('Another daemon may have taken this over.');
    expect(scope.signal.aborted).toBe(true);
  });

  it('and comes back gives up what another has taken over, so that its place is free for other streams', async () => {
    const { clock, tables, node } = await cluster();
    const asleep = new TestClock('2026-11-20T09:00:00');
    const a = node('a', { own: asleep });
    await a.leases.start();
    await a.create('one');
    await turns();
    await clock.pass(30_000);
    await tables.of('b').take('task-one', LEASE_MS);
    expect(a.rested).toEqual([]);
    await asleep.pass(1_000);
    await turns();
    expect([a.performed[0]?.scope.signal.aborted, a.performed.length, a.rested]).toEqual([true, 1, ['one']]);
  });

  it('and starts again takes up its own streams at once', async () => {
    const { node, status } = await cluster();
    const a = node('a');
    await a.leases.start();
    await a.create('one');
    await turns();
    // The process before is killed: nothing of it gives its lease back.
    const again = node('a', { process: '2' });
    await again.leases.start();
    await again.runner.recover(['one'], 'the daemon was restarted');
    await turns();
    expect(status('one')).toBe('partial');
  });
});

it('what is aborted because the table of leases was restored is recovered, and not performed again', async () => {
  const { a, clock, tables, status } = await pair();
  await a.create('one');
  await turns();
  tables.restore();
  await clock.pass(LEASE_MS);
  await turns();
  expect([a.performed[0]?.scope.signal.aborted, a.performed.length, status('one')]).toEqual([true, 1, 'partial']);
});

it('a stream that only a newer program understands is given up, so that its place is free for other streams', async () => {
  const { node, write } = await cluster();
  const a = node('a');
  await a.leases.start();
  await a.create('one');
  await turns();
  await write('task-one', 'TaskDreamt');
  await turns();
  expect([a.performed[0]?.scope.signal.aborted, a.reports.length, a.rested]).toEqual([true, 1, ['one']]);
});

it('a node that stops records what it breaks off, and gives the rest to the others at once', async () => {
  const { a, b, clock, status } = await pair();
  await a.create('one');
  await turns();
  await a.runner.stop('the daemon was stopped', 10);
  await a.leases.stop();
  expect(status('one')).toBe('partial');
  await b.set('one', 'running');
  await turns();
  await clock.pass(1_000);
  expect(b.performed.map(({ key }) => key)).toEqual(['running']);
});
