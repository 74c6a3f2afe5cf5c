/** `/acp/v1/tasks`: a full-auto run in the given workspace root, from its request to its end. */
import { existsSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AcpTask } from '../../src/client/generated/types.ts';
import { callsTool, hangs, refuses, says } from '../fakes/providers/server.ts';
import { ended } from '../run/approval-support.ts';
import { sharedBench } from '../run/support.ts';
import { ask } from '../support/asking.ts';
import { daemonHere, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';

const on = sharedBench();
const root = temporaryFolder('acp-root');

const create = (body: unknown): Promise<Response> =>
  on.daemon.request('/acp/v1/tasks', { method: 'POST', body: JSON.stringify(body) });
const read = async (id: string): Promise<AcpTask> =>
  (await (await on.daemon.request(`/acp/v1/tasks/${id}`)).json()) as AcpTask;
const sessionOf = (id: string): string => id.slice('acp-'.length);

async function finished(body: object): Promise<AcpTask> {
  const { id } = (await (await create(body)).json()) as AcpTask;
  await ended(on, sessionOf(id));
  return read(id);
}

describe('creating', () => {
  it('answers 201 with a pending task that repeats what it is about', async () => {
    on.provider.script(says('done'));
    const response = await create({ task: 'say done', context: { workspace_root: root } });
    expect(response.status).toBe(201);
    const task = (await response.json()) as AcpTask;
    expect(task).toEqual({
      id: expect.stringMatching(/^acp-[0-9a-f]{32}$/),
      status: 'pending',
      summary: expect.stringContaining('say done'),
      files_modified: [],
      steps_completed: 0,
    });
    const job = await ended(on, sessionOf(task.id));
    expect(job).toMatchObject({ approval: 'full-auto', workspace: root, tags: ['acp'], task: 'say done' });
  });
  it.each([
    ['no context', { task: 't' }],
    ['a null context', { task: 't', context: null }],
    ['no root', { task: 't', context: {} }],
    ['a null root', { task: 't', context: { workspace_root: null } }],
    ['other fields', { task: 't', model: 'm', approval_policy: 'suggest', context: { files: [], language: 'ts' } }],
  ])('with %s works in the daemon’s workspace', async (_name, body) => {
    on.provider.script(says('ok'));
    const { id } = (await (await create(body)).json()) as AcpTask;
    expect(await ended(on, sessionOf(id))).toMatchObject({ workspace: on.daemon.workspace, approval: 'full-auto' });
  });
  it.each([
    ['nothing', undefined, 'body'],
    ['no task', {}, 'task'],
    ['a blank task', { task: ' \n' }, 'task'],
    ['a task that nobody sees', { task: '\u200b' }, 'task'],
    ['a task that is no text', { task: 1 }, 'task'],
    ['a context that is no object', { task: 't', context: 'x' }, 'context'],
    ['a root that is no text', { task: 't', context: { workspace_root: 1 } }, 'context.workspace_root'],
    [
      'a root that does not exist',
      { task: 't', context: { workspace_root: '/nowhere/at/all' } },
      'context.workspace_root',
    ],
    [
      'a root that is a file',
      { task: 't', context: { workspace_root: import.meta.filename } },
      'context.workspace_root',
    ],
    [
      'a root too long to be one',
      { task: 't', context: { workspace_root: `/${'x'.repeat(5_000)}` } },
      'workspace_root',
    ],
    ['a root with NUL', { task: 't', context: { workspace_root: '/tmp\0' } }, 'context.workspace_root'],
  ])('with %s is 400 naming the field', async (_name, body, field) => {
    const before = ((await (await on.daemon.request('/jobs')).json()) as unknown[]).length;
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain(field);
    expect(((await (await on.daemon.request('/jobs')).json()) as unknown[]).length).toBe(before);
  });
});

describe('a root that holds credentials', () => {
  const places = ['.ssh', '.aws', '.gnupg', '.kube', '.ssh/deeper', '.SSH', '.config/gcloud', '.docker'];
  it.each(places)('%s is 400', async (place) => {
    mkdirSync(join(root, place), { recursive: true });
    const response = await create({ task: 't', context: { workspace_root: join(root, place) } });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain('context.workspace_root');
  });
  it('is 400 also through a link, through dots, when it does not exist, and when it is Daybook’s own', async () => {
    mkdirSync(join(root, '.ssh'), { recursive: true });
    mkdirSync(join(root, 'plain'), { recursive: true });
    symlinkSync(join(root, '.ssh'), join(root, 'innocent'));
    const roots = ['innocent', 'plain/../.ssh', '.aws/none'].map((name) => join(root, '/', name));
    const more = [`${root}/plain/../.ssh`, on.daemon.home, join(on.daemon.home, 'data'), '/proc/self', '/dev'];
    for (const workspace_root of [...roots, ...more]) {
      expect((await create({ task: 't', context: { workspace_root } })).status, workspace_root).toBe(400);
    }
  });
  it('is 403 in the same words for every other way to start a run', async () => {
    mkdirSync(join(root, '.ssh'), { recursive: true });
    const closed = join(root, '.ssh');
    const before = ((await (await on.daemon.request('/jobs')).json()) as unknown[]).length;
    const post = (path: string, body: unknown) => ask<{ id: string; error: string }>(on.daemon, 'POST', path, body);
    const goal = await post('/v1/goals', { title: 'Closed', workspace: closed });
    const answers = [
      await post('/agent', { task: 't', workspace_root: closed }),
      await post('/agent', { task: 't', project_path: join(root, 'plain/../.ssh/none') }),
      await post('/agent', { task: 't', cwd: on.daemon.home }),
      await post(`/v1/goals/${goal.body.id}/start`, {}),
      await post(`/watch/goals/${goal.body.id}/start`, {}),
    ];
    const fields = ['workspace_root', 'project_path', 'cwd', 'workspace_root', 'workspace_root'];
    for (const [index, field] of fields.entries()) {
      const error = `${field}: a folder that holds credentials or settings cannot be worked in.`;
      expect(answers[index]).toEqual({ status: 403, body: { error } });
    }
    expect(((await (await on.daemon.request('/jobs')).json()) as unknown[]).length).toBe(before);
  });
  it('is 403 for a fork and for a resumed run whose workspace has become a link into one', async () => {
    const place = join(root, 'moved');
    mkdirSync(place);
    on.provider.script(says('ok'));
    const session = await on.start({ task: 't', workspace_root: place });
    await ended(on, session);
    rmdirSync(place);
    mkdirSync(join(root, '.ssh'), { recursive: true });
    symlinkSync(join(root, '.ssh'), place);
    const error = 'workspace_root: a folder that holds credentials or settings cannot be worked in.';
    for (const [path, body] of [
      [`/jobs/${session}/fork`, {}],
      ['/agent', { task: 'more', resume_session_id: session }],
    ] as const) {
      const response = await on.daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
      expect([response.status, await response.json()]).toEqual([403, { error }]);
    }
  });
  it('a link that leads to itself is no folder', async () => {
    symlinkSync(join(root, 'round'), join(root, 'round'));
    const response = await create({ task: 't', context: { workspace_root: join(root, 'round') } });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'context.workspace_root: must be a folder that exists.' },
    ]);
  });
  it.each([['x'.repeat(5_000)], ['x/'.repeat(400_000)], ['round'], ['none']])(
    'POST /agent takes its own workspace instead of %.9s',
    async (name) => {
      on.provider.script(says('ok'));
      const session = await on.start({ task: 't', workspace_root: join(root, name) });
      expect(await ended(on, session)).toMatchObject({ status: 'complete', workspace: on.daemon.workspace });
    },
  );
  it('a folder that is merely named alike is none', async () => {
    mkdirSync(join(root, 'ssh-notes'), { recursive: true });
    const task = await finished({ task: 't', context: { workspace_root: join(root, 'ssh-notes') } });
    expect(task.status).toBe('complete');
  });
});

