/**
 * What goals may not do because of each other holds in the log itself: also between two dispatchers that know nothing
 * of one another, which no turn and no view keeps apart.
 */
import { describe, expect, it } from 'vitest';
import { goal } from '../../src/commands/goal/decide.ts';
import { goalPins, PINS_STREAM_ID } from '../../src/commands/goal/pins.ts';
import { ANCESTORS_MAX, GOALS_LOCK_KEY, goalPolicy } from '../../src/commands/goal/policy.ts';
import { Refused } from '../../src/commands/refusal.ts';
import { goalLinks, goalRow, pinIn } from '../../src/projections/goal.ts';
import type { EventLog, StreamAppend } from '../../src/storage/event-log.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { type Desk, fields, idFrom, ORIGIN, openDesk, sender } from './support.ts';

const A = idFrom(1);
const B = idFrom(2);

/** A second writer on the log of a desk. */
function rival({ clock, ids }: Desk, log: EventLog): Desk['send'] {
  return sender(createCommandHandler({ log, clock, ids }));
}

/** A log that lets somebody else write right before the next append. */
function overtaken(log: EventLog, write: () => Promise<unknown>): EventLog {
  let due = true;
  return new Proxy(log, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'append') return typeof value === 'function' ? value.bind(target) : value;
      return async (batch: readonly StreamAppend[]) => {
        if (due) {
          due = false;
          await write();
        }
        return target.append(batch);
      };
    },
  });
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refused);
  const { refusal: why } = error as Refused;
  return `${why.kind}: ${why.message}`;
}

const types = (log: EventLog): string[] => [...log.readAll()].map((event) => event.type);

