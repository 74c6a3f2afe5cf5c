/** The pure functions of goals: walking a tree, the recap without a model, parsing a plan from a model's answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Goal } from '../../src/events/goal.ts';
import { ACTIONS_MAX, artifactsOf, BULLETS_MAX, type RunEnd, recapText } from '../../src/queries/goal/recap.ts';
import { type GoalChildren, type GoalNode, TREE_NODES_MAX, walkTree } from '../../src/queries/goal/tree.ts';
import { outline, planOf } from '../../src/reactors/goal/plan.ts';

function row(id: string, changes: Partial<Goal> = {}): Goal {
  return {
    id,
    workspace: null,
    title: `goal ${id}`,
    statement: '',
    status: 'active',
    success_criteria: [],
    tags: [],
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    parent_goal_id: null,
    current_plan: null,
    schema_version: 1,
    ...changes,
  };
}

/** The children of each id; loops too, which no log can hold. */
function childrenOf(children: Readonly<Record<string, readonly string[]>>): GoalChildren {
  return {
    children: (id) => (children[id] ?? []).map((child) => row(child)),
    childCount: (id) => (children[id] ?? []).length,
  };
}

/** The shape of a tree in short: `a(b,c*)`; `*` is a cycle, `+n` is cut off with n children. */
function short({ goal, children, truncated, direct_child_count, cycle }: GoalNode): string {
  const flags = `${cycle ? '*' : ''}${truncated ? `+${direct_child_count}` : ''}`;
  return `${goal.id}${flags}${children.length > 0 ? `(${children.map(short).join(',')})` : ''}`;
}

describe('the tree', () => {
  const children = childrenOf({ a: ['b', 'c'], b: ['d'], d: ['e'] });

  it.each([
    [1, 'a+2'],
    [2, 'a(b+1,c)'],
    [3, 'a(b(d+1),c)'],
    [4, 'a(b(d(e)),c)'],
    [10, 'a(b(d(e)),c)'],
  ])('to depth %i is %s', (depth, expected) => {
    expect(short(walkTree(children, row('a'), depth))).toBe(expected);
  });

  it('has no flag that is not so', () => {
    expect(walkTree(children, row('c'), 1)).toEqual({ goal: row('c'), children: [] });
    expect(walkTree(children, row('a'), 1)).toEqual({
      goal: row('a'),
      children: [],
      truncated: true,
      direct_child_count: 2,
    });
  });

  it.each([
    ['itself below itself', { a: ['a'] }, 'a(a*)'],
    ['two that have each other', { a: ['b'], b: ['a'] }, 'a(b(a*))'],
    ['one reached on two ways', { a: ['b', 'c'], b: ['d'], c: ['d'] }, 'a(b(d),c(d*))'],
  ])('marks what it meets again: %s', (_, children, expected) => {
    expect(short(walkTree(childrenOf(children), row('a'), 10))).toBe(expected);
  });

  it('of any children, loops and all, ends, and shows every goal once but for its marks', () => {
    const edges = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 25 });
    fc.assert(
      fc.property(edges, fc.integer({ min: 1, max: 10 }), (pairs, depth) => {
        const children: Record<string, string[]> = {};
        for (const [parent, child] of pairs) children[parent] = [...(children[parent] ?? []), `${child}`];
        const entered: string[] = [];
        let deepest = 0;
        const walk = (node: GoalNode, level: number): void => {
          deepest = Math.max(deepest, level);
          if (node.cycle === true) expect(node.children).toEqual([]);
          else entered.push(node.goal.id);
          for (const child of node.children) walk(child, level + 1);
        };
        walk(walkTree(childrenOf(children), row('0'), depth), 1);
        expect(new Set(entered).size).toBe(entered.length);
        expect(deepest).toBeLessThanOrEqual(depth);
      }),
      { numRuns: 300 },
    );
  });

  it('of very many goals is cut off', () => {
    const many = Array.from({ length: TREE_NODES_MAX }, (_, n) => `n${n}`);
    const children = childrenOf({ a: ['b', 'c'], b: many, c: ['d'] });
    const [b, c] = walkTree(children, row('a'), 10).children;
    expect(b!.children).toHaveLength(TREE_NODES_MAX);
    expect(c).toMatchObject({ children: [], truncated: true, direct_child_count: 1 });
  });
});

function end(changes: Partial<RunEnd> = {}): RunEnd {
  return {
    session_id: 's1',
    task: 'Tidy up\nthoroughly',
    status: 'complete',
    summary: 'Tidied.',
    files_modified: [],
    remaining: [],
    ...changes,
  };
}

