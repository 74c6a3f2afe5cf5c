/** The queries of goals, each condition alone and combined. */
import { describe, expect, it } from 'vitest';
import type { Goal, GoalChanges, GoalEvent, GoalFields } from '../../src/events/goal.ts';
import {
  activeGoals,
  childCount,
  childGoals,
  type GoalFilter,
  goalLink,
  goalLinks,
  goalRow,
  goals,
  goalsJson,
  isPinned,
  linkedRuns,
  pinIn,
} from '../../src/projections/goal.ts';
import type { Views } from '../../src/projections/views.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';
import { fields, PLAN } from './support.ts';

const on = (id: string, event: GoalEvent) => ({ stream: `goal-${id}`, ...event });
const created = (id: string, of: Partial<GoalFields>) => on(id, { type: 'GoalCreated', data: fields(of) });
const revised = (id: string, changes: GoalChanges, plan_cleared = false) =>
  on(id, { type: 'GoalRevised', data: { changes, plan_cleared } });
const planned = (id: string) => on(id, { type: 'GoalPlanned', data: { plan: PLAN, provider: 'p', model: 'm' } });
const linked = (id: string, link_id: string, kind: 'session' | 'job' | 'note', target_id: string) =>
  on(id, { type: 'GoalLinked', data: { link_id, kind, target_id, note: null } });

const story = (): Views =>
  givenProjection(goals, [
    created('a', { title: 'Ship the Import', statement: 'All invoices arrive', tags: ['import', 'q3'] }),
    created('b', { title: 'Read CSV', workspace: '/work', tags: ['import'], parent_goal_id: 'a' }),
    created('c', { title: 'Read XML', workspace: '/work', parent_goal_id: 'a' }),
    revised('b', { status: 'done' }),
    revised('a', { statement: 'Every bill arrives in Köln'.normalize('NFD') }),
    linked('a', 'l1', 'session', 'run-1'),
    linked('a', 'l2', 'job', 'run-1'),
    linked('a', 'l3', 'note', 'no run'),
    linked('nobody', 'l4', 'job', 'run-2'),
    { stream: 'goal_pins-all', type: 'GoalPinned', data: { workspace: null, goal_id: 'a' } },
  ]).views;
const found = (filter: Partial<GoalFilter>) =>
  goalsJson(story(), { limit: 100, ...filter }).map((text) => (JSON.parse(text) as Goal).id);

describe('goals', () => {
  it.each<[Partial<GoalFilter>, string[]]>([
    [{}, ['a', 'b', 'c']],
    [{ limit: 2 }, ['a', 'b']],
    [{ status: 'done' }, ['b']],
    [{ status: 'active' }, ['a', 'c']],
    [{ workspace: '/work' }, ['b', 'c']],
    [{ workspace: null }, ['a']],
    [{ tag: 'import' }, ['a', 'b']],
    [{ tag: 'impor' }, []],
    [{ words: 'READ' }, ['b', 'c']],
    [{ words: 'the import' }, ['a']],
    [{ words: 'bill' }, ['a']],
    [{ words: 'köln' }, ['a']],
    [{ words: 'invoices' }, []],
    [{ words: 'import\u{1f}every' }, ['a']],
    [{ words: 'importevery' }, []],
    [{ status: 'active', workspace: '/work', words: 'xml' }, ['c']],
  ])('found by %j', (filter, ids) => {
    expect(found(filter)).toEqual(ids);
  });

  it('below another one, and how many', () => {
    expect(childGoals(story(), 'a').map(({ id }) => id)).toEqual(['b', 'c']);
    expect([childCount(story(), 'a'), childCount(story(), 'b')]).toEqual([2, 0]);
  });

  it('that are active, with their workspaces', () => {
    expect(activeGoals(story())).toEqual([{ workspace: null }, { workspace: '/work' }]);
  });

  it('have the fields of a plan in one order, also from an event that is read from the log', () => {
    const { goal, steps, estimated_files, risks } = PLAN;
    const stored = { estimated_files, goal, risks, steps };
    const texts = [PLAN, stored].map((plan) => {
      const events = [created('a', {}), on('a', { type: 'GoalPlanned', data: { plan, provider: 'p', model: 'm' } })];
      return goalsJson(givenProjection(goals, events).views, { limit: 1 })[0];
    });
    expect(texts[1]).toBe(texts[0]);
  });

  it('that are pinned', () => {
    expect([isPinned(story(), 'a'), isPinned(story(), 'b')]).toEqual([true, false]);
    expect(pinIn(story(), null)?.goal_id).toBe('a');
    expect(pinIn(story(), '/work')).toBeUndefined();
  });
});

describe('links', () => {
  it('are the newest first, of goals that exist', () => {
    expect(goalLinks(story(), 'a').map(({ id }) => id)).toEqual(['l3', 'l2', 'l1']);
    expect(goalLinks(story(), 'nobody')).toEqual([]);
  });

  it('are asked for by id, and by the runs that they name', () => {
    expect(goalLink(story(), 'a', 'l3')).toMatchObject({ goal_id: 'a', kind: 'note', target_id: 'no run' });
    expect(goalLink(story(), 'b', 'l3')).toBeUndefined();
    expect(linkedRuns(story(), 'a')).toEqual(['run-1']);
  });
});

describe('a goal', () => {
  const planOf = (clears: boolean) =>
    goalRow(
      givenProjection(goals, [created('a', {}), planned('a'), revised('a', { title: 'New' }, clears)]).views,
      'a',
    );

  it('keeps its plan until a revision clears it', () => {
    expect(planOf(false)).toMatchObject({ title: 'New', current_plan: PLAN });
    expect(planOf(true)).toMatchObject({ title: 'New', current_plan: null });
  });

  it('that was never created is nobody’s', () => {
    const none = givenProjection(goals, [revised('a', { title: 'New' }), planned('a')]).views;
    expect([goalRow(none, 'a'), goalsJson(none, { limit: 1 })]).toEqual([undefined, []]);
  });

  it('takes its links and pins with it', () => {
    const gone = givenProjection(goals, [
      created('a', {}),
      linked('a', 'l', 'job', 'run-1'),
      { stream: 'goal_pins-all', type: 'GoalPinned', data: { workspace: '/work', goal_id: 'a' } },
      on('a', { type: 'GoalDeleted', data: {} }),
    ]).views;
    expect([goalRow(gone, 'a'), goalLinks(gone, 'a'), isPinned(gone, 'a')]).toEqual([undefined, [], false]);
  });
});
