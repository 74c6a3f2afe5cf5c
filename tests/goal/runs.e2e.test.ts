/**
 * Goals and runs: `start` makes a real run, a pinned goal is linked to every new run of its workspace, and neither
 * changes the replay. Also the two requests to a model: a plan and a recap.
 */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callsTool, type FakeRequest, garbles, refuses, says, saysAfter, silence } from '../fakes/providers/server.ts';
import { type Bench, bench } from '../run/support.ts';
import { type KillableDaemon, killableDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { type Ask, asking, made, type Reply, streamOf } from './support.ts';

let fixture: Bench;
let ask: Ask;
let names = 0;

beforeAll(async () => {
  fixture = await bench('openai', { DAYBOOK_APPROVAL: 'full-auto' });
  ask = asking(fixture.daemon);
});
afterAll(() => fixture.close());
afterEach(async () => {
  fixture.provider.script(() => says('Done.'));
  for (const workspace of ['', fixture.daemon.workspace, folder('b')]) {
    await ask('DELETE', `/v1/goals/current?workspace=${workspace}`);
  }
});

function folder(name: string): string {
  const path = join(fixture.daemon.workspace, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function fresh(body: Record<string, unknown> = {}): Promise<Reply['body']> {
  names += 1;
  return made(ask, { title: `goal ${names}`, ...body });
}

const links = async (id: string): Promise<Reply['body'][]> => (await ask('GET', `/v1/goals/${id}`)).body.links;
const systems = async (session: string): Promise<string[]> =>
  (await streamOf(fixture.daemon, session))
    .filter((event: { type: string }) => event.type === 'system')
    .map((event: { content: string }) => event.content);

async function start(id: string, body?: unknown): Promise<Reply['body']> {
  const reply = await ask('POST', `/v1/goals/${id}/start`, body);
  expect([reply.status, Object.keys(reply.body)]).toEqual([201, ['session_id', 'link_id', 'goal_id']]);
  return reply.body;
}

describe('start', () => {
  it('runs an agent in the workspace of the goal, to its end, and links it', async () => {
    const workspace = folder('a');
    const goal = await fresh({ workspace, statement: 'There is a file.', success_criteria: ['It says hello'] });
    fixture.provider.script(({ body }) =>
      body.messages.at(-1).role === 'tool'
        ? says('There is a file now.')
        : callsTool({ name: 'write_file', input: { path: 'hello.txt', content: 'hello' } }),
    );
    const { session_id, link_id, goal_id } = await start(goal.id, { task: null });
    expect([goal_id, session_id]).toEqual([goal.id, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await links(goal.id)).toEqual([
      expect.objectContaining({ id: link_id, kind: 'session', target_id: session_id, note: expect.any(String) }),
    ]);
    const stream = await streamOf(fixture.daemon, session_id);
    expect(stream[0]).toMatchObject({ type: 'system', content: expect.stringContaining(goal.title) });
    expect(stream.at(-1)).toEqual({ type: 'complete', content: 'There is a file now.' });
    const job = await fixture.job(session_id);
    expect(job).toMatchObject({ status: 'complete', workspace, files_modified: ['hello.txt'] });
    for (const words of [goal.title, 'There is a file.', 'It says hello']) expect(job.task).toContain(words);
    expect((await ask('GET', `/jobs/${session_id}/replay`)).body).toMatchObject({ identical: true, divergence: null });
  });

  it('takes a task word for word, and a pair of provider and model', async () => {
    const goal = await fresh();
    const { session_id } = await start(goal.id, { task: ' Just this. ', provider: 'openai', model: 'another' });
    expect(await fixture.job(session_id)).toMatchObject({ task: ' Just this. ', provider: 'openai', model: 'another' });
    const blank = await start(goal.id, { task: ' ' });
    expect((await fixture.job(blank.session_id)).task).toContain(goal.title);
    const none = await start(goal.id);
    expect((await fixture.job(none.session_id)).task).toContain(goal.title);
    expect(await links(goal.id)).toHaveLength(3);
  });

  it('from a watch is the same, in its three fields', async () => {
    const goal = await fresh();
    for (const body of [undefined, {}, { task: null }, { task: 'Now.' }]) {
      const reply = await ask('POST', `/watch/goals/${goal.id}/start`, body);
      expect(reply).toEqual({
        status: 201,
        body: { session_id: expect.any(String), link_id: expect.any(String), goal_id: goal.id },
      });
    }
    expect((await ask('GET', `/watch/goals/${goal.id}`)).body.links).toHaveLength(4);
  });

  it.each([[[]], [{ task: 7 }], [{ provider: 7 }], ['now']])('answers 400 to %j and starts nothing', async (body) => {
    const goal = await fresh();
    const before = (await ask('GET', '/jobs')).body.length;
    expect((await ask('POST', `/v1/goals/${goal.id}/start`, body)).status).toBe(400);
    expect((await ask('GET', '/jobs')).body).toHaveLength(before);
    expect(await links(goal.id)).toEqual([]);
  });

  it('a dozen simultaneous starts during changes of the goal lose no link and no change', async () => {
    const goal = await fresh();
    const replies = await Promise.all(
      Array.from({ length: 36 }, (_, n) => {
        if (n % 3 === 0) return ask('POST', `/v1/goals/${goal.id}/start`, { task: `${n}` });
        if (n % 3 === 1) return ask('PATCH', `/v1/goals/${goal.id}`, { statement: `${n}` });
        return ask('POST', `/v1/goals/${goal.id}/link`, { kind: 'note', target_id: `${n}` });
      }),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200, 201]));
    expect(await links(goal.id)).toHaveLength(24);
  });
});

describe('a pinned goal', () => {
  const pin = (goal: { id: string }, workspace?: string) =>
    ask('PUT', '/v1/goals/current', { goal_id: goal.id, workspace });

  it('is linked to new runs of its workspace, with a note in their output', async () => {
    const [here, everywhere] = [await fresh(), await fresh()];
    await pin(here, folder('b'));
    await pin(everywhere);
    const [inside, outside] = [
      await fixture.start({ task: 'Inside.', workspace_root: folder('b') }),
      await fixture.start({ task: 'Outside.' }),
    ];
    expect(await links(here.id)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        goal_id: here.id,
        kind: 'session',
        target_id: inside,
        linked_at: expect.any(String),
        note: expect.any(String),
      },
    ]);
    expect((await links(everywhere.id)).map((link) => link.target_id)).toEqual([outside]);
    expect(await systems(inside)).toEqual([expect.stringContaining(here.title)]);
    expect(await systems(outside)).toEqual([expect.stringContaining(everywhere.title)]);
    for (const session of [inside, outside]) {
      expect((await ask('GET', `/jobs/${session}/replay`)).body.identical).toBe(true);
    }
  });

  it.each([
    ['its real path', 'a link', ['b', 'b-link']],
    ['a link', 'its real path', ['b-link', 'b']],
    ['a link', 'another link', ['b-link', 'b-other/']],
  ])('of a folder by %s is linked to a run that names the folder by %s', async (_by, _run, [pinned, named]) => {
    const [here, everywhere] = [await fresh(), await fresh()];
    const path = (name: string): string => folder('b') + name.slice(1);
    for (const name of ['b-link', 'b-other']) if (!existsSync(path(name))) symlinkSync(folder('b'), path(name));
    expect((await pin(here, path(pinned!))).body).toMatchObject({ workspace: path(pinned!), goal_id: here.id });
    await pin(everywhere);
    const session = await fixture.start({ task: 'By a link.', workspace_root: path(named!) });
    expect((await links(here.id)).map(({ target_id }) => target_id)).toEqual([session]);
    const at = `/v1/goals/current?workspace=${encodeURIComponent(path(named!))}`;
    expect((await ask('GET', at)).body).toMatchObject({ workspace: path(named!), goal_id: here.id });
    expect((await ask('DELETE', at)).body).toEqual({ workspace: path(named!), removed: true });
    expect((await ask('GET', at)).body).toEqual({ workspace: path(named!), goal_id: null });
  });

  it('changes nothing of a run but the note in its output', async () => {
    const goal = await fresh();
    const types = async (session: string) => {
      await streamOf(fixture.daemon, session);
      const page = await ask('GET', `/v1/events?stream=run-${session}&limit=100`);
      return page.body.events.map((event: { type: string }) => event.type);
    };
    const plain = await types(await fixture.start({ task: 'Same.' }));
    await pin(goal);
    const linked = await types(await fixture.start({ task: 'Same.' }));
    expect(linked.filter((type: string) => type !== 'SystemNoted')).toEqual(plain);
    expect(linked.filter((type: string) => type === 'SystemNoted')).toHaveLength(1);
    const asked = fixture.provider.requests.slice(-2).map((request) => JSON.stringify(request.body.messages));
    expect(asked[1]).toBe(asked[0]);
  });

  it('is linked to a fork, and not again to a run that is taken up again', async () => {
    const goal = await fresh();
    const first = await fixture.start({ task: 'First.' });
    await streamOf(fixture.daemon, first);
    await pin(goal);
    const fork = (await ask('POST', `/jobs/${first}/fork`, {})).body.session_id;
    await fixture.start({ task: 'Again.', resume_session_id: first });
    expect((await links(goal.id)).map((link) => link.target_id)).toEqual([fork]);
  });

  it('leaves a run to the goal it was started for', async () => {
    const [pinned, started] = [await fresh(), await fresh()];
    await pin(pinned);
    await start(started.id);
    expect([await links(pinned.id), (await links(started.id)).length]).toEqual([[], 1]);
    await start(pinned.id);
    expect(await links(pinned.id)).toHaveLength(1);
  });

  it('that is unpinned or deleted is linked no more', async () => {
    const goal = await fresh();
    await pin(goal);
    await ask('DELETE', '/v1/goals/current');
    expect(await systems(await fixture.start({ task: 'Alone.' }))).toEqual([]);
    await pin(goal);
    await ask('DELETE', `/v1/goals/${goal.id}`);
    expect(await systems(await fixture.start({ task: 'Alone.' }))).toEqual([]);
  });
});

