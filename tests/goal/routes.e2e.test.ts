/** The contract's table of goals and watch, row by row, over HTTP. */
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { asking, idFrom, made, type Reply } from './support.ts';

const GOAL_FIELDS = [
  'id',
  'workspace',
  'title',
  'statement',
  'status',
  'success_criteria',
  'tags',
  'created_at',
  'updated_at',
  'parent_goal_id',
  'current_plan',
  'schema_version',
];
const HEX32 = /^[0-9a-f]{32}$/;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const NOWHERE = idFrom(0xdead);

const daemon = sharedDaemon();
const ask = asking(daemon);
let names = 0;

/** A goal with a title of its own. */
function fresh(body: Record<string, unknown> = {}): Promise<Reply['body']> {
  names += 1;
  return made(ask, { title: `goal ${names}`, ...body });
}

const titles = (reply: Reply): string[] => reply.body.goals.map((goal: { title: string }) => goal.title);

describe('POST /v1/goals', () => {
  it('answers 201 and the whole record, null where nothing is set', async () => {
    const body = await fresh();
    expect(Object.keys(body)).toEqual(GOAL_FIELDS);
    expect(body).toMatchObject({
      id: expect.stringMatching(HEX32),
      workspace: null,
      statement: '',
      status: 'active',
      success_criteria: [],
      tags: [],
      created_at: expect.stringMatching(RFC3339),
      parent_goal_id: null,
      current_plan: null,
      schema_version: 1,
    });
    expect(body.updated_at).toBe(body.created_at);
  });

  it('keeps every field as it was sent', async () => {
    const parent = await fresh();
    const sent = {
      title: '  Spätzle 🍝 ',
      statement: 'Zeile\nzwei',
      workspace: '/srv/küche/',
      success_criteria: ['a', 'a', ''],
      tags: ['x', 'X'],
      parent_goal_id: parent.id,
    };
    const body = await made(ask, sent);
    expect(body).toMatchObject(sent);
    expect((await ask('GET', `/v1/goals/${body.id}`)).body).toEqual({ goal: body, links: [] });
  });

  it('takes null for a workspace and a parent, and a blank workspace for none', async () => {
    expect(await fresh({ workspace: null, parent_goal_id: null })).toMatchObject({ workspace: null });
    expect(await fresh({ workspace: ' ' })).toMatchObject({ workspace: null });
  });

  it.each([
    ['no body', undefined, /body/],
    ['a list', [], /body/],
    ['no title', {}, /title/],
    ['a blank title', { title: ' \n' }, /title/],
    ['a title that is a number', { title: 7 }, /title/],
    ['a title of 121 characters', { title: 'x'.repeat(121) }, /title.*120/],
    ['a statement that is null', { title: 't', statement: null }, /statement/],
    ['criteria that are a text', { title: 't', success_criteria: 'x' }, /success_criteria/],
    ['a tag that is a number', { title: 't', tags: ['x', 1] }, /tags\.1/],
    ['a workspace that is a number', { title: 't', workspace: 1 }, /workspace/],
    ['a parent that is not there', { title: 't', parent_goal_id: NOWHERE }, /parent_goal_id/],
    ['a parent that is no id', { title: 't', parent_goal_id: '' }, /parent_goal_id/],
  ])('answers 400 to %s', async (_, body, error) => {
    const reply = await ask('POST', '/v1/goals', body);
    expect([reply.status, Object.keys(reply.body)]).toEqual([400, ['error']]);
    expect(reply.body.error).toMatch(error);
  });

  it('takes a title of 120 characters, counted as characters and without the spaces around it', async () => {
    expect((await made(ask, { title: `${'𝕏'.repeat(120)} ` })).title).toHaveLength(241);
  });

  it('answers 409 to a title that its workspace has, in any status, and only to that very title', async () => {
    const first = await made(ask, { title: 'Twice', workspace: '/w' });
    await ask('PATCH', `/v1/goals/${first.id}`, { status: 'abandoned' });
    const again = await ask('POST', '/v1/goals', { title: 'Twice', workspace: '/w', statement: 'other' });
    expect([again.status, Object.keys(again.body)]).toEqual([409, ['error']]);
    for (const other of [{ workspace: '/w/' }, { workspace: null }, { title: 'twice', workspace: '/w' }]) {
      await made(ask, { title: 'Twice', ...other });
    }
    expect((await ask('POST', '/v1/goals', { title: 'Twice' })).status).toBe(409);
    expect((await ask('DELETE', `/v1/goals/${first.id}`)).status).toBe(204);
    await made(ask, { title: 'Twice', workspace: '/w' });
  });

  it('gives one of 20 that ask at once 201, and the others 409', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ask('POST', '/v1/goals', { title: 'Only one', statement: `${n}` })),
    );
    const statuses = replies.map((reply) => reply.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    const winner = replies.find((reply) => reply.status === 201)!.body;
    expect((await ask('GET', '/v1/goals?q=only%20one')).body).toEqual({ goals: [winner], count: 1 });
  });

  it('under one parent, while that parent is changed and linked, all come through', async () => {
    const parent = await fresh();
    const replies = await Promise.all(
      Array.from({ length: 36 }, (_, n) => {
        if (n % 3 === 0) return ask('PATCH', `/v1/goals/${parent.id}`, { statement: `${n}` });
        if (n % 3 === 1) return ask('POST', `/v1/goals/${parent.id}/link`, { kind: 'note', target_id: `${n}` });
        return ask('POST', '/v1/goals', { title: `under ${parent.id} ${n}`, parent_goal_id: parent.id });
      }),
    );
    expect(replies.map((reply) => reply.status).filter((status) => status > 201)).toEqual([]);
    expect((await ask('GET', `/v1/goals/${parent.id}/children`)).body.count).toBe(12);
  });
});

