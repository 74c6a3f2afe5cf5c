/** The connector routes: rows of the contract, refusals that leave nothing behind, projects, restarts, secrets. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../examples/demo/support.ts';
import { type Asked, ask } from '../support/asking.ts';
import { daemonHere, sharedDaemon, testDaemon } from '../support/daemon.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { rudeServer } from './rude.ts';

const PATH = '/api/vibedesk/connectors';
const RUDE = rudeServer();
const SECRET = 'ghp_nobody-shall-see-this-0123456789';

interface Connector {
  readonly id: string;
  readonly enabled: boolean;
  readonly credential_names: readonly string[];
  readonly missing_credentials: readonly string[];
}

interface Listed {
  readonly connectors: readonly Connector[];
  readonly catalog: readonly Record<string, unknown>[];
  readonly error?: string;
}

const post = (daemon: Asked, path: string, body: unknown, headers?: Record<string, string>) =>
  ask<Record<string, unknown>>(daemon, 'POST', PATH + path, body, headers);

async function get(daemon: Asked, path?: string) {
  const query = path === undefined ? '' : `?path=${encodeURIComponent(path)}`;
  const { status, body } = await ask<Listed>(daemon, 'GET', PATH + query);
  return { status, ...body };
}

const github = { catalog_id: 'github', credentials: { GITHUB_PERSONAL_ACCESS_TOKEN: SECRET } };
const rude = (mode: string, more: object = {}) => ({
  id: 'mine',
  command: process.execPath,
  args: [RUDE, mode],
  ...more,
});

const daemon = sharedDaemon();

/** Of each test its own: it does not see the connectors of the others. */
function project(): string {
  return temporaryFolder('project');
}

describe('the list', () => {
  it('has the catalogue with what is there to launch it, and no connector at first', async () => {
    const { status, connectors, catalog } = await get(daemon, project());
    expect({ status, connectors }).toEqual({ status: 200, connectors: [] });
    expect(catalog).toHaveLength(17);
    expect(catalog[0]).toMatchObject({ id: 'daybook', runtime: 'builtin', runtime_available: true });
    expect(catalog[1]).toEqual({
      id: 'filesystem',
      title: 'Filesystem',
      description: expect.any(String),
      category: 'Files And Code',
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '{workspace}'],
      runtime: 'npx',
      runtime_program: 'npx',
      runtime_available: expect.any(Boolean),
      credentials: [],
      docs_url: expect.stringMatching(/^https:/),
    });
    expect(catalog[3]?.credentials).toEqual([
      { env: 'GITHUB_PERSONAL_ACCESS_TOKEN', label: 'Personal access token', help: expect.any(String) },
    ]);
  });
  it('knows which runtimes are on the PATH', async () => {
    const bin = temporaryFolder('bin');
    writeFileSync(join(bin, 'uvx'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(bin, 'npx'), 'not a program', { mode: 0o644 });
    const other = await testDaemon({ env: { PATH: bin } });
    const { catalog } = await get(other);
    await other.stop();
    const available = (id: string) => catalog.find((entry) => entry.id === id)?.runtime_available;
    expect([available('daybook'), available('git'), available('filesystem')]).toEqual([true, true, false]);
  });
});

