/**
 * The command handler: conflicts are decided again, equal commands run in order, an answer is recorded with its events
 * or not at all.
 */
import { describe, expect, it } from 'vitest';
import type { Decider } from '../../src/commands/decider.ts';
import { harnessOverrides } from '../../src/commands/harness/decide.ts';
import { Refusal, Refused } from '../../src/commands/refusal.ts';
import { request } from '../../src/commands/request.ts';
import { roomText } from '../../src/commands/room.ts';
import { type TaskState, task } from '../../src/commands/task.ts';
import { type TaskEvent, taskEvents } from '../../src/events/task.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { batchCommand, createCommandHandler, unconditional, whileDue } from '../../src/streams/command-handler.ts';
import { contested } from '../support/contested.ts';
import { replacing } from '../support/replacing.ts';
import { steadySystem } from '../support/steady-system.ts';

const OPTIONS = { origin: { actor: 'owner', correlation: 'request-1' } };
const CREATE = { type: 'CreateTask', title: 'Tidy up', provider: '', model: '', project_path: '/work' } as const;

async function desk() {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const system = steadySystem();
  return { log, system, commandHandler: createCommandHandler({ log, ...system }) };
}

const types = (log: EventLog, stream: string): string[] => [...log.readStream(stream)].map(({ type }) => type);