describe('GET /v1/goals', () => {
  const W = '/list';

  beforeAll(async () => {
    const bodies = [
      { title: 'one', tags: ['red', 'ripe'], statement: 'Größe' },
      { title: 'two', tags: ['redder'] },
      { title: 'three', tags: ['red'] },
      { title: 'four' },
    ];
    for (const body of bodies) await made(ask, { workspace: W, ...body });
    const listed = await ask('GET', `/v1/goals?workspace=${W}`);
    const two = listed.body.goals.find((goal: { title: string }) => goal.title === 'two');
    await ask('PATCH', `/v1/goals/${two.id}`, { status: 'done' });
  });

  it.each([
    ['', ['two', 'four', 'three', 'one']],
    ['&status=active', ['four', 'three', 'one']],
    ['&status=done', ['two']],
    ['&status=paused', []],
    ['&tag=red', ['three', 'one']],
    ['&tag=Red', []],
    ['&tag=red&limit=1', ['three']],
    ['&limit=2', ['two', 'four']],
    ['&limit=0', ['two', 'four', 'three', 'one']],
    ['&q=O', ['two', 'four', 'one']],
    ['&q=gr%C3%96SSE', []],
    ['&q=GR%C3%96%C3%9FE', ['one']],
    ['&q=%20', ['two', 'four', 'three', 'one']],
    ['&q=%25', []],
    ['&q=t&status=active&tag=red', ['three']],
  ])('filters, last changed first: %s', async (query, expected) => {
    const reply = await ask('GET', `/v1/goals?workspace=${W}${query}`);
    expect([reply.status, titles(reply), reply.body.count]).toEqual([200, expected, expected.length]);
    expect(Object.keys(reply.body)).toEqual(['goals', 'count']);
  });

  it('takes a workspace for just that, and a blank one for the goals of none', async () => {
    expect(titles(await ask('GET', '/v1/goals?workspace=/lis'))).toEqual([]);
    const none = await ask('GET', '/v1/goals?workspace=&limit=0');
    expect(none.body.count).toBeGreaterThan(0);
    expect(none.body.goals.filter((goal: { workspace: unknown }) => goal.workspace !== null)).toEqual([]);
  });

  it('lists 50 unless told otherwise', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => made(ask, { title: `many ${n}`, workspace: '/many' })));
    expect((await ask('GET', '/v1/goals?workspace=/many')).body.count).toBe(50);
    expect((await ask('GET', '/v1/goals?workspace=/many&limit=55')).body.count).toBe(55);
    expect((await ask('GET', '/v1/goals?workspace=/many&limit=0')).body.count).toBe(60);
    expect((await ask('GET', `/v1/goals?workspace=/many&limit=${'9'.repeat(400)}`)).body.count).toBe(60);
  });

  it.each([
    ['status=finished', /status.*active.*paused.*done.*abandoned/],
    ['status=', /status/],
    ['limit=-1', /limit/],
    ['limit=ten', /limit/],
    ['limit=1.5', /limit/],
    ['limit=', /limit/],
    ['limit=1&limit=2', /limit/],
  ])('answers 400 to ?%s', async (query, error) => {
    const reply = await ask('GET', `/v1/goals?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(error);
  });
});

describe('PATCH /v1/goals/{id}', () => {
  it('changes what is named and nothing else, and always moves updated_at', async () => {
    const before = await fresh({ tags: ['a'], workspace: '/p' });
    const changed = await ask('PATCH', `/v1/goals/${before.id}`, { status: 'paused' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...before, status: 'paused', updated_at: changed.body.updated_at });
    expect(changed.body.updated_at > before.updated_at).toBe(true);
    const untouched = await ask('PATCH', `/v1/goals/${before.id}`, {});
    expect(untouched.body.updated_at > changed.body.updated_at).toBe(true);
    expect((await ask('GET', `/v1/goals/${before.id}`)).body.goal).toEqual(untouched.body);
  });

  it('treats a missing field, null and a value differently for workspace and parent', async () => {
    const parent = await fresh();
    const goal = await fresh({ workspace: '/p', parent_goal_id: parent.id });
    const patch = async (body: unknown) => {
      const { workspace, parent_goal_id } = (await ask('PATCH', `/v1/goals/${goal.id}`, body)).body;
      return [workspace, parent_goal_id];
    };
    expect(await patch({ tags: ['x'] })).toEqual(['/p', parent.id]);
    expect(await patch({ workspace: null })).toEqual([null, parent.id]);
    expect(await patch({ parent_goal_id: null })).toEqual([null, null]);
    expect(await patch({ workspace: '/q', parent_goal_id: parent.id })).toEqual(['/q', parent.id]);
    expect(await patch({ workspace: ' ' })).toEqual([null, parent.id]);
  });

  it.each([
    [{ title: ' ' }, /title/],
    [{ title: 'x'.repeat(121) }, /title/],
    [{ title: null }, /title/],
    [{ status: 'finished' }, /status.*active.*paused.*done.*abandoned/],
    [{ statement: 7 }, /statement/],
    [{ success_criteria: null }, /success_criteria/],
    [{ tags: 'x' }, /tags/],
    [{ workspace: 7 }, /workspace/],
    [{ parent_goal_id: NOWHERE }, /parent_goal_id/],
    [{ parent_goal_id: 'x' }, /parent_goal_id/],
    [[], /body/],
    [undefined, /body/],
  ])('answers 400 to %j and changes nothing', async (body, error) => {
    const goal = await fresh();
    const reply = await ask('PATCH', `/v1/goals/${goal.id}`, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(error);
    expect((await ask('GET', `/v1/goals/${goal.id}`)).body.goal).toEqual(goal);
  });

  it('answers 400 to a loop and names it', async () => {
    const a = await fresh();
    const b = await fresh({ parent_goal_id: a.id });
    const c = await fresh({ parent_goal_id: b.id });
    const reply = await ask('PATCH', `/v1/goals/${a.id}`, { parent_goal_id: c.id });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain([a, c, b, a].map((goal) => goal.id).join(' → '));
  });

  it('lets one of two halves of a loop in', async () => {
    const [a, b] = [await fresh(), await fresh()];
    const replies = await Promise.all([
      ask('PATCH', `/v1/goals/${a.id}`, { parent_goal_id: b.id }),
      ask('PATCH', `/v1/goals/${b.id}`, { parent_goal_id: a.id }),
    ]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 400]);
  });

  it('answers 409 to a title or a workspace that would make two of one title', async () => {
    const taken = await fresh({ workspace: '/p' });
    const goal = await fresh({ workspace: '/p' });
    const elsewhere = await made(ask, { title: taken.title, workspace: '/elsewhere' });
    expect((await ask('PATCH', `/v1/goals/${goal.id}`, { title: taken.title })).status).toBe(409);
    expect((await ask('PATCH', `/v1/goals/${elsewhere.id}`, { workspace: '/p' })).status).toBe(409);
    expect((await ask('PATCH', `/v1/goals/${taken.id}`, { title: taken.title })).status).toBe(200);
  });

  it('clears the plan only when the statement or the criteria really change', async () => {
    const goal = await fresh({ statement: 's', success_criteria: ['c'] });
    const planned = await ask('POST', `/v1/goals/${goal.id}/plan`, {});
    expect(planned.body.current_plan.steps.length).toBeGreaterThan(0);
    const plan = async (body: unknown) => (await ask('PATCH', `/v1/goals/${goal.id}`, body)).body.current_plan;
    expect(await plan({ statement: 's', success_criteria: ['c'], tags: ['t'], status: 'paused' })).not.toBeNull();
    expect(await plan({ success_criteria: ['c', 'd'] })).toBeNull();
    await ask('POST', `/v1/goals/${goal.id}/plan`, {});
    expect(await plan({ statement: 'S' })).toBeNull();
  });
});

it('DELETE /v1/goals/{id} answers 204 without a body; links and pins go, children keep the id', async () => {
  const goal = await fresh();
  const child = await fresh({ parent_goal_id: goal.id });
  await ask('POST', `/v1/goals/${goal.id}/link`, { kind: 'note', target_id: 'n' });
  await ask('PUT', '/v1/goals/current', { goal_id: goal.id, workspace: '/del' });
  expect(await ask('DELETE', `/v1/goals/${goal.id}`)).toEqual({ status: 204, body: undefined });
  expect((await ask('GET', '/v1/goals/current?workspace=/del')).body).toEqual({ workspace: '/del', goal_id: null });
  expect((await ask('GET', `/v1/goals/${child.id}`)).body.goal.parent_goal_id).toBe(goal.id);
  expect((await ask('DELETE', `/v1/goals/${goal.id}`)).status).toBe(404);
});

describe('an unknown goal', () => {
  it.each([
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['POST', '/plan', { provider: null, model: null }],
    ['POST', '/link', { kind: 'note', target_id: 'x' }],
    ['POST', '/start', { task: null }],
    ['POST', '/recap'],
    ['GET', '/children'],
    ['GET', '/tree'],
  ])('is 404 with a fixed text: %s %s', async (method, rest, body?: object) => {
    for (const id of [NOWHERE, 'x', '__proto__', '%00', '%3Cscript%3E']) {
      expect(await ask(method, `/v1/goals/${id}${rest}`, body)).toEqual({
        status: 404,
        body: { error: 'Goal not found' },
      });
    }
  });

  it('is 404 to pin and to watch', async () => {
    const error = { status: 404, body: { error: 'Goal not found' } };
    expect(await ask('PUT', '/v1/goals/current', { goal_id: NOWHERE })).toEqual(error);
    expect(await ask('GET', `/watch/goals/${NOWHERE}`)).toEqual(error);
    expect(await ask('POST', `/watch/goals/${NOWHERE}/start`)).toEqual(error);
  });
});

describe('POST /v1/goals/{id}/link', () => {
  it.each(['session', 'job', 'recap', 'note'])('links a %s, whether its target is there or not', async (kind) => {
    const goal = await fresh();
    const sent = { kind, target_id: 'nowhere', note: 'why' };
    const reply = await ask('POST', `/v1/goals/${goal.id}/link`, sent);
    expect(reply.status).toBe(201);
    expect(Object.keys(reply.body).sort()).toEqual(['goal_id', 'id', 'kind', 'linked_at', 'note', 'target_id']);
    expect(reply.body).toMatchObject({ ...sent, id: expect.stringMatching(HEX32), goal_id: goal.id });
    expect(reply.body.linked_at).toMatch(RFC3339);
    const again = await ask('POST', `/v1/goals/${goal.id}/link`, { kind, target_id: 'nowhere' });
    expect(again.body).toMatchObject({ note: null });
    expect((await ask('GET', `/v1/goals/${goal.id}`)).body.links).toEqual([again.body, reply.body]);
  });

  it.each([
    [{ kind: 'task', target_id: 'x' }, /kind.*session.*job.*recap.*note/],
    [{ target_id: 'x' }, /kind/],
    [{ kind: 'note' }, /target_id/],
    [{ kind: 'note', target_id: ' ' }, /target_id/],
    [{ kind: 'note', target_id: 'x', note: 1 }, /note/],
  ])('answers 400 to %j', async (body, error) => {
    const goal = await fresh();
    const reply = await ask('POST', `/v1/goals/${goal.id}/link`, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(error);
  });
});

describe('GET /v1/goals/{id}/children and /tree', () => {
  it('show one level, last changed first, and the levels below', async () => {
    const root = await fresh();
    const [a, b] = [await fresh({ parent_goal_id: root.id }), await fresh({ parent_goal_id: root.id })];
    const leaf = await fresh({ parent_goal_id: a.id });
    expect((await ask('GET', `/v1/goals/${root.id}/children`)).body).toEqual({
      parent_goal_id: root.id,
      children: [b, a],
      count: 2,
    });
    const node = (goal: unknown, ...children: unknown[]) => ({ goal, children });
    const cut = (goal: unknown, n: number) => ({ ...node(goal), truncated: true, direct_child_count: n });
    const tree = async (query: string) => (await ask('GET', `/v1/goals/${root.id}/tree${query}`)).body;
    const whole = node(root, node(b), node(a, node(leaf)));
    expect(await tree('')).toEqual({ root: root.id, depth: 3, tree: whole });
    expect(await tree('?depth=1')).toEqual({ root: root.id, depth: 1, tree: cut(root, 2) });
    expect(await tree('?depth=2')).toEqual({ root: root.id, depth: 2, tree: node(root, node(b), cut(a, 1)) });
    expect(await tree('?depth=0')).toMatchObject({ depth: 1 });
    expect(await tree('?depth=-4')).toMatchObject({ depth: 1 });
    for (const depth of ['99', '99999999999', '9'.repeat(400)]) {
      expect(await tree(`?depth=${depth}`)).toEqual({ root: root.id, depth: 10, tree: whole });
    }
    expect(await tree('?depth=-99999999999')).toMatchObject({ depth: 1 });
  });

  it.each(['x', '', '1.5', 'NaN'])('answers 400 to depth=%s', async (depth) => {
    const root = await fresh();
    const reply = await ask('GET', `/v1/goals/${root.id}/tree?depth=${depth}`);
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringMatching(/depth/)]);
  });
});

describe('/v1/goals/current', () => {
  it('is a slot a workspace and one for everywhere, and none falls back to another', async () => {
    const [goal, other] = [await fresh(), await fresh()];
    const get = async (query = '') => (await ask('GET', `/v1/goals/current${query}`)).body;
    expect(await get()).toEqual({ workspace: null, goal_id: null });
    const pin = await ask('PUT', '/v1/goals/current', { goal_id: goal.id });
    expect(pin).toEqual({
      status: 200,
      body: { workspace: null, goal_id: goal.id, pinned_at: expect.stringMatching(RFC3339), goal },
    });
    expect(await get()).toEqual(pin.body);
    expect(await get('?workspace=')).toEqual(pin.body);
    expect(await get('?workspace=%20')).toEqual(pin.body);
    expect(await get('?workspace=/slot')).toEqual({ workspace: '/slot', goal_id: null });
    await ask('PUT', '/v1/goals/current', { goal_id: other.id, workspace: '/slot' });
    expect(await get('?workspace=/slot')).toMatchObject({ workspace: '/slot', goal_id: other.id });
    await ask('PUT', '/v1/goals/current', { goal_id: goal.id, workspace: '/slot' });
    expect(await get('?workspace=/slot')).toMatchObject({ goal_id: goal.id });
    const remove = async (query: string) => (await ask('DELETE', `/v1/goals/current${query}`)).body;
    expect(await remove('?workspace=/slot')).toEqual({ workspace: '/slot', removed: true });
    expect(await remove('?workspace=/slot')).toEqual({ workspace: '/slot', removed: false });
    expect(await get()).toEqual(pin.body);
    expect(await remove('?workspace=')).toEqual({ workspace: null, removed: true });
    expect(await remove('')).toEqual({ workspace: null, removed: false });
  });

  it.each([[{}], [{ goal_id: '' }], [{ goal_id: ' ' }], [{ goal_id: null }], [{ goal_id: 7 }]])(
    'answers 400 to %j',
    async (body) => {
      const reply = await ask('PUT', '/v1/goals/current', body);
      expect([reply.status, reply.body.error]).toEqual([400, expect.stringMatching(/goal_id/)]);
    },
  );
});

it('watch: lists at most 25 active goals, last changed first, in just six fields', async () => {
  const made25 = await Promise.all(Array.from({ length: 30 }, (_, n) => fresh({ workspace: `/w/${n}/app ${n}/` })));
  const [first, second, third] = made25;
  await ask('PATCH', `/v1/goals/${second.id}`, { status: 'done' });
  const touched = (await ask('PATCH', `/v1/goals/${first.id}`, {})).body;
  await ask('PUT', '/v1/goals/current', { goal_id: first.id, workspace: first.workspace });
  const global = await fresh();
  await ask('PUT', '/v1/goals/current', { goal_id: global.id });
  const { body } = await ask('GET', '/watch/goals');
  expect(Object.keys(body)).toEqual(['goals']);
  expect(body.goals).toHaveLength(25);
  expect(body.goals[0]).toEqual({
    id: global.id,
    title: global.title,
    status: 'active',
    workspace_label: 'global',
    updated_at: global.updated_at,
    pinned: true,
  });
  expect(body.goals[1]).toEqual({
    id: first.id,
    title: first.title,
    status: 'active',
    workspace_label: first.workspace.split('/')[3],
    updated_at: touched.updated_at,
    pinned: true,
  });
  expect(body.goals.map((goal: { status: string }) => goal.status)).not.toContain('done');
  const times = body.goals.map((goal: { updated_at: string }) => goal.updated_at);
  expect(times).toEqual([...times].sort().reverse());
  const one = await ask('GET', `/watch/goals/${second.id}`);
  expect(one.body).toMatchObject({ goal: { id: second.id, status: 'done' }, links: [], pinned: false });
  expect(Object.keys(one.body)).toEqual(['goal', 'links', 'pinned']);
  expect((await ask('GET', `/watch/goals/${third.id}`)).body.pinned).toBe(false);
  expect((await ask('GET', `/watch/goals/${first.id}`)).body.pinned).toBe(true);
});
