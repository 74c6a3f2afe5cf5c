/** Pending approvals survive the process: killed without warning, restarted, answered, expired or cancelled. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { callsTool, type FakeProvider, says } from '../fakes/providers/server.ts';
import { type KillableDaemon, killableDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import type { Approval } from './approval-support.ts';

let provider: FakeProvider;
let home: string;
let workspace: string;
let daemon: KillableDaemon;

async function boot(env: NodeJS.ProcessEnv = {}): Promise<void> {
  const model = { DAYBOOK_PROVIDER: 'openai', DAYBOOK_MODEL: 'fake-model' };
  const keys = { OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: provider.url };
  daemon = await killableDaemon({ home, workspace, env: { ...model, ...keys, ...env } });
}

beforeEach(async () => {
  provider = await startFakeOpenAi();
  home = temporaryFolder('home');
  workspace = temporaryFolder('workspace');
});
afterEach(async () => {
  await daemon.kill('SIGKILL');
  await provider.close();
});

const approvals = async (): Promise<Approval[]> =>
  ((await (await daemon.request('/approvals')).json()) as { approvals: Approval[] }).approvals;

async function asked(): Promise<{ session: string; approval: Approval }> {
  provider.script(callsTool({ name: 'write_file', input: { path: 'a.txt', content: 'x' } }));
  const body = JSON.stringify({ task: 'write', approval: 'suggest', interactive: true });
  const response = await daemon.request('/agent', { method: 'POST', body });
  const { session_id: session } = (await response.json()) as { session_id: string };
  return { session, approval: await until(async () => (await approvals())[0]) };
}

const job = async (session: string) =>
  (await (await daemon.request(`/jobs/${session}`)).json()) as Record<string, unknown>;
const ended = (session: string) =>
  until(async () => {
    const found = await job(session);
    return found.finished_at === null ? undefined : found;
  });

describe('an approval', () => {
  it('is there after a kill, is answered once, and the run continues; rebuilt views show the same', async () => {
    await boot();
    const { session, approval } = await asked();
    await daemon.kill('SIGKILL');
    await boot();
    expect(await approvals()).toEqual([approval]);
    expect(await job(session)).toMatchObject({ status: 'running', finished_at: null });
    provider.script(says('written'));
    const init = { method: 'POST', body: '{"decision":"allow_once"}' };
    expect((await daemon.request(`/approvals/${approval.id}`, init)).status).toBe(200);
    expect(await ended(session)).toMatchObject({ status: 'complete', files_modified: ['a.txt'] });
    const before = await approvals();
    await daemon.request('/v1/views/rebuild', { method: 'POST' });
    expect(await approvals()).toEqual(before);
    expect((await daemon.request(`/approvals/${approval.id}`, init)).status).toBe(409);
    expect(await (await daemon.request(`/jobs/${session}/replay`)).json()).toMatchObject({ identical: true });
  });
  it('whose time ran out while nothing ran is expired at the start', async () => {
    await boot({ DAYBOOK_APPROVAL_TIMEOUT_SECS: '1' });
    const { session, approval } = await asked();
    provider.script(says('without it'));
    await daemon.kill('SIGKILL');
    await until(async () => (Date.now() >= approval.expires_at ? true : undefined));
    await boot();
    expect(await ended(session)).toMatchObject({ status: 'complete', summary: 'without it' });
    expect(await approvals()).toMatchObject([{ id: approval.id, status: 'expired', decision: 'deny' }]);
    expect(existsSync(join(workspace, 'a.txt'))).toBe(false);
  });
  it('waits on through a stop in good order, and can be cancelled after it', async () => {
    await boot();
    const { session, approval } = await asked();
    expect(await daemon.kill('SIGTERM')).toBe(0);
    await boot();
    expect(await approvals()).toEqual([approval]);
    await daemon.request(`/jobs/${session}/cancel`, { method: 'POST' });
    expect(await approvals()).toMatchObject([{ status: 'cancelled' }]);
    expect((await job(session)).status).toBe('cancelled');
  });
});
