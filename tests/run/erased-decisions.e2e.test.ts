/**
 * What was decided stays decided when its event is erased: nothing that has ended is done again, nothing that was deleted
 * returns, and no tool starts without its approval.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import type { JobRecord } from '../../src/client/generated/types.ts';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { TestDaemon } from '../../src/testing/test-daemon.ts';
import { startForge } from '../webhook/forge-server.ts';
import { DIFF, payload, REVIEW, SECRET, sign } from '../webhook/support.ts';

let daemon: TestDaemon | undefined;
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  daemon = undefined;
});

/** Erases the newest event of the type, then starts again and folds the views anew. */
async function erase(of: TestDaemon, type: string): Promise<void> {
  const event = [...of.log.readAll()].findLast((each) => each.type === type);
  await of.log.erase([event!.position]);
  await of.restart();
  await of.json('POST', '/v1/views/rebuild');
}

const typesOf = ({ log }: TestDaemon): readonly string[] => [...log.readAll()].map(({ type }) => type);

it('a cancelled run whose cancellation is erased asks no model', async () => {
  daemon = await startTestDaemon({ models: scriptedModel([{ silence: true }, 'Started again.']) });
  const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Wait' });
  await daemon.event('ModelAsked');
  await daemon.json('POST', `/jobs/${session_id}/cancel`);
  const before = typesOf(daemon);

  await erase(daemon, 'RunCancelled');
  await daemon.clock.advance('1 min');

  expect(typesOf(daemon)).toEqual([...before, 'PayloadErased']);
  expect(await daemon.json<JobRecord>('GET', `/jobs/${session_id}`)).toMatchObject({ status: 'cancelled' });
});

it('a complete run whose summary is erased is complete, says so in its stream, and can be resumed', async () => {
  daemon = await startTestDaemon({ models: scriptedModel(['It is Ada.', 'Again.']) });
  const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Who is it?' });
  await daemon.event('RunCompleted');

  await erase(daemon, 'RunCompleted');

  expect(await daemon.json<JobRecord>('GET', `/jobs/${session_id}`)).toMatchObject({
    status: 'complete',
    summary: '(erased)',
  });
  const stream = await (await daemon.fetch(`/stream/${session_id}`)).text();
  expect(stream).toContain('{"type":"complete","content":"(erased)"}');
  await daemon.json('POST', '/agent', { task: 'Go on', resume_session_id: session_id });
});

it('a run whose begin is erased does not begin again while it waits for an approval', async () => {
  const models = scriptedModel([
    { tools: [{ name: 'write_file', input: { path: 'a.txt', content: 'Ada' } }] },
    'Again.',
  ]);
  daemon = await startTestDaemon({ models });
  const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', {
    task: 'Write',
    approval: 'suggest',
    interactive: true,
  });
  await daemon.event('ApprovalRequested');
  const before = typesOf(daemon);

  await erase(daemon, 'RunBegun');
  await daemon.clock.advance('1 min');

  expect(typesOf(daemon)).toEqual([...before, 'PayloadErased']);
  expect(await daemon.json<JobRecord>('GET', `/jobs/${session_id}`)).toMatchObject({ status: 'running' });
});

it('a run whose resume is erased does not go on under its earlier request', async () => {
  daemon = await startTestDaemon({ models: scriptedModel(['Done.', { silence: true }, 'Again.']) });
  const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Begin' });
  const { position } = await daemon.event('RunCompleted');
  await daemon.json('POST', '/agent', { task: 'Go on', approval: 'read-only', resume_session_id: session_id });
  await daemon.event('ModelAsked', { after: position });
  const before = typesOf(daemon);

  await erase(daemon, 'RunResumed');
  await daemon.clock.advance('1 min');

  expect(typesOf(daemon).filter((type) => type === 'ModelAsked')).toHaveLength(2);
  expect(typesOf(daemon).slice(0, before.length)).toEqual(before);
  expect(await daemon.json<JobRecord>('GET', `/jobs/${session_id}`)).toMatchObject({
    status: 'complete',
    summary: 'Done.',
  });
});