describe('a title', () => {
  it('goes to one of 200 that want it at once', async () => {
    const desk = await openDesk();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => desk.send(idFrom(n + 1), { type: 'CreateGoal', fields: fields() })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(types(desk.log)).toEqual(['GoalCreated', 'GoalTitleClaimed']);
  });

  it('goes to one of 200 also when each of them has a dispatcher of its own', async () => {
    const desk = await openDesk();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        rival(desk, desk.log)(idFrom(n + 1), { type: 'CreateGoal', fields: fields() }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(types(desk.log)).toEqual(['GoalCreated', 'GoalTitleClaimed']);
  });

  it('is refused when somebody claims it between the decision and the commit', async () => {
    const desk = await openDesk();
    const log = overtaken(desk.log, () => desk.send(B, { type: 'CreateGoal', fields: fields() }));
    const late = rival(desk, log);
    expect(await refusal(late(A, { type: 'CreateGoal', fields: fields() }))).toMatch(/^conflict: .*title/);
    expect(desk.log.streamVersion(`goal-${A}`)).toBe(0);
  });

  it('comes free with a new title, a new workspace and a deletion, in the same commit', async () => {
    const desk = await openDesk();
    const { send } = desk;
    await send(A, { type: 'CreateGoal', fields: fields() });
    await send(A, { type: 'ReviseGoal', changes: { title: 'Other' } });
    await send(B, { type: 'CreateGoal', fields: fields() });
    expect(await refusal(send(A, { type: 'ReviseGoal', changes: { title: 'Ship it' } }))).toMatch(/^conflict/);
    await send(B, { type: 'ReviseGoal', changes: { workspace: '/w' } });
    await send(A, { type: 'ReviseGoal', changes: { title: 'Ship it' } });
    expect(await refusal(send(B, { type: 'ReviseGoal', changes: { workspace: null } }))).toMatch(/^conflict/);
    await send(A, { type: 'DeleteGoal' });
    await send(B, { type: 'ReviseGoal', changes: { workspace: null, status: 'abandoned' } });
    expect(await refusal(send(idFrom(3), { type: 'CreateGoal', fields: fields() }))).toMatch(/^conflict/);
    expect(goalRow(desk.store, B)).toMatchObject({ title: 'Ship it', workspace: null, status: 'abandoned' });
  });
});

describe('parents', () => {
  const under = (parent_goal_id: string | null) => ({ type: 'ReviseGoal', changes: { parent_goal_id } }) as const;

  async function chain(length: number): Promise<Desk> {
    const desk = await openDesk();
    for (let n = 1; n <= length; n += 1) {
      const parent_goal_id = n === 1 ? null : idFrom(n - 1);
      await desk.send(idFrom(n), { type: 'CreateGoal', fields: fields({ title: `${n}`, parent_goal_id }) });
    }
    return desk;
  }

  it('must be there', async () => {
    const { send } = await chain(2);
    expect(await refusal(send(A, under(idFrom(9))))).toBe('invalid: parent_goal_id names no goal.');
    const orphan = fields({ title: 'orphan', parent_goal_id: idFrom(9) });
    expect(await refusal(send(idFrom(3), { type: 'CreateGoal', fields: orphan }))).toMatch(/^invalid: parent_goal_id/);
    await send(B, { type: 'DeleteGoal' });
    expect(await refusal(send(A, under(B)))).toBe('invalid: parent_goal_id names no goal.');
  });

  it('never make a loop, and the loop is named', async () => {
    const { send } = await chain(4);
    expect(await refusal(send(A, under(A)))).toBe(`invalid: parent_goal_id would make a loop: ${A} → ${A}.`);
    const path = [1, 4, 3, 2, 1].map(idFrom).join(' → ');
    expect(await refusal(send(A, under(idFrom(4))))).toBe(`invalid: parent_goal_id would make a loop: ${path}.`);
    await send(idFrom(3), under(null));
    expect((await send(A, under(idFrom(4)))).parent_goal_id).toBe(idFrom(4));
  });

  it('of a loop too long to be shown are shown from both ends', async () => {
    const { send } = await chain(40);
    const message = await refusal(send(A, under(idFrom(40))));
    expect(message).toContain(`${A} → ${idFrom(40)} → `);
    expect(message).toContain(' → … → ');
    expect(message.length).toBeLessThan(600);
  });

  it('are not kept from being deleted: the child keeps the id, and may be changed without it being looked at', async () => {
    const desk = await chain(2);
    await desk.send(A, { type: 'DeleteGoal' });
    expect((await desk.send(B, { type: 'ReviseGoal', changes: { tags: ['t'] } })).parent_goal_id).toBe(A);
    expect((await desk.send(B, under(A))).parent_goal_id).toBe(A);
    expect((await desk.send(B, under(null))).parent_goal_id).toBeNull();
  });

  it('are followed up so far and no further', () => {
    const parentOf = (id: string): string | null => (id === A ? null : idFrom(Number.parseInt(id, 16) - 1));
    const read = (_: unknown, id: string) => ({ ...goal.initial, life: 'alive', parent_goal_id: parentOf(id) });
    const desk = { read, send: () => undefined } as unknown as Parameters<typeof goalPolicy>[0];
    const child = (parent: number) => {
      const after = { ...goal.initial, life: 'alive', parent_goal_id: idFrom(parent) } as const;
      return goalPolicy(desk, { id: idFrom(50_000), before: goal.initial, after });
    };
    expect(child(ANCESTORS_MAX)).toBeUndefined();
    expect(child(ANCESTORS_MAX + 1)?.message).toMatch(/^parent_goal_id.*1000 ancestors/);
  });

  it('do not make a loop when two writers each close one half of it', async () => {
    const desk = await chain(2);
    await desk.send(B, under(null));
    const log = overtaken(desk.log, () => desk.send(B, under(A)));
    const late = rival(desk, log);
    expect(await refusal(late(A, under(B)))).toMatch(/^invalid: parent_goal_id would make a loop/);
  });
});

describe('a deletion', () => {
  it('takes links and pins with it, in one commit, and leaves the others theirs', async () => {
    const { send, dispatcher, log, store } = await openDesk();
    const pin = (workspace: string | null, goal_id: string) =>
      dispatcher.dispatch(
        goalPins,
        PINS_STREAM_ID,
        { type: 'PinGoal', workspace, goal_id },
        { origin: ORIGIN, lockKey: GOALS_LOCK_KEY },
      );
    for (const id of [A, B]) {
      await send(id, { type: 'CreateGoal', fields: fields({ title: id }) });
      await send(id, { type: 'LinkGoal', link_id: `l${id}`, kind: 'note', target_id: 'x', note: 'y' });
    }
    await pin(null, A);
    await pin('/w', A);
    await pin('/v', B);
    const before = log.head().position;
    await send(A, { type: 'DeleteGoal' });
    const commit = [...log.readAll({ after: before })];
    expect(commit.map(({ type }) => type).sort()).toEqual([
      'GoalDeleted',
      'GoalTitleReleased',
      'GoalUnpinned',
      'GoalUnpinned',
    ]);
    expect(new Set(commit.map(({ causation }) => causation)).size).toBe(1);
    expect([goalLinks(store, A), pinIn(store, null), pinIn(store, '/w')]).toEqual([[], undefined, undefined]);
    expect([goalLinks(store, B).length, pinIn(store, '/v')?.goal_id]).toEqual([1, B]);
  });
});