const PLANNED = {
  steps: [{ description: 'Look', tool: 'read_file', estimated_path: 'src' }, { description: 'Write' }],
};
const plan = (id: string, body: unknown = {}) => ask('POST', `/v1/goals/${id}/plan`, body);
const userText = (request: FakeRequest | undefined): string => JSON.stringify(request?.body.messages);

describe('plan', () => {
  it('is the answer of the configured model without its code fence, and is stored', async () => {
    const goal = await fresh({ statement: 'A door.', success_criteria: ['It opens'] });
    fixture.provider.script(says('Here you are:\n```json\n', JSON.stringify(PLANNED), '\n```\nGood luck!'));
    const reply = await plan(goal.id, { provider: null, model: null });
    expect(reply.status).toBe(200);
    const { plan_provider_override_applied, ...record } = reply.body;
    expect(plan_provider_override_applied).toBe(false);
    expect(Object.keys(record)).not.toContain('plan_provider_requested');
    expect(record.current_plan).toEqual({
      goal: goal.title,
      steps: [
        { id: 1, description: 'Look', tool: 'read_file', estimated_path: 'src', status: 'pending' },
        { id: 2, description: 'Write', tool: '', estimated_path: null, status: 'pending' },
      ],
      estimated_files: [],
      risks: [],
    });
    expect((await ask('GET', `/v1/goals/${goal.id}`)).body.goal).toEqual(record);
    const asked = userText(fixture.provider.requests.at(-1));
    for (const words of [goal.title, 'A door.', 'It opens']) expect(asked).toContain(words);
    expect(fixture.provider.requests.at(-1)?.body.model).toBe('fake-model');
  });

  it.each([
    [{ provider: 'openai', model: 'bigger' }, true, 'bigger'],
    [{ provider: 'openai' }, false, 'fake-model'],
    [{ model: 'bigger' }, false, 'fake-model'],
    [{ provider: 'openai', model: ' ' }, false, 'fake-model'],
    [{ provider: 'anthropic', model: 'no-key' }, false, 'fake-model'],
    [{ provider: 'nobody', model: 'x' }, false, 'fake-model'],
  ] as const)('wanted of %j: override %s', async (body, applied, model) => {
    const goal = await fresh();
    fixture.provider.script(says(JSON.stringify(PLANNED)));
    const reply = await plan(goal.id, body);
    const { provider, model: wanted } = body as { provider?: string; model?: string };
    expect(reply.body).toMatchObject({ plan_provider_override_applied: applied });
    expect([reply.body.plan_provider_requested, reply.body.plan_model_requested]).toEqual([provider, wanted]);
    expect(fixture.provider.requests.at(-1)?.body.model).toBe(model);
  });

  it.each([
    ['prose', [says('I would rather not.')]],
    ['an object that is no plan', [says('{"steps": []}')]],
    ['a refusal', [refuses(401, 'no such key')]],
  ])('fails with 500 on %s, and keeps what was', async (_, behaviours) => {
    const goal = await fresh();
    fixture.provider.script(...behaviours);
    const reply = await plan(goal.id);
    expect([reply.status, Object.keys(reply.body)]).toEqual([500, ['error']]);
    expect(reply.body.error).not.toContain('sk-fake');
    expect((await ask('GET', `/v1/goals/${goal.id}`)).body.goal).toEqual(goal);
  });

  it('fails with 500 on silence', async () => {
    const { daemon, provider, close } = await bench('openai', { DAYBOOK_MODEL_STALL_SECONDS: '0.4' });
    onTestFinished(close);
    provider.script(silence);
    const to = asking(daemon);
    const goal = await made(to, { title: 'planned by nobody' });
    expect(await to('POST', `/v1/goals/${goal.id}/plan`, {})).toMatchObject({ status: 500 });
  });

  it('tries again after what passes', async () => {
    const goal = await fresh();
    fixture.provider.script(
      refuses(429, 'slow down', { 'retry-after': '0' }),
      garbles('{"ste'),
      says(JSON.stringify(PLANNED)),
    );
    expect((await plan(goal.id)).body.current_plan.steps).toHaveLength(2);
  });

  it('is refused when the goal was restated meanwhile, and 404 when it is gone', async () => {
    const [restated, deleted] = [await fresh(), await fresh()];
    const changed = Promise.withResolvers<void>();
    fixture.provider.script(() => saysAfter(changed.promise, JSON.stringify(PLANNED)));
    const before = fixture.provider.requests.length;
    const planning = [plan(restated.id), plan(deleted.id)];
    await until(() => fixture.provider.requests.length >= before + 2);
    await ask('PATCH', `/v1/goals/${restated.id}`, { statement: 'Otherwise.' });
    await ask('DELETE', `/v1/goals/${deleted.id}`);
    changed.resolve();
    expect((await Promise.all(planning)).map((reply) => reply.status)).toEqual([409, 404]);
    expect((await ask('GET', `/v1/goals/${restated.id}`)).body.goal.current_plan).toBeNull();
  });
});