it('a tool call whose request for an approval is erased is asked about again, and not carried out', async () => {
  const models = scriptedModel([{ tools: [{ name: 'write_file', input: { path: 'a.txt', content: 'Ada' } }] }]);
  daemon = await startTestDaemon({ models });
  await daemon.json('POST', '/agent', { task: 'Write', approval: 'suggest', interactive: true });
  await daemon.event('ApprovalRequested');
  const before = typesOf(daemon);

  await erase(daemon, 'ApprovalRequested');
  await daemon.event('ApprovalRequested');

  expect(typesOf(daemon)).toEqual([...before, 'PayloadErased', 'ApprovalRequested']);
  expect(await daemon.json('GET', '/approvals')).toMatchObject({ approvals: [{ status: 'pending' }] });
});

it.each([
  ['ApprovalAnswered', 'allow_once', 'RunCompleted'],
  ['ApprovalExpired', null, 'RunCompleted'],
  ['ApprovalWithdrawn', 'cancel', 'RunCancelled'],
])('an approval whose %s is erased is not open when its run has ended', async (type, how, end) => {
  const models = scriptedModel([
    { tools: [{ name: 'write_file', input: { path: 'a.txt', content: 'Ada' } }] },
    'Done.',
  ]);
  daemon = await startTestDaemon({ models });
  const run = { task: 'Write', approval: 'suggest', interactive: true };
  const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', run);
  const { data } = await daemon.event('ApprovalRequested');
  const { approval_id: id } = data as { approval_id: string };
  if (how === 'cancel') await daemon.json('POST', `/jobs/${session_id}/cancel`);
  else if (how !== null) await daemon.json('POST', `/approvals/${id}`, { decision: how });
  else await daemon.clock.advance('1 h');
  const { at } = await daemon.event(end);

  await erase(daemon, type);

  const ended = { id, status: 'cancelled', decision: null, reason: null, decided_at: at };
  expect(await daemon.json('GET', '/approvals')).toMatchObject({ approvals: [ended] });
});

it('a tool whose start is erased while it runs is interrupted by a kill, and does not start again', async () => {
  const block = { name: 'bash', input: { command: 'tail -f /dev/null' } };
  daemon = await startTestDaemon({ models: scriptedModel([{ tools: [block] }, 'Done.']) });
  const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', {
    task: 'Wait',
    approval: 'full-auto',
  });
  const { position } = await daemon.event('ToolStarted');

  await daemon.log.erase([position]);
  await daemon.kill();
  await daemon.restart();
  await daemon.event('RunCompleted');

  const types = typesOf(daemon);
  expect(types.filter((type) => type === 'ToolStarted')).toHaveLength(1);
  expect(types).toContain('ToolInterrupted');
  expect(await daemon.json<JobRecord>('GET', `/jobs/${session_id}`)).toMatchObject({ status: 'complete' });
});

it.each([
  ['GoalCreated', 'First'],
  ['GoalRevised', 'Second'],
])('the title of a goal whose %s is erased is free again', async (type, title) => {
  daemon = await startTestDaemon();
  const { id } = await daemon.json<{ id: string }>('POST', '/v1/goals', { title: 'First' });
  if (type === 'GoalRevised') await daemon.json('PATCH', `/v1/goals/${id}`, { title });

  await erase(daemon, type);

  await daemon.json('POST', '/v1/goals', { title });
  const again = await daemon.fetch('/v1/goals', { method: 'POST', body: JSON.stringify({ title }) });
  expect(again.status).toBe(409);
});

it('an engagement whose removal is erased stays removed', async () => {
  daemon = await startTestDaemon();
  const { engagement } = await daemon.json<{ engagement: { id: string } }>('POST', '/engagements', { name: 'Acme' });
  await daemon.json('DELETE', `/engagements/${engagement.id}?reason=Asked+by+Ada`);

  await erase(daemon, 'EngagementRemoved');

  expect(await daemon.json('GET', '/engagements')).toEqual({ engagements: [] });
  expect((await daemon.fetch(`/engagements/${engagement.id}`)).status).toBe(404);
});