describe('adding', () => {
  it('takes one of the catalogue, and shows it with its credentials by name', async () => {
    const path = project();
    expect(await post(daemon, '', { ...github, path })).toEqual({
      status: 200,
      body: { id: 'github', title: 'GitHub', enabled: true, credential_names: ['GITHUB_PERSONAL_ACCESS_TOKEN'] },
    });
    expect((await get(daemon, path)).connectors).toEqual([
      {
        id: 'github',
        catalog_id: 'github',
        title: 'GitHub',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        enabled: true,
        added_at: expect.any(Number),
        credential_names: ['GITHUB_PERSONAL_ACCESS_TOKEN'],
        missing_credentials: [],
      },
    ]);
  });
  it('takes one of your own: title is the id, blank credentials are dropped, names are sorted', async () => {
    const path = project();
    const credentials = { Z_KEY: 'z', A_KEY: 'a', NOT_THIS: '  ' };
    const added = await post(daemon, '', { id: 'my-own', title: ' ', command: 'x', credentials, path });
    expect(added.body).toEqual({ id: 'my-own', title: 'my-own', enabled: true, credential_names: ['A_KEY', 'Z_KEY'] });
    expect((await get(daemon, path)).connectors[0]).toMatchObject({ catalog_id: null, args: [], command: 'x' });
  });
  it('takes one of the catalogue with the fields of one of your own left blank', async () => {
    const blank = { id: '', title: null, command: ' ', args: [] };
    expect((await post(daemon, '', { catalog_id: 'time', ...blank, path: project() })).status).toBe(200);
  });
  it('keeps the order in which they were added', async () => {
    const path = project();
    for (const catalog_id of ['time', 'everything', 'fetch']) await post(daemon, '', { catalog_id, path });
    expect((await get(daemon, path)).connectors.map(({ id }) => id)).toEqual(['time', 'everything', 'fetch']);
  });
  it('adds a connector once for two simultaneous requests, and keeps the credentials of the first', async () => {
    const path = project();
    const bodies = Array.from({ length: 8 }, (_, index) =>
      rude('environment', { credentials: { KEY: `k${index}` }, path }),
    );
    const statuses = (await Promise.all(bodies.map((body) => post(daemon, '', body)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
    expect((await get(daemon, path)).connectors[0]?.missing_credentials).toEqual([]);
    const again = await post(daemon, '', rude('x', { credentials: {}, path }));
    expect(again).toEqual({ status: 400, body: { error: "The connector 'mine' is already configured." } });
    expect((await post(daemon, '/remove', { id: 'mine', path })).body).toMatchObject({ secrets_deleted: 1 });
  });

  const custom = { id: 'x', command: 'y' };
  // request.test.ts has all that the fields may not say.
  const refusals: readonly [string, object, RegExp][] = [
    ['an unknown entry', { catalog_id: 'nope' }, /no connector 'nope'/],
    ['nothing', {}, /catalog_id/],
    ['a credential that is no text', { ...custom, credentials: { KEY: 5 } }, /credentials\.KEY/],
    ['arguments that are no list', { ...custom, args: 'a' }, /args/],
    ['a NUL character', { ...custom, args: ['a\0b'] }, /NUL/],
    [
      'a credential that is in the command',
      { ...custom, args: [`--key=${SECRET}`], credentials: { KEY: SECRET } },
      /\{secret:KEY\}/,
    ],
    ['a path where nothing is', { ...custom, path: '/nowhere/at/all' }, /path/],
    ['a path of the wrong type', { ...custom, path: 5 }, /path/],
    ['a path with a NUL character', { ...custom, path: 'a\0' }, /path/],
  ];
  it.each(refusals)('refuses %s with 400 and keeps nothing', async (_, body, reason) => {
    const path = project();
    const refused = await post(daemon, '', { path, ...body });
    expect(refused).toEqual({ status: 400, body: { error: expect.stringMatching(reason) } });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect((await get(daemon, path)).connectors).toEqual([]);
  });
});

describe('toggling and removing', () => {
  it('disables, keeps the credentials, and enables', async () => {
    const path = project();
    await post(daemon, '', { ...github, path });
    expect(await post(daemon, '/toggle', { id: 'github', enabled: false, path })).toEqual({
      status: 200,
      body: { id: 'github', enabled: false },
    });
    expect((await get(daemon, path)).connectors[0]).toMatchObject({ enabled: false, missing_credentials: [] });
    const probed = await post(daemon, '/probe', { id: 'github', path });
    expect(probed).toEqual({ status: 400, body: { error: "The connector 'github' is disabled." } });
    expect((await post(daemon, '/toggle', { id: 'github', enabled: true, path })).body).toMatchObject({
      enabled: true,
    });
  });
  it('removes a connector once, and answers how many credentials it removed', async () => {
    const path = project();
    await post(daemon, '', { catalog_id: 'slack', credentials: { SLACK_BOT_TOKEN: 'a', SLACK_TEAM_ID: 'b' }, path });
    const removed = { id: 'slack', removed: true, secrets_deleted: 2 };
    expect((await post(daemon, '/remove', { id: 'slack', path })).body).toEqual(removed);
    const again = { id: 'slack', removed: false, secrets_deleted: 0 };
    expect(await post(daemon, '/remove', { id: 'slack', path })).toEqual({ status: 200, body: again });
    expect((await get(daemon, path)).connectors).toEqual([]);
    expect(JSON.stringify(readVault(daemon))).not.toContain('slack');
  });
  it.each(['/toggle', '/probe'])('%s of what is not configured is 400, naming it harmlessly', async (route) => {
    const path = project();
    const refused = { status: 400, body: { error: "The connector 'nope' is not configured." } };
    expect(await post(daemon, route, { id: 'nope', enabled: true, path })).toEqual(refused);
    expect(await post(daemon, route, { id: '<nope>', enabled: true, path })).toEqual(refused);
  });
  it('needs id, and enabled', async () => {
    expect((await post(daemon, '/toggle', { id: 'x' })).status).toBe(400);
    expect((await post(daemon, '/toggle', { enabled: true })).status).toBe(400);
    expect((await post(daemon, '/remove', {})).status).toBe(400);
    expect((await post(daemon, '/probe', {})).status).toBe(400);
  });
});

describe('a project', () => {
  it('is the repository around the path, also behind a link, and else the folder itself', async () => {
    const root = project();
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'deep/er'), { recursive: true });
    const link = join(project(), 'link');
    symlinkSync(root, link);
    await post(daemon, '', { catalog_id: 'time', path: join(root, 'deep/er') });
    for (const path of [root, join(root, 'deep'), link, `${root}/deep/../`]) {
      expect((await get(daemon, path)).connectors.map(({ id }) => id)).toEqual(['time']);
    }
    expect((await get(daemon, project())).connectors).toEqual([]);
    expect((await get(daemon)).connectors).toEqual([]);
  });
  it('is the daemon’s workspace without a path, and a relative path is one of it', async () => {
    await post(daemon, '', { catalog_id: 'fetch' });
    for (const path of [daemon.workspace, '.', ' ']) expect((await get(daemon, path)).connectors).toHaveLength(1);
    await post(daemon, '/remove', { id: 'fetch' });
  });
  it('is no folder that holds credentials, none that is not there, and no file', async () => {
    const keys = join(project(), '.ssh');
    mkdirSync(keys);
    const link = join(project(), 'harmless');
    symlinkSync(keys, link);
    for (const path of [keys, link, daemon.home, '/etc', '/nowhere', resolve('package.json')]) {
      expect((await get(daemon, path)).error).toMatch(/path/);
      expect((await post(daemon, '', { catalog_id: 'time', path })).status).toBe(400);
    }
  });
});

describe('probing', () => {
  it('launches the server in its project with its credentials, and says when', async () => {
    const path = project();
    await post(daemon, '', rude('told', { args: [RUDE, 'told', '{workspace}', '{secret:NONE}'], path }));
    const { status, body } = await post(daemon, '/probe', { id: 'mine', path });
    expect(status).toBe(200);
    const result = { state: 'ok', tools: [path, path, '{secret:NONE}'] };
    expect(body).toEqual({ id: 'mine', result, checked_at: expect.any(Number) });
  });
  it('shows no credential, wherever the server writes it', async () => {
    const path = project();
    const args = [RUDE, 'leak', 'key {secret:API_KEY}'];
    await post(daemon, '', rude('leak', { args, credentials: { API_KEY: SECRET }, path }));
    const { body } = await post(daemon, '/probe', { id: 'mine', path });
    expect(body.result).toEqual({ state: 'failed', error: expect.stringMatching(/It said: key \[redacted\]$/) });
  });
  it('keeps nothing of what it found, also for an idempotent repeat', async () => {
    const path = project();
    await post(daemon, '', rude('polite', { path }));
    const before = (await (await daemon.request('/v1/events?limit=5000')).text()).length;
    const headers = { 'idempotency-key': 'probe' };
    const first = await post(daemon, '/probe', { id: 'mine', path }, headers);
    expect(await post(daemon, '/probe', { id: 'mine', path }, headers)).toEqual(first);
    expect((await (await daemon.request('/v1/events?limit=5000')).text()).length).toBe(before);
  });
  it.each([
    ['removed', '/remove', {}, "The connector 'mine' is not configured."],
    ['disabled', '/toggle', { enabled: false }, "The connector 'mine' is disabled."],
  ])('ends when the connector is %s', async (_how, route, more, error) => {
    const [path, pids] = [project(), temporaryFolder('pids')];
    await post(daemon, '', rude('stubborn', { args: [RUDE, 'stubborn', pids], path }));
    const asked = post(daemon, '/probe', { id: 'mine', path });
    const pid = await serverIn(pids);
    await post(daemon, '/toggle', { id: 'mine', enabled: true, path });
    expect(isAlive(pid)).toBe(true);
    expect((await post(daemon, route, { id: 'mine', path, ...more })).status).toBe(200);
    expect(await asked).toEqual({ status: 400, body: { error } });
    expect(isAlive(pid)).toBe(false);
  });
  it('ends with its caller', async () => {
    const [path, pids] = [project(), temporaryFolder('pids')];
    await post(daemon, '', rude('stubborn', { args: [RUDE, 'stubborn', pids], path }));
    const caller = new AbortController();
    const init = { method: 'POST', body: JSON.stringify({ id: 'mine', path }), signal: caller.signal };
    const asked = daemon.request(`${PATH}/probe`, init).catch(() => 'gone');
    const pid = await serverIn(pids);
    caller.abort();
    expect(await asked).toBe('gone');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe('credentials', () => {
  it('survive a restart; while the vault is damaged they are missed and nothing is changed, without it a connector can go', async () => {
    const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
    const first = await testDaemon({ home, workspace });
    await post(first, '', github);
    await post(first, '', rude('environment', { credentials: { MY_KEY: 'm' } }));
    await first.stop();
    const second = await testDaemon({ home, workspace });
    expect((await get(second)).connectors.map((each) => each.missing_credentials)).toEqual([[], []]);
    const { body } = await post(second, '/probe', { id: 'mine' });
    expect(body.result).toMatchObject({ state: 'ok', tools: expect.arrayContaining(['MY_KEY']) });
    writeFileSync(join(home, 'vault/vault.json'), '{');
    const missing = (await get(second)).connectors.map((each) => each.missing_credentials);
    expect(missing).toEqual([['GITHUB_PERSONAL_ACCESS_TOKEN'], ['MY_KEY']]);
    for (const [route, id] of [
      ['/probe', 'mine'],
      ['/remove', 'mine'],
    ] as const) {
      expect(await post(second, route, { id })).toMatchObject({
        status: 503,
        body: { error: expect.stringMatching(/damaged/) },
      });
    }
    expect((await post(second, '', { ...rude('x'), id: 'other', credentials: { A: 'b' } })).status).toBe(503);
    expect((await get(second)).connectors.map(({ id }) => id)).toEqual(['github', 'mine']);
    rmSync(join(home, 'vault/vault.json'));
    expect((await post(second, '/remove', { id: 'mine' })).body).toEqual({
      id: 'mine',
      removed: true,
      secrets_deleted: 0,
    });
    await second.stop();
  });
  it('of no connector go with the next write', async () => {
    const home = temporaryFolder('home');
    const daemon = await daemonHere({ home });
    await post(daemon, '', github);
    const file = join(home, 'vault/vault.json');
    const content = readVault({ home });
    // As a daemon leaves it that was killed between keeping a secret and the event that names it.
    const [sealed] = Object.values(content.owners);
    const owners = { ...content.owners, 'connector-0123456789abcdef-gone': sealed };
    writeFileSync(file, JSON.stringify({ ...content, owners }));
    await post(daemon, '', { id: 'next', command: 'x', credentials: { A: 'b' } });
    expect(Object.keys(readVault({ home }).owners)).toEqual([
      expect.stringMatching(/-github$/),
      expect.stringMatching(/-next$/),
    ]);
    expect((await get(daemon)).connectors.map((each) => each.missing_credentials)).toEqual([[], []]);
  });
  it('are nowhere but in the vault, sealed: not in the log, views, answers, stderr or any file of the home', async () => {
    const home = temporaryFolder('home');
    const daemon = await testDaemon({ home });
    const keyed = { 'idempotency-key': 'add' };
    const bodies = [
      await post(daemon, '', github, keyed),
      await post(daemon, '', github, keyed),
      await post(daemon, '', { ...github, path: '/nowhere' }, { 'idempotency-key': 'no' }),
      await post(
        daemon,
        '',
        rude('leak', { args: [RUDE, 'leak', '{secret:API_KEY}'], credentials: { API_KEY: SECRET } }),
      ),
      await post(daemon, '/probe', { id: 'mine' }, { 'idempotency-key': 'probe' }),
      await post(daemon, '/toggle', { id: 'github', enabled: false }, { 'idempotency-key': 'off' }),
      await get(daemon),
      await (await daemon.request('/v1/events?limit=5000')).json(),
    ];
    expect(bodies[1]).toEqual(bodies[0]);
    const { events } = bodies.at(-1) as { events: { type: string; data: { path?: string } }[] };
    const answered = events.filter(({ type }) => type === 'RequestAnswered').map(({ data }) => data.path);
    expect(answered).toEqual([`${PATH}/toggle`]);
    await daemon.stop();
    expect(filesWhere(home, (bytes) => bytes.includes(SECRET))).toEqual([]);
    expect(JSON.stringify(bodies) + daemon.lines.join('\n')).not.toContain(SECRET);
  });
});

function readVault({ home }: { readonly home: string }) {
  const text = readFileSync(join(home, 'vault/vault.json'), 'utf8');
  return JSON.parse(text) as { readonly owners: Readonly<Record<string, object>> };
}

/** The process of a server, once it has written it down. */
async function serverIn(folder: string): Promise<number> {
  const file = join(folder, 'server.pid');
  const pid = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  await expect.poll(pid).toBeGreaterThan(0);
  return pid();
}
