/** The default approval policy: set, cleared, refused, and its effect on each way to start a run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '../../src/client/generated/types.ts';
import { approvalPolicy } from '../../src/commands/approval-policy.ts';
import { scriptedModel, startTestDaemon, type TestDaemon } from '../../src/testing/testing.ts';
import { decider } from '../support/given.ts';

const { given } = decider(approvalPolicy);
const set = (policy: 'suggest' | 'full-auto') => ({ type: 'ApprovalPolicySet', data: { policy } }) as const;
const cleared = { type: 'ApprovalPolicyCleared', data: {} } as const;

it('the decider records a policy once, and clears what is set', () => {
  given().when({ type: 'SetApprovalPolicy', policy: 'suggest' }).thenEvents(set('suggest'));
  given(set('suggest')).when({ type: 'SetApprovalPolicy', policy: 'suggest' }).thenNothing();
  given(set('suggest')).when({ type: 'SetApprovalPolicy', policy: 'full-auto' }).thenEvents(set('full-auto'));
  given().when({ type: 'ClearApprovalPolicy' }).thenNothing();
  given(set('suggest')).when({ type: 'ClearApprovalPolicy' }).thenEvents(cleared);
  given(set('suggest'), cleared).when({ type: 'ClearApprovalPolicy' }).thenNothing();
});

describe('/v1/approval-policy', () => {
  const path = '/v1/approval-policy';
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon({
      models: scriptedModel(Array.from({ length: 20 }, () => 'Done.')),
      env: { DAYBOOK_APPROVAL: 'auto-edit' },
    });
  });
  afterAll(async () => daemon[Symbol.asyncDispose]());
  const put = (policy: unknown): Promise<Response> =>
    daemon.fetch(path, { method: 'PUT', body: JSON.stringify({ policy }) });

  /** The policy that a run was given; the run has ended. */
  async function policyOf(body: object): Promise<string> {
    const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Do it', ...body });
    await daemon.event(({ stream, type }) => stream === `run-${session_id}` && type === 'RunCompleted');
    return (await daemon.json<{ approval: string }>('GET', `/jobs/${session_id}`)).approval;
  }

  it('is the configuration while nothing is set', async () => {
    const status = { policy: null, configured: 'auto-edit', effective: 'auto-edit' };
    expect(await daemon.json('GET', path)).toEqual(status);
    expect(await policyOf({})).toBe('auto-edit');
    expect(await policyOf({ approval: null })).toBe('auto-edit');
    expect(await policyOf({ approval: 'yolo' })).toBe('suggest');
  });

  it.each(['yolo', '', 3, ['suggest'], undefined])('refuses %j and changes nothing', async (policy) => {
    const response = await put(policy);
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([400, ['error']]);
    expect(await daemon.json('GET', path)).toMatchObject({ policy: null });
  });

  it('holds for the runs that name no policy, from then on, and is in the log', async () => {
    const from = daemon.log.head().position;
    const before = await policyOf({});
    const status = await daemon.json<ApprovalPolicy>('PUT', path, { policy: 'read-only' });
    expect(status).toEqual({ policy: 'read-only', configured: 'auto-edit', effective: 'read-only' });
    expect([before, await policyOf({}), await policyOf({ approval: 'full-auto' })]).toEqual([
      'auto-edit',
      'read-only',
      'full-auto',
    ]);
    await put('read-only');
    await put(null);
    expect(await policyOf({})).toBe('auto-edit');
    const events = [...daemon.log.readStream('settings-approval-policy')].filter(({ position }) => position > from);
    expect(events.map(({ type, actor, data }) => [type, actor, data])).toEqual([
      ['ApprovalPolicySet', 'owner', { policy: 'read-only' }],
      ['ApprovalPolicyCleared', 'owner', {}],
    ]);
  });

  it('holds for the runs of goals', async () => {
    await put('chat-only');
    const goal = await daemon.json<{ id: string }>('POST', '/v1/goals', { title: 'Ship it' });
    const { session_id } = await daemon.json<{ session_id: string }>('POST', `/v1/goals/${goal.id}/start`, {});
    expect(await daemon.json('GET', `/jobs/${session_id}`)).toMatchObject({ approval: 'chat-only' });
    await put(null);
  });
});
