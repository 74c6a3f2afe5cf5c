/**
 * The reactor runner with a small reactor of tasks: `draft` is at rest, effect q is due in `queued`, effect r in
 * `running`, effect v in `reviewing`. The test decides when an effect ends and what it reports.
 */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type TaskCommand, type TaskState, task } from '../../src/commands/task.ts';
import type { TaskEvent } from '../../src/events/task.ts';
import { ownLogLeases } from '../../src/integrations/leases/own-log.ts';
import { systemIds } from '../../src/integrations/system.ts';
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
import { steadySystem } from '../support/steady-system.ts';
import { turns } from '../support/turns.ts';

const ORIGIN = { origin: { actor: 'owner', correlation: null } };
const CREATE = { type: 'CreateTask', title: 'Tidy up', provider: '', model: '', project_path: '/work' } as const;
const WANTS: Readonly<Record<string, string>> = { queued: 'q', running: 'r', reviewing: 'v' };

type Effect = { readonly key: string };
type Status = TaskState['status'];

interface Performance {
  readonly id: string;
  readonly key: string;
  readonly scope: EffectScope<TaskCommand, TaskState>;
  over: boolean;
  fail(error: Error): void;
  /** Ends the effect: it reports a status, or throws. */
  finish(outcome: Status | Error | null): Promise<void>;
}

interface WorkshopOptions {
  /** Whether an aborted effect ends by itself, as it should. */
  readonly lets?: boolean;
  readonly retryMs?: number;
  /** That of an earlier process. */
  readonly log?: EventLog | null;
  /** The status of a stream whose interruption is recorded. */
  readonly recovered?: Status;
}

async function workshop({
  lets = true,
  retryMs = 1_000,
  log: given = null,
  recovered = 'partial',
}: WorkshopOptions = {}) {
  const log = given ?? (await openStorage({ directory: '', ephemeral: true })).log;
  const commandHandler = createCommandHandler({ log, ...steadySystem(), ...(given !== null && { ids: systemIds }) });
  const projector = new Projector({
    log,
    store: openViews(null),
    projections: [],
    events: eventTable,
    report: () => undefined,
  });
  const { appended$ } = createCommittedEvents(log, projector);
  const performed: Performance[] = [];
  const rested: string[] = [];
  const reports: string[] = [];
  const reactor: Reactor<TaskCommand, TaskState, TaskEvent, Effect> = {
    decider: task,
    actor: (id) => `agent:${id}`,
    next: ({ exists, status }) => (exists && WANTS[status] !== undefined ? { key: WANTS[status] } : undefined),
    perform: ({ key }, scope) =>
      new Promise((resolve, reject) => {
        const performance: Performance = {
          id: scope.id,
          key,
          scope,
          over: false,
          fail: reject,
          async finish(outcome) {
            performance.over = true;
            if (outcome instanceof Error) return reject(outcome);
            if (outcome !== null) await scope.send({ type: 'ChangeTask', status: outcome });
            resolve();
          },
        };
        if (lets) {
          scope.signal.addEventListener('abort', () => {
            performance.over = true;
            reject(scope.signal.reason);
          });
        }
        performed.push(performance);
      }),
    rested: (id) => rested.push(id),
    recovery: () => ({ type: 'ChangeTask', status: recovered }),
    failure: () => ({ type: 'ChangeTask', status: 'failed' }),
  };
  const report = (line: string): void => void reports.push(line);
  const runner = new ReactorRunner(reactor, { commandHandler, leases: ownLogLeases(), appended$, report, retryMs });
  const set = (id: string, status: Status) => commandHandler.dispatch(task, id, { type: 'ChangeTask', status }, ORIGIN);
  const create = (id: string) => commandHandler.dispatch(task, id, CREATE, ORIGIN);
  const open = (id?: string): Performance[] =>
    performed.filter((each) => !each.over && (id === undefined || each.id === id));
  return { log, commandHandler, runner, performed, rested, reports, set, create, open };
}