describe('the recap without a model', () => {
  it('says so when there is nothing, in other words than when there is something', () => {
    const nothing = recapText('Ship it', []);
    expect(nothing).toMatchObject({ bullets: [], next_actions: [] });
    expect(recapText('Ship it', [end()]).headline).not.toBe(nothing.headline);
  });

  it('counts in its headline, and speaks of one run as of one', () => {
    const done = end({ status: 'complete' });
    const failed = end({ status: 'failed' });
    expect(recapText('Ship it', [done]).headline).toBe('“Ship it”: 1 run has ended, complete.');
    expect(recapText('Ship it', [failed]).headline).toBe('“Ship it”: 1 run has ended, not complete.');
    expect(recapText('Ship it', [done, failed]).headline).toBe('“Ship it”: 2 runs have ended, 1 of them complete.');
    expect(recapText('Ship it', [done, done]).headline).toBe('“Ship it”: 2 runs have ended, all of them complete.');
  });

  it('takes the lines of the summaries, each once whatever its case, in order, at most seven', () => {
    const ends = [
      end({ summary: '## Done\n- Tidied the shed\n* tidied the SHED\n\n1. Swept\n---\n' }),
      end({ summary: 'swept\nA\nB\nC\nD\nE\nF' }),
    ];
    expect(recapText('t', ends).bullets).toEqual(['Done', 'Tidied the shed', 'Swept', 'A', 'B', 'C', 'D']);
    expect(BULLETS_MAX).toBe(7);
  });

  it('takes what a partial run left open as what comes next, at most three', () => {
    const partial = end({
      status: 'partial',
      summary: 'Stopped after 2 steps.\n\nRemaining (3 of 5 steps not done):\n3. Paint',
      remaining: ['Paint', 'paint', 'Dry', 'Varnish', 'Sell'],
    });
    expect(recapText('t', [partial])).toMatchObject({
      bullets: ['Stopped after 2 steps.'],
      next_actions: ['Paint', 'Dry', 'Varnish'],
    });
    expect(ACTIONS_MAX).toBe(3);
  });

  it.each([
    ['failed', 'Failed: The key is wrong.', 'Find out why it failed, then try again: Tidy up'],
    ['cancelled', 'Cancelled: Tidy up', 'Take up again: Tidy up'],
  ] as const)('names a run that %s', (status, bullet, action) => {
    const text = recapText('t', [end({ status, summary: 'The key is wrong.\nMore.' })]);
    expect([text.bullets, text.next_actions]).toEqual([[bullet], [action]]);
  });

  it('lists each artifact once for its kind and locator', () => {
    const one = end({
      files_modified: ['src/a.ts', 'b.ts'],
      summary: 'See https://example.org/x. And https://example.org/x',
    });
    const two = end({ session_id: 's2', files_modified: ['b.ts'] });
    expect(artifactsOf([one, two])).toEqual([
      { kind: 'job', label: 'Tidy up', locator: 's1' },
      { kind: 'file', label: 'a.ts', locator: 'src/a.ts' },
      { kind: 'file', label: 'b.ts', locator: 'b.ts' },
      { kind: 'url', label: 'https://example.org/x', locator: 'https://example.org/x' },
      { kind: 'job', label: 'Tidy up', locator: 's2' },
    ]);
  });

  it('of anything keeps to its limits', () => {
    const ends = fc.array(
      fc.record({
        session_id: fc.string(),
        task: fc.string(),
        status: fc.constantFrom('complete', 'partial', 'failed', 'cancelled' as const),
        summary: fc.string({ maxLength: 400 }),
        files_modified: fc.array(fc.string()),
        remaining: fc.array(fc.string()),
      }),
    );
    fc.assert(
      fc.property(ends, (all) => {
        const { bullets, next_actions } = recapText('t', all);
        expect(bullets.length).toBeLessThanOrEqual(7);
        expect(next_actions.length).toBeLessThanOrEqual(3);
        for (const texts of [bullets, next_actions]) {
          expect(new Set(texts.map((text) => text.toLowerCase())).size).toBe(texts.length);
          expect(texts.filter((text) => text.trim() === '')).toEqual([]);
        }
        const keys = artifactsOf(all).map(({ kind, locator }) => JSON.stringify([kind, locator]));
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a plan', () => {
  const goal = row('a', { title: 'Ship it' });

  it('is numbered by us and has nothing done, whatever the model says', () => {
    const answered = {
      steps: [
        { id: 9, description: ' Look ', tool: 'read_file', estimated_path: 'src', status: 'done' },
        { description: 'Change', tool: 7, estimated_path: 12 },
      ],
      estimated_files: ['a.ts', 'a.ts'],
      risks: 'none',
    };
    expect(planOf(goal, answered)).toEqual({
      goal: 'Ship it',
      steps: [
        { id: 1, description: 'Look', tool: 'read_file', estimated_path: 'src', status: 'pending' },
        { id: 2, description: 'Change', tool: '', estimated_path: null, status: 'pending' },
      ],
      estimated_files: ['a.ts'],
      risks: [],
    });
  });

  it.each([[null], [[]], [{}], [{ steps: [] }], [{ steps: [{ tool: 'x' }] }], [{ steps: [{ description: ' ' }] }]])(
    'is not made from %j',
    (answered) => {
      expect(() => planOf(goal, answered)).toThrow(/no plan/);
    },
  );

  it('is not endless', () => {
    const steps = Array.from({ length: 500 }, () => ({ description: 'x'.repeat(10_000) }));
    const plan = planOf(goal, { steps, risks: Array.from({ length: 500 }, () => 'r') });
    expect([plan.steps.length, plan.steps[0]!.description.length, plan.risks.length]).toEqual([50, 2_000, 50]);
  });

  it('with texts that are cut has no half of a character', () => {
    const long = `${'x'.repeat(1_992)}${'😀'.repeat(10)}`;
    const texts = [long, `x${long}`];
    const plans = [
      planOf(goal, { steps: texts.map((description) => ({ description })), risks: texts }),
      outline({ ...goal, success_criteria: texts }),
    ];
    for (const plan of plans) expect(JSON.stringify(plan)).not.toMatch(/\\ud/);
  });

  it('without a model is the goal in its own words, and says so', () => {
    const plan = outline({ ...goal, statement: 'Out of the door.\nSoon.', success_criteria: ['It runs', ' '] });
    expect(plan.steps.map((step) => step.description)).toEqual([
      'Look at how things stand: Out of the door.',
      'Reach: It runs',
      'Check the whole against the goal and write down what is left.',
    ]);
    expect(plan.risks).toEqual([expect.stringContaining('No language model')]);
  });
});
