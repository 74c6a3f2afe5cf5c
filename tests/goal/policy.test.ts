/** The rules between goals hold in the log, also between two writers that share neither a lock nor a view. */
import { describe, expect, it } from 'vitest';
import { goalPins, PINS_STREAM_ID } from '../../src/commands/goal/pins.ts';
import { ANCESTORS_MAX, GOALS_LOCK_KEY } from '../../src/commands/goal/policy.ts';
import { Refused } from '../../src/commands/refusal.ts';
import { goalLinks, goalRow, pinIn } from '../../src/projections/goal.ts';
import type { EventLog, StreamAppend } from '../../src/storage/event-log.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { contested } from '../support/contested.ts';
import { fields, type GoalFixture, idFrom, ORIGIN, openGoals, sender } from './support.ts';

const A = idFrom(1);
const B = idFrom(2);

/** A second writer on the same log. */
function rival({ clock, ids }: GoalFixture, log: EventLog): GoalFixture['send'] {
  return sender(createCommandHandler({ log, clock, ids }));
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
    const fixture = await openGoals();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => fixture.send(idFrom(n + 1), { type: 'CreateGoal', fields: fields() })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(types(fixture.log)).toEqual(['GoalCreated', 'GoalTitleClaimed']);
  });

  it('goes to one of 200 also when each of them has a command handler of its own', async () => {
    const fixture = await openGoals();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        rival(fixture, fixture.log)(idFrom(n + 1), { type: 'CreateGoal', fields: fields() }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(types(fixture.log)).toEqual(['GoalCreated', 'GoalTitleClaimed']);
  });

  it('is refused when another goal claims it between the decision and the commit', async () => {
    const fixture = await openGoals();
    const log = contested(fixture.log, 1, () => fixture.send(B, { type: 'CreateGoal', fields: fields() }));
    const late = rival(fixture, log);
    expect(await refusal(late(A, { type: 'CreateGoal', fields: fields() }))).toMatch(/^conflict: .*title/);
    expect(fixture.log.streamVersion(`goal-${A}`)).toBe(0);
  });

  it('comes free with a new title, a new workspace and a deletion, in the same commit', async () => {
    const fixture = await openGoals();
    const { send } = fixture;
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
    expect(goalRow(fixture.store, B)).toMatchObject({ title: 'Ship it', workspace: null, status: 'abandoned' });
  });
});

describe('parents', () => {
  const under = (parent_goal_id: string | null) => ({ type: 'ReviseGoal', changes: { parent_goal_id } }) as const;

  async function chain(length: number): Promise<GoalFixture> {
    const fixture = await openGoals();
    for (let n = 1; n <= length; n += 1) {
      const parent_goal_id = n === 1 ? null : idFrom(n - 1);
      await fixture.send(idFrom(n), { type: 'CreateGoal', fields: fields({ title: `${n}`, parent_goal_id }) });
    }
    return fixture;
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
    const fixture = await chain(2);
    await fixture.send(A, { type: 'DeleteGoal' });
    expect((await fixture.send(B, { type: 'ReviseGoal', changes: { tags: ['t'] } })).parent_goal_id).toBe(A);
    expect((await fixture.send(B, under(A))).parent_goal_id).toBe(A);
    expect((await fixture.send(B, under(null))).parent_goal_id).toBeNull();
  });

  it('are at most so many, one above the other', async () => {
    const { clock, ids, log, send } = await openGoals();
    const batch = Array.from({ length: ANCESTORS_MAX + 1 }, (_, n): StreamAppend => {
      const data = fields({ title: `${n + 1}`, parent_goal_id: n === 0 ? null : idFrom(n) });
      const events = [
        { ...ORIGIN, id: ids.uuid(), type: 'GoalCreated', schema: 1, at: clock.now(), causation: null, data },
      ];
      return { stream: `goal-${idFrom(n + 1)}`, expectedVersion: 'none', events };
    });
    await log.append(batch);
    const under = (parent: number) => fields({ title: `under ${parent}`, parent_goal_id: idFrom(parent) });
    const tooDeep = send(idFrom(50_000), { type: 'CreateGoal', fields: under(ANCESTORS_MAX + 1) });
    expect(await refusal(tooDeep)).toMatch(/^invalid: parent_goal_id.*1000 ancestors/);
    await send(idFrom(50_001), { type: 'CreateGoal', fields: under(ANCESTORS_MAX) });
  });

  it('do not make a loop when two writers each close one half of it', async () => {
    const fixture = await chain(2);
    await fixture.send(B, under(null));
    const log = contested(fixture.log, 1, () => fixture.send(B, under(A)));
    const late = rival(fixture, log);
    expect(await refusal(late(A, under(B)))).toMatch(/^invalid: parent_goal_id would make a loop/);
  });
});

it('a deletion takes links and pins with it, in one commit, and leaves the others theirs', async () => {
  const { send, commandHandler, log, store } = await openGoals();
  const pin = (workspace: string | null, goal_id: string) =>
    commandHandler.dispatch(
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