describe('a task follows its run', () => {
  it('to complete, with the true files and steps', async () => {
    writeFileSync(join(root, 'in.txt'), 'hello');
    on.provider.script(
      callsTool({ name: 'read_file', input: { path: 'in.txt' } }),
      callsTool({ name: 'write_file', input: { path: 'out/new.txt', content: 'x' } }),
      callsTool({ name: 'bash', input: { command: 'echo more >> in.txt' } }),
      says('All three done.'),
    );
    const task = await finished({ task: 'three things', context: { workspace_root: root } });
    expect(task).toMatchObject({ status: 'complete', summary: 'All three done.', steps_completed: 3 });
    expect([...task.files_modified].sort()).toEqual(['in.txt', 'out/new.txt']);
  });
  it('to failed, with what went wrong', async () => {
    on.provider.script(refuses(400, 'the model is out'));
    expect(await finished({ task: 'fail' })).toMatchObject({
      status: 'failed',
      summary: expect.stringContaining('the model is out'),
    });
  });
  it('to partial, with what is left', async () => {
    const steps = [{ description: 'write it', status: 'pending' }];
    on.provider.script(callsTool({ name: 'update_plan', input: { steps } }), says('I stop.'));
    const task = await finished({ task: 'half' });
    expect(task.status).toBe('partial');
    expect(task.summary).toContain('write it');
  });
  it('through running to cancelled, always with a text', async () => {
    on.provider.script(hangs('working'));
    const { id } = (await (await create({ task: 'long work' })).json()) as AcpTask;
    const running = await until(async () => {
      const task = await read(id);
      return task.status === 'running' ? task : undefined;
    });
    expect(running.summary).toContain('long work');
    await on.daemon.request(`/jobs/${sessionOf(id)}/cancel`, { method: 'POST' });
    const task = await read(id);
    expect(task).toMatchObject({ id, status: 'cancelled', files_modified: [], steps_completed: 0 });
    expect(task.summary).toContain('user requested');
  });
});

