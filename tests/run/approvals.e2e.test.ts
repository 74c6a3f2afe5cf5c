/** Approvals over HTTP: requested, answered, refused, expired, withdrawn; and that a waiting run occupies nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/until.ts';
import { answer, bench, callsTool, ended, listed, says, waiting } from './approval-support.ts';
import { sharedBench } from './support.ts';

const on = sharedBench('openai', { DAYBOOK_RUNS_MAX: '1' });

const write = (path: string) => callsTool({ name: 'write_file', input: { path, content: 'x' } });
const start = (body: object = {}): Promise<string> =>
  on.start({ task: 'write it', approval: 'suggest', interactive: true, ...body });

describe('an interactive run', () => {
  it('asks about a gated tool and runs it when allowed once', async () => {
    on.provider.script(write('a.txt'), says('written'));
    const session = await start();
    const approval = await waiting(on, session);
    expect(approval).toMatchObject({
      session_id: session,
      tool_name: 'write_file',
      input: { path: 'a.txt', content: 'x' },
      status: 'pending',
      decision: null,
    });
    expect(approval.expires_at - approval.requested_at).toBe(600_000);
    expect(existsSync(join(on.daemon.workspace, 'a.txt'))).toBe(false);
    const answered = await answer(on, approval.id, { decision: 'allow_once', reason: 'fine' });
    expect(answered.status).toBe(200);
    expect(await answered.json()).toMatchObject({
      id: approval.id,
      status: 'allowed',
      decision: 'allow_once',
      reason: 'fine',
    });
    expect((await ended(on, session)).status).toBe('complete');
    expect(existsSync(join(on.daemon.workspace, 'a.txt'))).toBe(true);
    const events = await on.events(session, '?after=0');
    expect(events.filter((event) => event.type === 'system').map((event) => event.approval_id)).toContain(approval.id);
    expect((await on.daemon.request(`/jobs/${session}/replay`).then((r) => r.json())) as object).toMatchObject({
      identical: true,
    });
  });

  it('asks again after allow_once, not after allow_run, and asks anew when the session is resumed', async () => {
    on.provider.script(write('b1.txt'), write('b2.txt'), write('b3.txt'), says('written'));
    const session = await start();
    await answer(on, (await waiting(on, session)).id, { decision: 'allow_once' });
    await answer(on, (await waiting(on, session)).id, { decision: 'allow_run' });
    expect((await ended(on, session)).steps_completed).toBe(3);
    expect(await listed(on, `?session_id=${session}`)).toHaveLength(2);
    on.provider.script(write('b4.txt'), says('again'));
    await start({ resume_session_id: session, task: 'more' });
    await answer(on, (await waiting(on, session)).id, { decision: 'deny' });
    expect((await ended(on, session)).status).toBe('complete');
    expect(existsSync(join(on.daemon.workspace, 'b4.txt'))).toBe(false);
  });

  it('tells the model of a denial and its reason, and continues', async () => {
    on.provider.script(write('c.txt'), says('then not'));
    const session = await start();
    const { id } = await waiting(on, session);
    expect((await answer(on, id, { decision: 'deny', reason: 'wrong folder' })).status).toBe(200);
    expect(await ended(on, session)).toMatchObject({ status: 'complete', summary: 'then not' });
    const told = on.provider.requests.at(-1)!.body.messages.at(-1);
    expect(JSON.stringify(told)).toContain('wrong folder');
    expect(existsSync(join(on.daemon.workspace, 'c.txt'))).toBe(false);
  });

  it('lets other runs go while it waits', async () => {
    on.provider.script(write('d.txt'));
    const session = await start();
    const { id } = await waiting(on, session);
    on.provider.script(says('the other one'));
    expect(await ended(on, await on.start({ task: 'another' }))).toMatchObject({ status: 'complete' });
    on.provider.script(says('done'));
    await answer(on, id, { decision: 'allow_once' });
    expect((await ended(on, session)).status).toBe('complete');
  });

  it('is settled by cancelling', async () => {
    on.provider.script(write('e.txt'));
    const session = await start();
    const { id } = await waiting(on, session);
    await on.daemon.request(`/jobs/${session}/cancel`, { method: 'POST' });
    expect((await listed(on, `?session_id=${session}`))[0]).toMatchObject({ id, status: 'cancelled', decision: null });
    const late = await answer(on, id, { decision: 'allow_once' });
    expect(late.status).toBe(409);
    expect(((await late.json()) as { error: string }).error).toContain('cancelled');
  });
});

describe('answers', () => {
  it('are taken once: the second is 409 with what was decided', async () => {
    on.provider.script(write('f.txt'), says('ok'));
    const session = await start();
    const { id } = await waiting(on, session);
    const both = await Promise.all([answer(on, id, { decision: 'deny' }), answer(on, id, { decision: 'allow_once' })]);
    expect(both.map((response) => response.status).sort()).toEqual([200, 409]);
    const first = (await listed(on, `?session_id=${session}`))[0]!;
    const again = await answer(on, id, { decision: first.decision });
    expect(again.status).toBe(409);
    expect(((await again.json()) as { error: string }).error).toContain(`decision: ${first.decision}`);
    await ended(on, session);
  });

  const bad = [
    [{}, 'decision'],
    [{ decision: 'yes' }, 'allow_once'],
    [{ decision: null }, 'decision'],
    [{ decision: 'deny', reason: 7 }, 'reason'],
    [{ decision: 'deny', reason: 'x'.repeat(2_001) }, 'reason'],
    [[], 'object'],
  ] as const;
  it.each(bad)('%j is 400 naming %s', async (body, names) => {
    on.provider.script(write('g.txt'));
    const session = await start();
    const { id } = await waiting(on, session);
    const response = await answer(on, id, body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain(names);
    expect(await waiting(on, session)).toMatchObject({ id, status: 'pending' });
    await on.daemon.request(`/jobs/${session}/cancel`, { method: 'POST' });
  });

  it('to nothing are 404, with the id sanitised', async () => {
    const response = await answer(on, 'apr-<nobody>', { decision: 'deny' });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: `Approval 'apr-nobody' not found` });
  });

  it.each([['?status=open'], ['?limit=0'], ['?limit=x']])('GET /approvals%s is 400', async (query) => {
    expect((await on.daemon.request(`/approvals${query}`)).status).toBe(400);
  });
});

describe('without interactive', () => {
  it.each([[undefined], [false], [null]])('%s: a gated tool is rejected at once', async (interactive) => {
    on.provider.script(write('h.txt'), says('adapted'));
    const session = await on.start({ task: 'write it', approval: 'suggest', interactive });
    expect(await ended(on, session)).toMatchObject({ status: 'complete', steps_completed: 0, calls_rejected: 1 });
    expect(await listed(on, `?session_id=${session}`)).toEqual([]);
  });
  it('a value that is no boolean is 400', async () => {
    const body = JSON.stringify({ task: 'x', interactive: 'yes' });
    const response = await on.daemon.request('/agent', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain('interactive');
  });
  it.each([['full-auto'], ['read-only']])('interactive under %s asks nothing', async (approval) => {
    on.provider.script(write('i.txt'), says('ok'));
    const session = await start({ approval });
    await ended(on, session);
    expect(await listed(on, `?session_id=${session}`)).toEqual([]);
  });
});

it('an approval without an answer expires, counts as denied, and answers come too late', async () => {
  const hurried = await bench('openai', { DAYBOOK_APPROVAL_TIMEOUT_SECS: '0.2' });
  onTestFinished(() => hurried.close());
  hurried.provider.script(write('j.txt'), says('went on'));
  const session = await hurried.start({ task: 'write', approval: 'suggest', interactive: true });
  expect(await ended(hurried, session)).toMatchObject({ status: 'complete', summary: 'went on' });
  const approval = await until(async () => (await listed(hurried))[0]);
  expect(approval).toMatchObject({ status: 'expired', decision: 'deny' });
  expect(approval.decided_at).toBeGreaterThanOrEqual(approval.expires_at);
  const late = await answer(hurried, approval.id, { decision: 'allow_once' });
  expect(late.status).toBe(409);
  expect(((await late.json()) as { error: string }).error).toMatch(/expired.*denied/);
  expect(await hurried.daemon.request(`/jobs/${session}/replay`).then((r) => r.json())).toMatchObject({
    identical: true,
  });
});
