/** `POST /webhook/skill/{skill_name}`: which skill a trigger starts, and its run. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SKILL_BYTES_MAX } from '../../src/integrations/skills.ts';
import { says } from '../fakes/providers/server.ts';
import { sharedBench } from '../run/support.ts';

const on = sharedBench();

function skill(path: string, text: string): void {
  const file = join(on.daemon.workspace, '.daybook/skills', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const front = (name: string, trigger: string, text = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: what it does\nwebhook_trigger: ${trigger}\n---\n\n${text}\n`;

function trigger(name: string, body?: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  const init = body === undefined ? {} : { body: body };
  return on.daemon.request(`/webhook/skill/${name}`, { method: 'POST', headers, ...init });
}

const jobs = async () => (await (await on.daemon.request('/jobs')).json()) as Record<string, unknown>[];

describe('a skill', () => {
  it('starts a run with its text and the body, and answers as the contract has it', async () => {
    skill('deploy.md', front('deploy-check', 'deploy', 'Check the deployment.'));
    on.provider.script(says('checked'));
    const body = JSON.stringify({ sha: 'abc', umlaut: 'ü' });
    const response = await trigger('deploy', body, { 'content-type': 'application/json' });
    expect([response.status, await response.json()]).toEqual([
      200,
      { triggered: true, skill: 'deploy-check', body_length: Buffer.byteLength(body) },
    ]);
    const session = response.headers.get('x-daybook-session-id');
    const job = (await jobs()).find((each) => each.session_id === session)!;
    expect(job).toMatchObject({
      tags: ['webhook', 'skill:deploy-check'],
      workspace: on.daemon.workspace,
      approval: 'suggest',
    });
    expect(job.task).toMatch(/^Check the deployment\.[\s\S]*"umlaut":"ü"\}$/);
    expect(await on.events(session!)).toContainEqual({ type: 'complete', content: 'checked' });
    const delivery = (await (await on.daemon.request('/webhook/deliveries?limit=1')).json()) as {
      deliveries: object[];
    };
    expect(delivery.deliveries[0]).toMatchObject({
      kind: 'skill',
      skill: 'deploy-check',
      session_id: session,
      status: 'triggered',
    });
  });
  it.each([
    ['no body', undefined, {}, 0],
    ['text', 'häh?', { 'content-type': 'text/plain' }, 5],
    ['text under no type', Buffer.from('{not json'), {}, 9],
    ['a number', '7', { 'content-type': 'application/json' }, 1],
    ['JSON behind a byte order mark', '\ufeff7', { 'content-type': 'application/json' }, 4],
    ['deep JSON', '['.repeat(500) + ']'.repeat(500), { 'content-type': 'application/json' }, 1_000],
  ])('takes %s', async (_name, body, headers, length) => {
    skill('any.md', front('any', 'any'));
    const response = await trigger('any', body, headers);
    expect([response.status, await response.json()]).toEqual([
      200,
      { triggered: true, skill: 'any', body_length: length },
    ]);
  });
  it.each([
    ['broken JSON that says it is JSON', '{', { 'content-type': 'application/json; charset=utf-8' }, 400],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]), {}, 400],
    ['too much', 'x'.repeat(1_048_577), {}, 413],
  ])('refuses %s', async (_name, body, headers, status) => {
    skill('any.md', front('any', 'any'));
    const before = (await jobs()).length;
    const response = await trigger('any', body, headers);
    expect(response.status).toBe(status);
    expect(typeof ((await response.json()) as { error: string }).error).toBe('string');
    expect((await jobs()).length).toBe(before);
  });
});

describe('a trigger', () => {
  it.each([
    ['nobody', 'nobody'],
    ['Deploy', 'Deploy'],
    ['deploy.md', 'deploy.md'],
    ['..%2f..%2fdeploy', '....deploy'],
    ['%3Cscript%3E', 'script'],
    ['deploy%00', 'deploy'],
  ])('%s is 404, sanitised', async (name, shown) => {
    skill('deploy.md', front('deploy-check', 'deploy'));
    const response = await trigger(name, '{}');
    const error = `No skill has the webhook_trigger '${shown}'`;
    expect([response.status, await response.json()]).toEqual([404, { triggered: false, error }]);
  });
  it('is exact, may be any line of text, and is found in folders too', async () => {
    skill('deep/er/SKILL.md', front('Deep One', 'nightly build ü'));
    expect(await (await trigger('nightly%20build%20%C3%BC')).json()).toMatchObject({ skill: 'Deep One' });
    expect((await trigger('nightly%20build')).status).toBe(404);
  });
  it('of two skills is the first’s by path', async () => {
    skill('2.md', front('second', 'twice'));
    skill('1.md', front('first', 'twice'));
    expect(await (await trigger('twice')).json()).toMatchObject({ skill: 'first' });
  });
  it.each([
    ['no description', 'name: bare\nwebhook_trigger: bare', 'bare', 'bare'],
    ['a trigger that looks like a number', 'name: number\nwebhook_trigger: 007', '007', 'number'],
    ['a trigger that looks like a truth', 'name: truth\nwebhook_trigger: yes', 'yes', 'truth'],
    ['values in quotes', `name: 'in quotes'\nwebhook_trigger: "in\\u0020quotes" # so`, 'in%20quotes', 'in quotes'],
    ['lines that end as on Windows', 'name: crlf\r\ndescription: d\r\nwebhook_trigger: crlf\r', 'crlf', 'crlf'],
    [
      'a description with a colon',
      'name: colon\ndescription: Use when: it fails\nwebhook_trigger: "co"',
      'co',
      'colon',
    ],
  ])('is read from front matter with %s', async (_name, lines, name, skillName) => {
    skill('lenient.md', `---\n${lines}\n---\nDo it.\n`);
    const response = await trigger(name, '{}');
    expect([response.status, await response.json()]).toEqual([
      200,
      { triggered: true, skill: skillName, body_length: 2 },
    ]);
  });
  it.each(['', '~', 'null', '""'])('that is written as %j is none', async (written) => {
    skill('lenient.md', front('nothing', written));
    for (const name of ['null', '~', '', 'undefined']) expect((await trigger(name, '{}')).status).toBe(404);
  });
  it('survives files that are no skills', async () => {
    skill('bad-1.md', 'no front matter');
    skill('bad-2.md', '---\nname: [\n---\n');
    skill('bad-3.md', '---\n- a list\n---\n');
    skill('bad-4.md', front('', 'bad-4'));
    skill('bad-5.md', `---\nname: x\nwebhook_trigger: "bad\\u0000-5"\n---\n`);
    skill('bad-6.md', front('big', 'bad-6', 'x'.repeat(SKILL_BYTES_MAX)));
    skill('bad-7.md', '---\na: &a [x,x]\nb: &b [*a,*a]\nname: bomb\nwebhook_trigger: bad-7\n---\n');
    skill('bad-8.txt', front('text', 'bad-8'));
    skill('none.md', '---\nname: plain\ndescription: no trigger\n---\ntext\n');
    skill('zz.md', front('last', 'last'));
    for (const name of ['bad-4', 'bad-5', 'bad-6', 'bad-7', 'bad-8', 'plain'])
      expect((await trigger(name)).status).toBe(404);
    expect(await (await trigger('last')).json()).toMatchObject({ skill: 'last' });
  });
  it('does not reach through links', async () => {
    const outside = join(on.daemon.home, 'outside.md');
    writeFileSync(outside, front('outside', 'outside'));
    skill('here.md', front('here', 'here'));
    symlinkSync(outside, join(on.daemon.workspace, '.daybook/skills/link.md'));
    expect((await trigger('outside')).status).toBe(404);
  });
});

describe('the same delivery', () => {
  it('starts one run, also when it comes many times at once', async () => {
    skill('once.md', front('once', 'once'));
    const all = await Promise.all(
      Array.from({ length: 10 }, () => trigger('once', '{}', { 'x-github-delivery': 'k-1' })),
    );
    expect(new Set(all.map((response) => response.headers.get('x-daybook-session-id'))).size).toBe(1);
    expect((await jobs()).filter((job) => (job.tags as string[]).includes('skill:once'))).toHaveLength(1);
  });
  it('is known by the id of another header where the first is blank', async () => {
    skill('blank.md', front('blank', 'blank'));
    const headers = { 'x-forge-delivery': ' ', 'x-github-delivery': 'k-3' };
    const answers = [await trigger('blank', '{}', headers), await trigger('blank', '{}', headers)];
    expect(new Set(answers.map((response) => response.headers.get('x-daybook-session-id'))).size).toBe(1);
  });
  it('with an Idempotency-Key too', async () => {
    skill('keyed.md', front('keyed', 'keyed'));
    const headers = { 'idempotency-key': 'k-2' };
    const answers = [await trigger('keyed', '{}', headers), await trigger('keyed', '{}', headers)];
    for (const answer of answers) expect(await answer.json()).toMatchObject({ triggered: true });
    const sessions = answers.map((answer) => answer.headers.get('x-daybook-session-id'));
    expect(sessions).toEqual([expect.any(String), sessions[0]]);
    expect((await jobs()).filter((job) => (job.tags as string[]).includes('skill:keyed'))).toHaveLength(1);
    expect((await trigger('keyed', '{"other":1}', headers)).status).toBe(409);
  });
});
