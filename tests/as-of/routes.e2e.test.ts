/** `?at=` over HTTP: every route that has it answers for a past position what it answered then, with `as_of`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/asking.ts';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon({ env: { DAYBOOK_VAULT_PASSPHRASE: 'a passphrase of the tests' } });

type Body = Readonly<Record<string, unknown>>;

const get = (path: string) => ask<unknown>(daemon, 'GET', path);
const send = (method: string, path: string, body?: Body) => ask<Body>(daemon, method, path, body);

async function head(): Promise<number> {
  const { body } = await get('/v1/log/head');
  return (body as { position: number }).position;
}

async function run(task: string): Promise<string> {
  const { body } = await send('POST', '/agent', { task, approval: 'full-auto' });
  // The stream ends with the run.
  await (await daemon.request(`/stream/${body.session_id}`)).text();
  return String(body.session_id);
}

const CONNECTORS = '/api/vibedesk/connectors';

/** Without the moment, and without what only the present knows. */
function plain(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(plain);
  const { as_of: _moment, missing_credentials: _secret, connectors, ...rest } = body as Body;
  return connectors === undefined ? rest : { ...rest, connectors: plain(connectors) };
}

const at = (path: string, moment: number | string): string => `${path}${path.includes('?') ? '&' : '?'}at=${moment}`;

/** Sends a delivery with this id, and waits for the end of the run that it starts. */
async function deliver(id: string): Promise<void> {
  const init = { method: 'POST', headers: { 'x-forge-delivery': id }, body: 'Look.' };
  const { headers } = await daemon.request('/webhook/skill/look', init);
  await (await daemon.request(`/stream/${headers.get('x-daybook-session-id')}`)).text();
}

describe('goals, jobs, sessions, facts, connectors and deliveries', () => {
  it('answer for a position what they answered then, and say as of which event', async () => {
    const first = String((await send('POST', '/v1/goals', { title: 'First', tags: ['x'] })).body.id);
    const child = String((await send('POST', '/v1/goals', { title: 'Child', parent_goal_id: first })).body.id);
    const paths = new Set([
      ...['/v1/goals', '/v1/goals?tag=x', '/v1/goals?q=chi&limit=1', `/v1/goals/${first}`, `/v1/goals/${child}`],
      ...[`/v1/goals/${first}/tree`, `/v1/goals/${first}/children`, '/v1/goals/current'],
      ...['/jobs', '/jobs?limit=1', '/sessions.json', '/memory/facts', '/memory/facts?valid_at=100', CONNECTORS],
      ...['/webhook/deliveries', '/webhook/deliveries?limit=1', '/webhook/deliveries/first'],
    ]);
    mkdirSync(`${daemon.workspace}/.daybook/skills`, { recursive: true });
    writeFileSync(
      `${daemon.workspace}/.daybook/skills/look.md`,
      '---\nname: look\nwebhook_trigger: look\n---\nLook.\n',
    );
    const seen: {
      readonly path: string;
      readonly position: number;
      readonly answer: { status: number; body: unknown };
    }[] = [];
    const look = async (): Promise<void> => {
      const position = await head();
      for (const path of paths) seen.push({ path, position, answer: await get(path) });
    };
    await look();
    await send('PUT', '/v1/goals/current', { goal_id: first });
    await send('POST', '/memory/fact', { subject: 'sky', predicate: 'is', object: 'blue', valid_from: 10 });
    await send('POST', CONNECTORS, { id: 'own', title: 'Own', command: 'cat', args: ['-'] });
    await deliver('first');
    const one = await run('Look around.');
    paths.add(`/jobs/${one}`);
    await look();
    await send('POST', '/memory/fact', { subject: 'sky', predicate: 'is', object: 'grey', valid_from: 90 });
    await send('POST', `${CONNECTORS}/toggle`, { id: 'own', enabled: false });
    await send('PATCH', `/v1/goals/${child}`, { parent_goal_id: null, title: 'Grown' });
    await deliver('second');
    const two = await run('Look again.');
    paths.add(`/jobs?after=${two}`).add(`/jobs?limit=1&after=${one}`);
    await look();
    await send('POST', '/agent', { task: 'And again.', resume_session_id: one, approval: 'full-auto' });
    await (await daemon.request(`/stream/${one}`)).text();
    await send('POST', `${CONNECTORS}/remove`, { id: 'own' });
    await send('DELETE', `/v1/goals/${first}`);
    await look();

    for (const { path, position, answer } of seen) {
      const then = await get(at(path, position));
      expect([path, position, then.status]).toEqual([path, position, answer.status]);
      if (answer.status !== 200) continue;
      expect([path, position, plain(then.body)]).toEqual([path, position, plain(answer.body)]);
      for (const each of [then.body].flat() as Body[]) {
        const {
          asked,
          position: newest,
          leaf_hash,
        } = each.as_of as { asked: string; position: number; leaf_hash: string };
        expect([asked, newest <= position]).toEqual([`${position}`, true]);
        if (newest > 0) expect((await get(`/v1/log/proof?position=${newest}`)).body).toMatchObject({ leaf_hash });
      }
    }
  });

  it('show a session page as it was', async () => {
    const id = await run('Look for the pages.');
    const position = await head();
    const page = async (path: string): Promise<string> => (await daemon.request(path)).text();
    const before = await page(`/view/${id}`);
    await send('POST', '/agent', { task: 'More pages.', resume_session_id: id, approval: 'full-auto' });
    await (await daemon.request(`/stream/${id}`)).text();
    expect(await page(`/view/${id}`)).not.toBe(before);
    for (const kind of ['view', 'share']) {
      const then = await page(at(`/${kind}/${id}`, position));
      expect(then).toContain(`<strong>As of ${position}</strong>`);
      expect(then).not.toContain('More pages.');
    }
    const then = await page(at(`/view/${id}`, position));
    expect(then.replace(/\n<p class="banner"[\s\S]*?<\/p>/, '')).toBe(before);
  });

  it.each(['/jobs', '/sessions.json'])('%s has no page after a run that began later', async (path) => {
    await run('Look first.');
    const position = await head();
    const id = await run('Look later.');
    const reply = await get(at(`${path}?after=${id}`, position));
    expect([reply.status, (reply.body as { error: string }).error]).toEqual([
      400,
      'Invalid query: after: must be the session id of a run in the list.',
    ]);
  });

  it.each([
    '/v1/goals',
    '/v1/goals/current',
    '/v1/goals/none',
    '/v1/goals/none/tree',
    '/v1/goals/none/children',
    '/jobs',
    '/jobs/none',
    '/sessions.json',
    '/view/none',
    '/share/none',
    '/memory/facts',
    CONNECTORS,
  ])('%s refuses what is no moment, and knows nothing before the first event', async (path) => {
    for (const moment of ['', 'now', '0', '999999999', '2026-02-30T00:00:00Z']) {
      const reply = await get(at(path, moment));
      expect([moment, reply.status]).toEqual([moment, 400]);
      expect((reply.body as { error: string }).error).toContain('at: must be a position of the log from 1 to');
    }
    const early = await daemon.request(at(path, '1999-01-01T00:00:00Z'));
    expect(early.status).toBe(path.includes('none') ? 404 : 200);
  });
});