describe('one effect at a time', () => {
  it('an effect leads to the next one through the state it reports, until the stream rests', async () => {
    const { create, performed, rested, runner } = await workshop();
    await create('a');
    await turns();
    await performed[0]?.finish('running');
    await turns();
    await performed[1]?.finish('completed');
    await turns();
    expect(performed.map(({ key }) => key)).toEqual(['q', 'r']);
    expect([rested.at(-1), runner.inFlight]).toEqual(['a', 0]);
  });

  it('events that leave the due effect unchanged do not disturb it', async () => {
    const { create, performed, commandHandler } = await workshop();
    await create('a');
    await turns();
    await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', title: 'Renamed' }, ORIGIN);
    await turns();
    expect(performed).toHaveLength(1);
    expect(performed[0]?.scope.signal.aborted).toBe(false);
    expect(performed[0]?.scope.state().title).toBe('Renamed');
  });

  it('an effect is aborted when it is not due any more; the next one starts only after it has settled', async () => {
    const { create, performed, set } = await workshop({ lets: false });
    await create('a');
    await turns();
    await set('a', 'running');
    await turns();
    expect(performed.map(({ scope }) => scope.signal.aborted)).toEqual([true]);
    await performed[0]?.finish(null);
    await turns();
    expect(performed.map(({ key }) => key)).toEqual(['q', 'r']);
  });

  it('in a cancelled state no effect is due: the one in flight is aborted, and none starts', async () => {
    const { create, performed, rested, reports, set } = await workshop();
    await create('a');
    await turns();
    await set('a', 'draft');
    await turns();
    expect(performed).toHaveLength(1);
    expect(performed[0]?.scope.signal.aborted).toBe(true);
    expect([rested, reports]).toEqual([['a'], []]);
  });

  it('streams do not wait for each other', async () => {
    const { create, open } = await workshop();
    await Promise.all(['a', 'b', 'c'].map(create));
    await turns();
    expect(open().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('holds for any interleaving of commands, endings and turns', async () => {
    const status = fc.constantFrom<Status>('draft', 'queued', 'running', 'reviewing', 'completed');
    const id = fc.constantFrom('a', 'b');
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), id, status }),
      fc.record({ do: fc.constant('finish' as const), id, status: fc.option(status) }),
      fc.record({ do: fc.constant('turn' as const), id, status }),
    );
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40, size: 'max' }), async (lets, steps) => {
        const { create, open, set, commandHandler, runner } = await workshop({ lets });
        await Promise.all(['a', 'b'].map(create));
        const sent: (Promise<unknown> | undefined)[] = [];
        for (const each of steps) {
          if (each.do === 'set') sent.push(set(each.id, each.status));
          else if (each.do === 'finish') sent.push(open(each.id)[0]?.finish(each.status));
          else await turns(1);
          expect(open('a').length).toBeLessThanOrEqual(1);
          expect(open('b').length).toBeLessThanOrEqual(1);
        }
        // Commands of one stream follow each other, a turn or more each.
        await Promise.all(sent);
        await turns(12);
        for (const stream of ['a', 'b']) {
          // Ends the effects that ignore their abort; then exactly the due effect is in flight.
          for (const stale of open(stream).filter(({ scope }) => scope.signal.aborted)) await stale.finish(null);
          await turns(6);
          const wanted = WANTS[commandHandler.load(task, stream).status];
          expect(open(stream).map(({ key }) => key)).toEqual(wanted === undefined ? [] : [wanted]);
        }
        expect(runner.inFlight).toBe(open().length);
      }),
      { numRuns: 80 },
    );
  });
});