const recap = (id: string, body?: unknown) => ask('POST', `/v1/goals/${id}/recap`, body);
const BOTH = { provider: 'openai', model: 'writer' };
const WRITTEN = { headline: 'It stands.', bullets: ['One', 'one', 'Two'], next_actions: ['Paint it'] };

describe('recap', () => {
  it('without linked runs is heuristic, whatever model is requested', async () => {
    const goal = await fresh();
    await ask('POST', `/v1/goals/${goal.id}/link`, { kind: 'note', target_id: 'a thought' });
    await ask('POST', `/v1/goals/${goal.id}/link`, { kind: 'session', target_id: 'unheard of' });
    const before = fixture.provider.requests.length;
    const reply = await recap(goal.id, BOTH);
    expect(reply).toEqual({
      status: 200,
      body: {
        goal_id: goal.id,
        title: goal.title,
        headline: expect.stringContaining(goal.title),
        bullets: [],
        next_actions: [],
        artifacts: [],
        sources: [],
        generated_at: expect.any(String),
        recap_synthesizer: 'heuristic',
        recap_provider_override_applied: false,
        recap_provider_requested: 'openai',
        recap_model_requested: 'writer',
      },
    });
    expect(fixture.provider.requests).toHaveLength(before);
  });

  it('has the answer and the changed files of each linked run once', async () => {
    const goal = await fresh();
    fixture.provider.script(
      callsTool({ name: 'write_file', input: { path: 'recap.txt', content: 'x' } }),
      says('- Wrote recap.txt\n- Checked it'),
    );
    const { session_id } = await start(goal.id, { task: 'Write recap.txt' });
    await streamOf(fixture.daemon, session_id);
    for (const kind of ['job', 'recap', 'session']) {
      await ask('POST', `/v1/goals/${goal.id}/link`, { kind, target_id: session_id });
    }
    const { body } = await recap(goal.id);
    expect(body).toMatchObject({
      bullets: ['Wrote recap.txt', 'Checked it'],
      next_actions: [],
      sources: [{ recap_id: session_id, kind: 'session', target_id: session_id }],
      recap_synthesizer: 'heuristic',
      recap_provider_override_applied: false,
    });
    expect(body.artifacts).toEqual([
      { kind: 'job', label: 'Write recap.txt', locator: session_id },
      { kind: 'file', label: 'recap.txt', locator: 'recap.txt' },
    ]);
    expect(Object.keys(body)).not.toContain('recap_provider_requested');
  });

  it.each([
    ['says it', [says(JSON.stringify(WRITTEN))], 'llm', undefined],
    ['talks around it', [says('No JSON today.')], 'heuristic', /JSON/],
    ['says something else', [says('{"headline": 7}')], 'heuristic', /recap/],
    ['refuses', [refuses(400, 'no')], 'heuristic', /no/],
  ] as const)('by a model that %s', async (_, behaviours, synthesizer, error) => {
    const goal = await fresh();
    fixture.provider.script(says('Built the shed.'));
    await streamOf(fixture.daemon, (await start(goal.id, { task: 'Build the shed' })).session_id);
    fixture.provider.script(...behaviours);
    const { status, body } = await recap(goal.id, BOTH);
    expect([status, body.recap_synthesizer]).toEqual([200, synthesizer]);
    expect(body).toMatchObject({ recap_provider_override_applied: true, recap_provider_requested: 'openai' });
    expect(body.sources).toHaveLength(1);
    expect(userText(fixture.provider.requests.at(-1))).toContain('Built the shed.');
    if (error === undefined) {
      expect(body).toMatchObject({ ...WRITTEN, bullets: ['One', 'Two'] });
      expect(Object.keys(body)).not.toContain('recap_llm_error');
    } else {
      expect(body.bullets).toEqual(['Built the shed.']);
      expect(body.recap_llm_error).toMatch(error);
    }
  });

  it.each([
    [{ provider: 'openai' }],
    [{ model: 'writer' }],
    [{ provider: 'anthropic', model: 'no-key' }],
    [{}],
    [null],
  ])('asked of %j asks no model', async (body) => {
    const goal = await fresh();
    await streamOf(fixture.daemon, (await start(goal.id)).session_id);
    const before = fixture.provider.requests.length;
    const reply = await recap(goal.id, body ?? undefined);
    expect(reply.body).toMatchObject({ recap_synthesizer: 'heuristic', recap_provider_override_applied: false });
    expect(fixture.provider.requests).toHaveLength(before);
  });
});