it('a delivery that started a run starts no second one when its event is erased', async () => {
  daemon = await startTestDaemon({ models: scriptedModel(['Done.', 'Again.']) });
  const folder = join(daemon.workspace, '.daybook/skills');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.md'), '---\nname: a\ndescription: d\nwebhook_trigger: a\n---\n\nDo it.\n');
  const deliver = async (of: TestDaemon): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'x-forge-delivery': 'd-1' }, body: 'x' };
    return (await of.fetch('/webhook/skill/a', init)).json();
  };
  expect(await deliver(daemon)).toEqual({ triggered: true, skill: 'a', body_length: 1 });
  await daemon.event('RunCompleted');

  await erase(daemon, 'SkillTriggered');

  expect(await deliver(daemon)).toEqual({ triggered: false, skill: 'a', body_length: 1 });
  expect(typesOf(daemon).filter((type) => type === 'RunRequested')).toHaveLength(1);
});

it('a policy that is erased gives way to the strictest one', async () => {
  daemon = await startTestDaemon();
  for (const policy of ['full-auto', 'read-only']) await daemon.json('PUT', '/v1/approval-policy', { policy });
  await erase(daemon, 'ApprovalPolicySet');
  expect(await daemon.json('GET', '/v1/approval-policy')).toMatchObject({ policy: 'chat-only' });
});

it('memories whose encryption is erased are locked', async () => {
  daemon = await startTestDaemon({ env: { DAYBOOK_MEMORY_PASSPHRASE: 'correct horse battery' } });
  await daemon.json('POST', '/memory/encryption', {});
  await daemon.json('POST', '/memory/add', { content: 'Ada likes tea.' });
  await erase(daemon, 'MemoryEncryptionEnabled');
  await daemon.restart();
  const added = await daemon.fetch('/memory/add', {
    method: 'POST',
    body: JSON.stringify({ content: 'Ada has a cat.' }),
  });
  expect([added.status, await added.json()]).toMatchObject([503, { error: expect.stringContaining('locked') }]);
});

it('a briefing whose text is erased is not written again', async () => {
  daemon = await startTestDaemon();
  const { id } = await daemon.json<{ id: string }>('POST', '/briefing/generate', { writer: 'computed' });
  await daemon.json('GET', '/briefing?wait=10000');
  const before = typesOf(daemon);

  await erase(daemon, 'BriefingWritten');
  await daemon.json('GET', '/briefing?wait=10000');

  expect(typesOf(daemon)).toEqual([...before, 'PayloadErased']);
  const text = { headline: '(erased)', markdown: '(erased)', writer: null };
  expect(await daemon.json('GET', `/briefing/${id}`)).toMatchObject({ status: 'written', ...text });
});

it('a review whose result is erased is not made again, and has no numbers', async () => {
  const forge = await startForge();
  onTestFinished(() => forge.close());
  forge.page('/o/r/pull/7.diff', { body: DIFF });
  daemon = await startTestDaemon({
    models: scriptedModel([REVIEW, 'Again.']),
    env: { DAYBOOK_WEBHOOK_SECRET: SECRET, DAYBOOK_FORGE_HOSTS: `127.0.0.1:${forge.port}` },
  });
  const body = JSON.stringify(payload(forge.url));
  const headers = { 'x-github-event': 'pull_request', 'x-github-delivery': 'k-1', 'x-hub-signature-256': sign(body) };
  const deliver = (of: TestDaemon) => of.fetch('/webhook/forge', { method: 'POST', body, headers });
  expect(await (await deliver(daemon)).json()).toMatchObject({ status: 'reviewed', findings: 2 });
  const before = typesOf(daemon);

  await erase(daemon, 'ReviewCompleted');

  const shown = { status: 'reviewed', findings: null, summary: '(erased)' };
  expect(await daemon.json('GET', '/webhook/deliveries/k-1')).toMatchObject({ ...shown, review: null });
  expect(await daemon.json('GET', '/webhook/deliveries')).toMatchObject({ deliveries: [shown] });
  expect(await (await deliver(daemon)).json()).toMatchObject({ status: 'reviewed', summary: '(erased)' });
  expect(typesOf(daemon)).toEqual([...before, 'PayloadErased']);
});