describe('after a crash', () => {
  it('records first that the effects in flight were interrupted; only then do effects start', async () => {
    const { log, commandHandler } = await workshop();
    await commandHandler.dispatch(task, 'a', CREATE, ORIGIN);
    await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', status: 'running' }, ORIGIN);
    const { appended$ } = createCommittedEvents(
      log,
      new Projector({ log, store: openViews(null), projections: [], events: eventTable, report: () => undefined }),
    );
    const seen: string[] = [];
    const reactor: Reactor<TaskCommand, TaskState, TaskEvent, Effect> = {
      decider: task,
      actor: (id) => `agent:${id}`,
      next: ({ status }) => (status === 'running' || status === 'partial' ? { key: status } : undefined),
      perform: async ({ key }, scope) => {
        seen.push(key);
        await scope.send({ type: 'ChangeTask', status: 'completed' });
      },
      rested: () => undefined,
      recovery: () => ({ type: 'ChangeTask', status: 'partial' }),
      failure: () => ({ type: 'ChangeTask', status: 'failed' }),
    };
    const runner = new ReactorRunner(reactor, {
      commandHandler,
      leases: ownLogLeases(),
      appended$,
      report: expect.fail,
    });
    await runner.recover(['a'], 'the daemon was restarted');
    await turns();
    expect(seen).toEqual(['partial']);
    expect(commandHandler.load(task, 'a').status).toBe('completed');
  });

  it('leaves alone an effect that this process has begun before the recovery', async () => {
    const { commandHandler, runner, create, set, performed } = await workshop();
    await create('a');
    await turns();
    await runner.recover(['a'], 'the daemon was restarted');
    await turns();
    expect([commandHandler.load(task, 'a').status, performed[0]?.scope.signal.aborted]).toEqual(['queued', false]);
    await set('a', 'completed');
    await turns();
    expect(performed).toHaveLength(1);
  });

  it('leaves alone an effect of a stream that was at rest when the last process ended', async () => {
    const before = await workshop();
    await before.create('a');
    await before.set('a', 'completed');
    const { commandHandler, runner, set, performed } = await workshop({ log: before.log });
    await set('a', 'running');
    await turns();
    await runner.recover(['a'], 'the daemon was restarted');
    await turns();
    expect([commandHandler.load(task, 'a').status, performed.map(({ key }) => key)]).toEqual(['running', ['r']]);
  });

  it('a stream with an effect in flight starts none before it is recovered, also when it is changed meanwhile', async () => {
    const before = await workshop();
    await before.create('a');
    await before.runner.stop('', 0);
    await before.set('a', 'running');
    const { commandHandler, runner, performed, open } = await workshop({ log: before.log });
    await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', title: 'Renamed' }, ORIGIN);
    await turns();
    expect(performed).toEqual([]);
    await runner.recover(['a'], 'the daemon was restarted');
    await turns();
    expect([commandHandler.load(task, 'a').status, open()]).toEqual(['partial', []]);
  });

  // Of 300 runs, those that a kill had interrupted waited behind all that were queued.
  it('interrupted streams go on in the order of the recovery, before those after them', async () => {
    const statuses = { a: 'running', b: 'running', c: 'queued', d: 'queued' } as const;
    const before = await workshop();
    await before.runner.stop('', 0);
    for (const [id, status] of Object.entries(statuses)) {
      await before.create(id);
      await before.set(id, status);
    }
    const { runner, performed } = await workshop({ log: before.log, recovered: 'queued' });
    await runner.recover(Object.keys(statuses), 'the daemon was restarted');
    await turns();
    expect(performed.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a stream that is ended before its recovery is at rest after it', async () => {
    const before = await workshop();
    await before.create('a');
    await before.runner.stop('', 0);
    await before.set('a', 'running');
    const { runner, set, performed, rested } = await workshop({ log: before.log });
    await set('a', 'draft');
    await turns();
    await runner.recover([], 'the daemon was restarted');
    await turns();
    expect([performed, rested]).toEqual([[], ['a']]);
    await set('a', 'queued');
    await turns();
    expect(performed).toHaveLength(1);
  });
});

it('a bug in an effect is reported and ends the stream, not the runner', async () => {
  const { create, performed, reports, commandHandler, open } = await workshop();
  await Promise.all(['a', 'b'].map(create));
  await turns();
  await performed[0]?.finish(new Error('a bug'));
  await turns();
  expect(reports).toEqual(['task-a: a bug']);
  expect(commandHandler.load(task, 'a').status).toBe('failed');
  expect(open().map(({ id }) => id)).toEqual(['b']);
});

describe('a full disk', () => {
  async function fullDisk(log: EventLog | null = null) {
    const parts = await workshop({ retryMs: 1, log });
    const dispatch = parts.commandHandler.dispatch.bind(parts.commandHandler);
    const disk = { isFull: false, refused: 0 };
    vi.spyOn(parts.commandHandler, 'dispatch').mockImplementation((...sent) => {
      if (!disk.isFull) return dispatch(...sent);
      disk.refused += 1;
      return Promise.reject(new StorageError('STORAGE_FULL', 'The disk is full.'));
    });
    return { ...parts, disk };
  }

  it('makes streams wait; with room each is recovered as after a crash, without a restart', async () => {
    const { create, performed, reports, runner, commandHandler, disk } = await fullDisk();
    await Promise.all(['a', 'b'].map(create));
    await turns();
    disk.isFull = true;
    await expect(performed[0]?.finish('running')).rejects.toThrow('full');
    performed[0]?.fail(new StorageError('STORAGE_FULL', 'The disk is full.'));
    await expect.poll(() => disk.refused, { interval: 1 }).toBeGreaterThan(3);
    expect(reports).toEqual(['task-a: The disk is full; it goes on when there is room again.']);
    expect([runner.inFlight, commandHandler.load(task, 'a').status]).toEqual([2, 'queued']);
    disk.isFull = false;
    await expect.poll(() => commandHandler.load(task, 'a').status, { interval: 1 }).toBe('partial');
    await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', status: 'reviewing' }, ORIGIN);
    await turns();
    expect(performed.map(({ id, key }) => id + key)).toEqual(['aq', 'bq', 'av']);
  });

  it('at the start delays the recovery of streams until there is room', async () => {
    const before = await workshop();
    await before.create('a');
    const { runner, commandHandler, reports, disk } = await fullDisk(before.log);
    disk.isFull = true;
    await runner.recover(['a'], 'the daemon was restarted');
    await expect.poll(() => disk.refused, { interval: 1 }).toBeGreaterThan(3);
    expect([commandHandler.load(task, 'a').status, reports.length]).toEqual(['queued', 1]);
    disk.isFull = false;
    await expect.poll(() => commandHandler.load(task, 'a').status, { interval: 1 }).toBe('partial');
  });

  it('does not delay a stop', async () => {
    const { create, performed, runner, disk } = await fullDisk();
    await create('a');
    await turns();
    disk.isFull = true;
    performed[0]?.fail(new StorageError('STORAGE_FULL', 'The disk is full.'));
    await expect.poll(() => disk.refused, { interval: 1 }).toBeGreaterThan(0);
    await runner.stop('the daemon was stopped', 60_000);
    const { refused } = disk;
    await turns(20);
    expect(disk.refused).toBe(refused);
  });
});

it('a state that cannot be read is reported; the other streams go on', async () => {
  const { create, reports, commandHandler, open } = await workshop();
  const load = commandHandler.load.bind(commandHandler);
  vi.spyOn(commandHandler, 'load').mockImplementation((decider, id) => {
    if (id === 'a') throw new Error('a broken event');
    return load(decider, id);
  });
  await Promise.all(['a', 'b'].map(create));
  await turns();
  expect(reports).toEqual(['task-a: a broken event']);
  expect(open().map(({ id }) => id)).toEqual(['b']);
});

describe('stopping', () => {
  it('aborts effects in flight, waits until they settle, records the interruptions, and starts no more', async () => {
    const { create, performed, runner, commandHandler, set } = await workshop();
    await create('a');
    await turns();
    await runner.stop('the daemon was stopped', 1_000);
    expect(performed[0]?.scope.signal.aborted).toBe(true);
    expect(commandHandler.load(task, 'a').status).toBe('partial');
    await set('a', 'running');
    await turns();
    expect(performed).toHaveLength(1);
  });

  it('does not wait forever for an effect that ignores its abort', async () => {
    const { create, performed, runner, commandHandler } = await workshop({ lets: false });
    await create('a');
    await turns();
    await runner.stop('the daemon was stopped', 5);
    expect(performed[0]?.over).toBe(false);
    expect(commandHandler.load(task, 'a').status).toBe('partial');
  });
});