describe('with no model configured', () => {
  let child: KillableDaemon;
  const home = temporaryFolder('goals-home');
  const workspace = temporaryFolder('goals-workspace');

  beforeAll(async () => {
    child = await killableDaemon({ home, workspace });
  });
  afterAll(() => child.kill('SIGTERM'));

  it('a goal is planned as an outline, started as a rehearsal, and all of it survives a kill and a rebuild', async () => {
    let to = asking(child);
    const goal = await made(to, { title: 'Survive', success_criteria: ['Nothing is lost'] });
    expect((await to('POST', `/v1/goals/${goal.id}/plan`, {})).body.current_plan.risks).toHaveLength(1);
    await to('PUT', '/v1/goals/current', { goal_id: goal.id });
    const key = { 'idempotency-key': 'started' };
    const started = await to('POST', `/v1/goals/${goal.id}/start`, { task: 'rehearse: slow 20' }, key);
    const pinned = await to('POST', '/agent', { task: 'rehearse: slow 20' });
    const before = (await to('GET', `/v1/goals/${goal.id}`)).body;
    expect(before.links).toHaveLength(2);
    await child.kill('SIGKILL');
    child = await killableDaemon({ home, workspace });
    to = asking(child);
    await expect.poll(async () => (await to('GET', `/v1/goals/${goal.id}`)).body).toEqual(before);
    expect(await to('POST', `/v1/goals/${goal.id}/start`, { task: 'rehearse: slow 20' }, key)).toEqual(started);
    expect((await to('POST', '/v1/goals', { title: 'Survive' })).status).toBe(409);
    for (const session of [started.body.session_id, pinned.body.session_id]) {
      expect((await streamOf(child, session)).at(-1)).toMatchObject({ type: 'complete' });
      expect((await to('GET', `/jobs/${session}/replay`)).body.identical).toBe(true);
    }
    const pages = ['/v1/goals?limit=0', `/v1/goals/${goal.id}`, '/v1/goals/current', '/watch/goals'];
    const shown = await Promise.all(pages.map((path) => to('GET', path)));
    await to('POST', '/v1/views/rebuild');
    expect(await Promise.all(pages.map((path) => to('GET', path)))).toEqual(shown);
    expect((await to('POST', `/v1/goals/${goal.id}/recap`)).body.sources).toHaveLength(2);
  });
});

it('a plan that a stop of the daemon cuts off is answered with 503', async () => {
  const { daemon, provider, close } = await bench('openai');
  const goal = await made(asking(daemon), { title: 'planned late' });
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  provider.script(() => {
    resolve();
    return silence;
  });
  const planned = daemon.request(`/v1/goals/${goal.id}/plan`, { method: 'POST', body: '{}' });
  await asked;
  await Promise.all([daemon.stop(), planned]);
  const reply = await planned;
  expect([reply.status, reply.headers.get('retry-after'), await reply.json()]).toEqual([
    503,
    '5',
    { error: 'The daemon stops before the request is done; send it again.' },
  ]);
  await close();
});
