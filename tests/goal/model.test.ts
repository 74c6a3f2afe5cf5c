/**
 * Random histories of goals compared with a model in plain maps: accepted commands, refusals with their reasons, and
 * the views. In every state of every history a title has one goal, parents form no cycle, and pins point to existing
 * goals; and the same history folded in any batches gives the same views.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GoalCommand as AnyGoalCommand, goal } from '../../src/commands/goal/decide.ts';
import { type GoalPinCommand, goalPins, PINS_STREAM_ID } from '../../src/commands/goal/pins.ts';
import { GOALS_LOCK_KEY } from '../../src/commands/goal/policy.ts';
import { Refusal, Refused } from '../../src/commands/refusal.ts';
import type { Goal, GoalChanges, GoalEvent } from '../../src/events/goal.ts';
import { goalLinks, goalRow, goals, goalsJson, pinIn } from '../../src/projections/goal.ts';
import { openViews } from '../../src/projections/views.ts';
import { eventTable } from '../../src/resources.ts';
import { Projector } from '../../src/streams/projector.ts';
import { byDepth } from '../support/depth.ts';
import { fields, foldingViews, type GoalFixture, idFrom, ORIGIN, openGoals, PLAN, rowsOf } from './support.ts';

const RUNS = byDepth({ sample: 15, dense: 60, long: 500 });
const GOALS = 6;

/** What the goal routes send; the link of a run that starts is no command of theirs. */
type GoalCommand = Exclude<AnyGoalCommand, { type: 'LinkStartedRun' }>;

type Move =
  | { readonly of: 'goal'; readonly id: string; readonly command: GoalCommand }
  | { readonly of: 'pin'; readonly command: GoalPinCommand };

const id = fc.integer({ min: 1, max: GOALS }).map(idFrom);
const workspace = fc.constantFrom(null, '/w', '/v');
const title = fc.constantFrom('a', 'b', 'A', ' ', 'c');
const words = fc.constantFrom('', 'one', 'two');
const list = fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 });
const parent = fc.option(id);

const changes = fc.record(
  {
    workspace,
    title,
    statement: words,
    status: fc.constantFrom('active', 'paused', 'done', 'abandoned'),
    success_criteria: list,
    tags: list,
    parent_goal_id: parent,
  } as const,
  { requiredKeys: [] },
);

const command: fc.Arbitrary<GoalCommand> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ workspace, title, statement: words, success_criteria: list, tags: list, parent_goal_id: parent })
      .map((of) => ({ type: 'CreateGoal', fields: fields(of) }) as const),
  },
  { weight: 8, arbitrary: changes.map((of) => ({ type: 'ReviseGoal', changes: of as GoalChanges }) as const) },
  {
    weight: 2,
    arbitrary: fc.tuple(words, list).map(([statement, success_criteria]): GoalCommand => {
      const basis = { statement, success_criteria };
      return { type: 'RecordPlan', plan: PLAN, provider: 'p', model: 'm', basis };
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('session', 'note').map((kind): GoalCommand => {
      return { type: 'LinkGoal', link_id: 'l', kind, target_id: 'x', note: null };
    }),
  },
  { weight: 2, arbitrary: fc.constant<GoalCommand>({ type: 'DeleteGoal' }) },
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ of: fc.constant('goal' as const), id, command }) },
  {
    weight: 2,
    arbitrary: fc
      .record({ workspace, goal_id: id })
      .map((of) => ({ of: 'pin', command: { type: 'PinGoal', ...of } }) as const),
  },
  {
    weight: 1,
    arbitrary: workspace.map((slot) => ({ of: 'pin', command: { type: 'EmptySlot', workspace: slot } }) as const),
  },
);

/** Long ones: it takes some to have goals to go wrong with. */
const history = fc.array(move, { minLength: 15, maxLength: 80, size: 'max' });

interface Modelled {
  readonly workspace: string | null;
  readonly title: string;
  readonly statement: string;
  readonly status: string;
  readonly success_criteria: readonly string[];
  readonly tags: readonly string[];
  readonly parent_goal_id: string | null;
  readonly current_plan: unknown;
  readonly links: number;
}

/** What should be there, written down without any event. */
class Model {
  readonly goals = new Map<string, Modelled>();
  readonly pins = new Map<string | null, string>();
  readonly ever = new Set<string>();