describe('conflicts', () => {
  it('a command is decided again on the state that another writer left', async () => {
    const { log, system, commandHandler: other } = await desk();
    await other.dispatch(task, 'a', CREATE, OPTIONS);
    const rival = () => other.dispatch(task, 'a', { type: 'ChangeTask', title: 'Taken' }, OPTIONS);
    const mine = createCommandHandler({ log: contested(log, 1, rival), ...system });
    const { state, events } = await mine.dispatch(task, 'a', { type: 'ChangeTask', status: 'running' }, OPTIONS);
    expect(state).toMatchObject({ title: 'Taken', status: 'running' });
    expect(events.map(({ version }) => version)).toEqual([3]);
  });

  it('the events of the other writer may make the command unnecessary, or refused', async () => {
    const { log, system, commandHandler: other } = await desk();
    await other.dispatch(task, 'a', CREATE, OPTIONS);
    const rival = () => other.dispatch(task, 'a', { type: 'ChangeTask', status: 'running' }, OPTIONS);
    const mine = createCommandHandler({ log: contested(log, 1, rival), ...system });
    const { events } = await mine.dispatch(task, 'a', { type: 'ChangeTask', status: 'running' }, OPTIONS);
    expect(events).toEqual([]);
    const creator = () => other.dispatch(task, 'b', CREATE, OPTIONS);
    const late = createCommandHandler({ log: contested(log, 1, creator), ...system });
    await expect(late.dispatch(task, 'b', CREATE, OPTIONS)).rejects.toMatchObject({ refusal: { kind: 'conflict' } });
    expect(types(log, 'task-b')).toEqual(['TaskCreated']);
  });

  // The command that got no id held the lock for ever, so no other got it exclusively.
  it('a command that meets many conflicts goes on after an earlier one got no id', async () => {
    const { log, system, commandHandler: other } = await desk();
    await other.dispatch(task, 'a', CREATE, OPTIONS);
    const titles = ['one', 'two', 'three', 'four'];
    const rival = () => other.dispatch(task, 'a', { type: 'ChangeTask', title: titles.shift()! }, OPTIONS);
    let isWithoutIds = true;
    const uuid = (): string => {
      if (isWithoutIds) throw new Error('No random numbers.');
      return system.ids.uuid();
    };
    const mine = createCommandHandler({ log: contested(log, 4, rival), ...system, ids: { ...system.ids, uuid } });
    const change = () => mine.dispatch(task, 'a', { type: 'ChangeTask', status: 'running' }, OPTIONS);
    await expect(change()).rejects.toThrow('No random numbers.');
    isWithoutIds = false;
    expect((await change()).state).toMatchObject({ title: 'four', status: 'running' });
  });

  it('on a shared log a refusal counts only after the events of others were fetched, which happens once', async () => {
    const { log, system, commandHandler: other } = await desk();
    let asked = 0;
    const handler = (news: () => Promise<boolean>) => {
      const refresh = () => {
        asked += 1;
        return news();
      };
      return createCommandHandler({ log, ...system, refresh });
    };
    const change = { type: 'ChangeTask', status: 'running' } as const;
    const created = handler(async () => {
      await other.dispatch(task, 'a', CREATE, OPTIONS);
      return true;
    });
    expect((await created.dispatch(task, 'a', change, OPTIONS)).state).toMatchObject({ status: 'running' });
    const elsewhere = handler(() => Promise.resolve(true));
    await expect(elsewhere.dispatch(task, 'b', change, OPTIONS)).rejects.toMatchObject({
      refusal: { kind: 'not_found' },
    });
    const nothing = handler(() => Promise.resolve(false));
    await expect(nothing.dispatch(task, 'b', change, OPTIONS)).rejects.toMatchObject({
      refusal: { kind: 'not_found' },
    });
    const away = handler(() => Promise.reject(new StorageError('STORAGE_UNAVAILABLE', 'The database is away.')));
    await expect(away.dispatch(task, 'b', change, OPTIONS)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(asked).toBe(4);
  });

  it('rejects when the stream changes at every attempt', async () => {
    const { log, system, commandHandler: other } = await desk();
    await other.dispatch(task, 'a', CREATE, OPTIONS);
    let turn = 0;
    const rival = () => other.dispatch(task, 'a', { type: 'ChangeTask', title: `Turn ${++turn}` }, OPTIONS);
    const mine = createCommandHandler({ log: contested(log, 100, rival), ...system });
    await expect(mine.dispatch(task, 'a', { type: 'ChangeTask', status: 'running' }, OPTIONS)).rejects.toThrow(
      /16 times/,
    );
  });
});

it('a command that reads a stream which changes all the time succeeds, and so do the changes', async () => {
  const { log, commandHandler } = await desk();
  await commandHandler.dispatch(task, 'hot', CREATE, OPTIONS);
  let isOver = false;
  let changes = 0;
  const change = async (): Promise<void> => {
    while (!isOver) {
      changes += 1;
      await commandHandler.dispatch(task, 'hot', { type: 'ChangeTask', title: `change ${changes}` }, OPTIONS);
    }
  };
  const changing = Promise.all([change(), change(), change()]);
  for (let at = 0; at < 20; at += 1) {
    const read: string[] = [];
    await commandHandler.dispatch(task, `beside ${at}`, CREATE, {
      ...OPTIONS,
      policy: (all) => {
        read.push(all.read(task, 'hot').title);
        return undefined;
      },
    });
    expect(read.length).toBeLessThanOrEqual(4);
  }
  isOver = true;
  await changing;
  expect(log.streamVersion('task-hot')).toBe(1 + changes);
});

describe('concurrent commands', () => {
  it('equal commands at the same time take effect once', async () => {
    const { log, commandHandler } = await desk();
    const command = { type: 'SetHarnessOverride', key: 'openai/x', patch: { temperature: 1 } } as const;
    const all = Array.from({ length: 20 }, () =>
      commandHandler.dispatch(harnessOverrides, 'harness', command, OPTIONS),
    );
    const events = (await Promise.all(all)).flatMap((done) => done.events);
    expect(events).toHaveLength(1);
    expect(types(log, 'settings-harness')).toEqual(['HarnessOverrideSet']);
  });

  it('a refused command does not block those behind it', async () => {
    const { commandHandler } = await desk();
    const first = commandHandler.dispatch(task, 'a', { type: 'ChangeTask', title: 'x' }, OPTIONS);
    const second = commandHandler.dispatch(task, 'a', CREATE, OPTIONS);
    const third = commandHandler.dispatch(task, 'a', CREATE, OPTIONS);
    await expect(first).rejects.toBeInstanceOf(Refused);
    expect((await second).state.exists).toBe(true);
    await expect(third).rejects.toMatchObject({ refusal: { kind: 'conflict' } });
  });

  it('different streams share a commit and keep their own order', async () => {
    const { log, commandHandler } = await desk();
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const made = await Promise.all(ids.map((id) => commandHandler.dispatch(task, id, CREATE, OPTIONS)));
    expect(new Set(made.flatMap(({ events }) => events.map(({ position }) => position))).size).toBe(50);
    expect(log.head().position).toBe(50);
  });
});

describe('what is recorded', () => {
  it('the events of one command share a causation, the actor and the correlation', async () => {
    const { log, commandHandler } = await desk();
    await commandHandler.dispatch(task, 'a', CREATE, OPTIONS);
    await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', title: 'New', status: 'running' }, OPTIONS);
    const [created, renamed, moved] = [...log.readAll()];
    expect(renamed).toMatchObject({ actor: 'owner', correlation: 'request-1', type: 'TaskRenamed' });
    expect(renamed?.causation).toBe(moved?.causation);
    expect(created?.causation).not.toBe(renamed?.causation);
  });

  it('the answer is appended with the events, and alone when the command has no events', async () => {
    const { log, commandHandler } = await desk();
    const facts = { method: 'POST', path: '/', body_hash: '', status: 200, content_type: '' };
    const answer = (key: string) => ({
      ...OPTIONS,
      record: (after: TaskState) =>
        batchCommand(request, key, { type: 'RecordAnswer', data: { ...facts, body: { ...after } } }),
    });
    await commandHandler.dispatch(task, 'a', CREATE, answer('1'));
    await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', title: 'Tidy up' }, answer('2'));
    expect([...log.readAll()].map(({ type }) => type)).toEqual(['TaskCreated', 'RequestAnswered', 'RequestAnswered']);
    expect(log.at(2)?.data).toMatchObject({ body: { title: 'Tidy up', exists: true } });
  });

  it('a refused command records neither events nor an answer', async () => {
    const { log, commandHandler } = await desk();
    const fail = () => expect.fail('a refused command leads to nothing');
    const options = { ...OPTIONS, policy: fail, record: fail };
    await expect(commandHandler.dispatch(task, 'a', { ...CREATE, title: ' ' }, options)).rejects.toBeInstanceOf(
      Refused,
    );
    expect(log.head().position).toBe(0);
  });

  it('a stream with an invalid name counts as absent', async () => {
    const { commandHandler } = await desk();
    for (const id of ['\0', 'x'.repeat(300)]) {
      const refused = commandHandler.dispatch(task, id, { type: 'ChangeTask', title: 'x' }, OPTIONS);
      await expect(refused).rejects.toMatchObject({ refusal: { kind: 'not_found' } });
    }
  });

  it('a decision that is none, or data that does not fit the schema of its event, is not appended', async () => {
    const { log, commandHandler } = await desk();
    const careless: Decider<object, object, TaskEvent> = {
      category: 'task',
      events: taskEvents,
      initial: {},
      decide: () => JSON.parse('[{"type":"TaskRenamed","data":{"title":7}}]'),
      evolve: (state) => state,
    };
    await expect(commandHandler.dispatch(careless, 'a', {}, OPTIONS)).rejects.toThrow();
    const unheard: typeof careless = { ...careless, decide: () => JSON.parse('[{"type":"TaskEaten","data":{}}]') };
    await expect(commandHandler.dispatch(unheard, 'a', {}, OPTIONS)).rejects.toThrow(/TaskEaten is not in its decider/);
    for (const [returned, named] of [
      [undefined, 'undefined'],
      [{ type: 'TaskDeleted', data: {} }, '[object Object]'],
      [Promise.resolve([]), '[object Promise]'],
    ] as const) {
      const decider: typeof careless = Object.assign({}, careless, { decide: () => returned });
      await expect(commandHandler.dispatch(decider, 'a', {}, OPTIONS)).rejects.toThrow(
        `The decider of task returned ${named}, not an array of events or a Refusal.`,
      );
    }
    expect(log.head().position).toBe(0);
  });
});

describe('a batch', () => {
  const rename = (id: string, title: string) => batchCommand(task, id, { type: 'ChangeTask', title });

  it('is one commit; a refused command contributes nothing and stops no other', async () => {
    const { log, commandHandler } = await desk();
    await commandHandler.dispatch(task, 'a', CREATE, OPTIONS);
    const made = batchCommand(task, 'c', CREATE);
    const events = await commandHandler.dispatchBatch([rename('a', 'New'), rename('b', 'New'), made], OPTIONS.origin);
    expect(events.map(({ stream, type }) => [stream, type])).toEqual([
      ['task-a', 'TaskRenamed'],
      ['task-c', 'TaskCreated'],
    ]);
    expect(new Set(events.map(({ causation }) => causation)).size).toBe(1);
    expect(log.head().position).toBe(3);
  });

  it('is decided again as a whole after a conflict', async () => {
    const { log, system, commandHandler: other } = await desk();
    await other.dispatch(task, 'a', CREATE, OPTIONS);
    const rival = () => other.dispatch(task, 'a', { type: 'ChangeTask', title: 'New' }, OPTIONS);
    const mine = createCommandHandler({ log: contested(log, 1, rival), ...system });
    const made = batchCommand(task, 'b', CREATE);
    const events = await mine.dispatchBatch([rename('a', 'New'), made], OPTIONS.origin);
    expect(events.map(({ type }) => type)).toEqual(['TaskCreated']);
  });

  it('never conflicts over the stream of an unconditional command', async () => {
    const { log, system, commandHandler: other } = await desk();
    const text = { type: 'RoomTextChanged', data: { update: 'AA==' } } as const;
    const write = unconditional(roomText, 'r', { type: 'RecordRoomText', text });
    const rival = () => other.dispatchBatch([write], OPTIONS.origin);
    const mine = createCommandHandler({ log: contested(log, 100, rival), ...system });
    const events = await mine.dispatchBatch([write], OPTIONS.origin);
    expect(events.map(({ version }) => version)).toEqual([2]);
  });

  it('reads no stream of a stateless decider, nor of a command that is due or not: it asks again after a conflict', async () => {
    const { log, system, commandHandler: other } = await desk();
    const text = { type: 'RoomTextChanged', data: { update: 'AA==' } } as const;
    const write = { type: 'RecordRoomText', text } as const;
    const rival = () => other.dispatch(roomText, 'r', write, OPTIONS);
    await rival();
    const unread = replacing(contested(log, 1, rival), { readStream: expect.unreachable });
    const mine = createCommandHandler({ log: unread, ...system });
    const isDue = (): boolean => log.streamVersion('room_text-r') === 1;
    expect((await mine.dispatch(roomText, 'r', write, { ...OPTIONS, isDue })).events).toEqual([]);
    expect(log.streamVersion('room_text-r')).toBe(2);
    await mine.dispatch(roomText, 'r', write, { ...OPTIONS, isDue: () => true });
    const { events } = await mine.dispatch(roomText, 'r', write, OPTIONS);
    expect(events.map(({ version }) => version)).toEqual([4]);
  });

  /**
   * A stream that an unconditional command had written to in the same commit was not read any more: `decide` got
   * undefined instead of the state.
   */
  it('decides on a state with the events of earlier commands that did not read the stream', async () => {
    const { log, commandHandler } = await desk();
    const made = unconditional(task, 'a', CREATE);
    await commandHandler.dispatchBatch([made, rename('a', 'New'), rename('a', 'New')], OPTIONS.origin);
    expect(types(log, 'task-a')).toEqual(['TaskCreated', 'TaskRenamed']);
    expect(commandHandler.load(task, 'a').title).toBe('New');
  });

  /** The second command expected the version before the first one, and so conflicted with it sixteen times. */
  it('may hold several commands that are sent while they are due', async () => {
    const { log, commandHandler } = await desk();
    const text = { type: 'RoomTextChanged', data: { update: 'AA==' } } as const;
    const write = whileDue(() => true, roomText, 'r', { type: 'RecordRoomText', text });
    await commandHandler.dispatchBatch([write, write], OPTIONS.origin);
    expect(types(log, 'room_text-r')).toEqual(['RoomTextChanged', 'RoomTextChanged']);
  });

  it('of commands without events appends nothing', async () => {
    const { log, commandHandler } = await desk();
    expect(await commandHandler.dispatchBatch([rename('a', 'New')], OPTIONS.origin)).toEqual([]);
    expect(log.head().position).toBe(0);
  });
});

describe('the cache of states', () => {
  it('covers a prefix of the stream: events of another writer are folded before the next decision', async () => {
    const { log, system, commandHandler } = await desk();
    await commandHandler.dispatch(task, 'a', CREATE, OPTIONS);
    expect(commandHandler.load(task, 'a').title).toBe('Tidy up');
    await createCommandHandler({ log, ...system }).dispatch(task, 'a', { type: 'ChangeTask', title: 'New' }, OPTIONS);
    expect(commandHandler.load(task, 'a').title).toBe('New');
    const { events } = await commandHandler.dispatch(task, 'a', { type: 'ChangeTask', title: 'New' }, OPTIONS);
    expect(events).toEqual([]);
  });

  it('forgets the oldest of many streams without a visible effect', async () => {
    const { commandHandler } = await desk();
    const ids = Array.from({ length: 700 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => commandHandler.dispatch(task, id, CREATE, OPTIONS)));
    for (const id of ids) expect(commandHandler.load(task, id).exists).toBe(true);
    await expect(commandHandler.dispatch(task, 't0', CREATE, OPTIONS)).rejects.toBeInstanceOf(Refused);
  });
});

it('a refusal keeps its kind and sentence on the way to the caller', () => {
  const refused = new Refused(new Refusal('too_many', 'Later.'));
  expect([refused.refusal.kind, refused.message]).toEqual(['too_many', 'Later.']);
});