describe('the files of a task', () => {
  it('are true also when a command is cut off by cancelling', async () => {
    const command = 'echo half > cut.txt; mkdir -p deep && echo d > deep/er.txt; echo began > began.txt; sleep 60';
    on.provider.script(callsTool({ name: 'bash', input: { command } }));
    const { id } = (await (await create({ task: 'cut', context: { workspace_root: root } })).json()) as AcpTask;
    await until(async () => existsSync(join(root, 'began.txt')) || undefined);
    await on.daemon.request(`/jobs/${sessionOf(id)}/cancel`, { method: 'POST' });
    const task = await until(async () => {
      const now = await read(id);
      return now.files_modified.length > 0 ? now : undefined;
    });
    expect(task).toMatchObject({ status: 'cancelled', files_modified: ['began.txt', 'cut.txt', 'deep/er.txt'] });
    const replay = await on.daemon.request(`/jobs/${sessionOf(id)}/replay`);
    expect(await replay.json()).toMatchObject({ identical: true });
  });
  it('are complete also when the daemon stops during the task and another one continues it', async () => {
    const workspace = temporaryFolder('acp-stop');
    const env = { OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: on.provider.url, DAYBOOK_PROVIDER: 'openai' };
    const first = await testDaemon({ env: { ...env, DAYBOOK_MODEL: 'fake-model' }, workspace });
    on.provider.script(callsTool({ name: 'bash', input: { command: 'echo half > cut.txt; sleep 60' } }));
    const made = await first.request('/acp/v1/tasks', { method: 'POST', body: '{"task":"stop"}' });
    const { id } = (await made.json()) as AcpTask;
    await until(async () => existsSync(join(workspace, 'cut.txt')) || undefined);
    await first.stop();
    on.provider.script(says('went on'));
    const second = await daemonHere({ env: { ...env, DAYBOOK_MODEL: 'fake-model' }, workspace, home: first.home });
    const task = await until(async () => {
      const now = (await (await second.request(`/acp/v1/tasks/${id}`)).json()) as AcpTask;
      return now.status === 'complete' ? now : undefined;
    });
    expect(task).toMatchObject({ summary: 'went on', files_modified: ['cut.txt'] });
  });
});

describe('reading', () => {
  it.each(['acp-', 'acp-none', 'none', 'acp-<i>'])('%s is 404, and the id is not repeated', async (id) => {
    const response = await on.daemon.request(`/acp/v1/tasks/${encodeURIComponent(id)}`);
    expect([response.status, await response.json()]).toEqual([404, { error: 'There is no such ACP task.' }]);
  });
  it('a run that is no ACP task is 404 under any name', async () => {
    on.provider.script(says('x'));
    const session = await on.start({ task: 'a plain run' });
    for (const id of [session, `acp-${session}`])
      expect((await on.daemon.request(`/acp/v1/tasks/${id}`)).status).toBe(404);
  });
  it('the capabilities need no token', async () => {
    const response = await fetch(`${on.daemon.url}/acp/v1/capabilities`);
    expect(response.status).toBe(200);
    const found = (await response.json()) as Record<string, unknown>;
    expect(found).toMatchObject({ protocol_version: '1.0', agent_name: 'daybook' });
    expect(found.supported_tools).toContain('read_file');
    expect(found.supported_models).toContain('openai');
    expect(Object.keys(found).sort()).toEqual([
      'agent_name',
      'agent_version',
      'features',
      'protocol_version',
      'supported_models',
      'supported_tools',
    ]);
  });
});