  play(of: Move): string {
    return of.of === 'pin' ? this.#pin(of.command) : this.#goal(of.id, of.command);
  }

  #pin(of: GoalPinCommand): string {
    if (of.type === 'PinGoal') {
      if (!this.goals.has(of.goal_id)) return 'not_found';
      this.pins.set(of.workspace, of.goal_id);
    } else if (of.type === 'EmptySlot') this.pins.delete(of.workspace);
    return 'done';
  }

  #goal(at: string, of: GoalCommand): string {
    if (of.type === 'CreateGoal') {
      if (this.ever.has(at)) return 'conflict';
      const fresh = { ...of.fields, status: 'active', current_plan: null, links: 0 };
      const fault = this.#fault(at, fresh, null);
      if (fault === null) this.goals.set(at, fresh);
      if (fault === null) this.ever.add(at);
      return fault ?? 'done';
    }
    const now = this.goals.get(at);
    if (now === undefined) return 'not_found';
    const same = (one: unknown, two: unknown): boolean => JSON.stringify(one) === JSON.stringify(two);
    switch (of.type) {
      case 'ReviseGoal': {
        const next = { ...now, ...of.changes };
        const restated = now.statement !== next.statement || !same(now.success_criteria, next.success_criteria);
        const fault = this.#fault(at, next, now);
        if (fault === null) this.goals.set(at, { ...next, current_plan: restated ? null : now.current_plan });
        return fault ?? 'done';
      }
      case 'RecordPlan':
        if (now.statement !== of.basis.statement || !same(now.success_criteria, of.basis.success_criteria)) {
          return 'conflict';
        }
        this.goals.set(at, { ...now, current_plan: of.plan });
        return 'done';
      case 'LinkGoal':
        this.goals.set(at, { ...now, links: now.links + 1 });
        return 'done';
      case 'DeleteGoal':
        this.goals.delete(at);
        for (const [slot, pinned] of this.pins) if (pinned === at) this.pins.delete(slot);
        return 'done';
    }
  }

  #fault(at: string, next: Modelled, before: Modelled | null): string | null {
    if (next.title.trim() === '') return 'invalid';
    if (next.parent_goal_id !== (before?.parent_goal_id ?? null) && next.parent_goal_id !== null) {
      if (next.parent_goal_id === at || !this.goals.has(next.parent_goal_id)) return 'invalid';
      for (let up: string | null = next.parent_goal_id; up !== null; up = this.goals.get(up)?.parent_goal_id ?? null) {
        if (up === at) return 'invalid';
      }
    }
    const taken = [...this.goals].some(
      ([other, { workspace: slot, title: name }]) => other !== at && slot === next.workspace && name === next.title,
    );
    return taken ? 'conflict' : null;
  }
}

async function play({ commandHandler, send }: GoalFixture, of: Move): Promise<string> {
  try {
    if (of.of === 'goal') await send(of.id, of.command);
    else {
      const { command: pin } = of;
      await commandHandler.dispatch(goalPins, PINS_STREAM_ID, pin, {
        origin: ORIGIN,
        lockKey: GOALS_LOCK_KEY,
        policy: (work) =>
          pin.type === 'PinGoal' && work.read(goal, pin.goal_id).life !== 'alive'
            ? new Refusal('not_found', 'Goal not found')
            : undefined,
      });
    }
    return 'done';
  } catch (error) {
    if (error instanceof Refused) return error.refusal.kind;
    throw error;
  }
}

/** A plan is mostly made for the words that the goal has just then. */
function fitted(of: Move, { goals: now }: Model): Move {
  if (of.of !== 'goal' || of.command.type !== 'RecordPlan' || of.command.basis.statement === 'one') return of;
  const { statement = '', success_criteria = [] } = now.get(of.id) ?? {};
  return { ...of, command: { ...of.command, basis: { statement, success_criteria: [...success_criteria] } } };
}

function checkInvariants(rows: readonly Goal[]): void {
  expect(new Set(rows.map((row) => JSON.stringify([row.workspace, row.title]))).size).toBe(rows.length);
  const parents = new Map(rows.map((row) => [row.id, row.parent_goal_id]));
  for (const row of rows) {
    let steps = 0;
    for (let up = row.parent_goal_id; up != null; up = parents.get(up) ?? null) steps += 1;
    expect(steps).toBeLessThanOrEqual(rows.length);
  }
}

/** The views hold what the model says, and just what the decider's own states say. */
function checkViews({ store, commandHandler }: GoalFixture, model: Model): void {
  const rows = goalsJson(store, { limit: -1 }).map((text) => JSON.parse(text) as Goal);
  checkInvariants(rows);
  const seen = rows.map((row) => {
    const { id: at, created_at, updated_at, schema_version, ...rest } = row;
    expect([updated_at >= created_at, schema_version]).toEqual([true, 1]);
    const { life, isPlanned, links, ...rules } = commandHandler.load(goal, at);
    expect([life, isPlanned, links]).toEqual(['alive', row.current_plan !== null, goalLinks(store, at).length]);
    expect(row).toMatchObject(rules);
    return [at, { ...rest, links: goalLinks(store, at).length }] as const;
  });
  expect(new Map(seen)).toEqual(model.goals);
  for (const slot of [null, '/w', '/v']) {
    const pinned = pinIn(store, slot)?.goal_id;
    expect(pinned).toBe(model.pins.get(slot));
    if (pinned !== undefined) expect(goalRow(store, pinned)).toBeDefined();
  }
}

it('updated_at grows with every revision, also when the clock does not, and stays when the goal is linked', () => {
  const store = openViews(null);
  store.exec(goals.create);
  const fold = (position: number, at: number, event: GoalEvent): string => {
    goals.on[event.type]!(store, { ...event, stream: `goal-${idFrom(1)}`, position, at, actor: 'owner' });
    return goalRow(store, idFrom(1))!.updated_at.slice(-4);
  };
  expect(fold(1, 100, { type: 'GoalCreated', data: fields() })).toBe('100Z');
  const revised: GoalEvent = { type: 'GoalRevised', data: { changes: {}, plan_cleared: false } };
  const times = [100, 100, 50, 200].map((at, index) => fold(index + 2, at, revised));
  expect(times).toEqual(['101Z', '102Z', '103Z', '200Z']);
  const data = { link_id: 'l', kind: 'note', target_id: 'x', note: null } as const;
  expect(fold(6, 900, { type: 'GoalLinked', data })).toBe('200Z');
});

describe('random histories', () => {
  it('are accepted, refused and shown as the model says', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (moves) => {
        const fixture = await openGoals();
        const model = new Model();
        for (const one of moves) {
          const each = fitted(one, model);
          const expected = model.play(each);
          expect([await play(fixture, each), each]).toEqual([expected, each]);
          checkViews(fixture, model);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('sent all at once leave one goal a title, no loop and no pin of what is gone', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (moves) => {
        const fixture = await openGoals();
        await Promise.all(moves.map((each) => play(fixture, each)));
        const rows = goalsJson(fixture.store, { limit: -1 }).map((text) => JSON.parse(text) as Goal);
        checkInvariants(rows);
        for (const slot of [null, '/w', '/v']) {
          const pinned = pinIn(fixture.store, slot)?.goal_id;
          if (pinned !== undefined) expect(rows.map((row) => row.id)).toContain(pinned);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('folded in any pieces, after any restart, and rebuilt, give the same views', async () => {
    const pieces = fc.array(fc.record({ events: fc.integer({ min: 1, max: 9 }), restart: fc.boolean() }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(history, pieces, async (moves, cuts) => {
        const fixture = await openGoals();
        for (const each of moves) await play(fixture, each);
        const expected = rowsOf(fixture.store);
        const empty = await openGoals();
        const { store } = await foldingViews(empty.log);
        const report = (line: string): void => expect(line).toBe('no report');
        let projector = new Projector({ log: fixture.log, store, projections: [goals], events: eventTable, report });
        let at = 0;
        for (const { events, restart } of cuts) {
          const batch = [...fixture.log.readAll({ after: at, limit: events })];
          if (batch.length === 0) break;
          projector.apply(batch);
          at = batch.at(-1)!.position;
          if (!restart) continue;
          projector.settle();
          projector = new Projector({ log: fixture.log, store, projections: [goals], events: eventTable, report });
          await projector.catchUp();
          break;
        }
        await projector.catchUp();
        expect(rowsOf(store)).toEqual(expected);
        await projector.rebuild();
        expect(rowsOf(store)).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });
});
