/** A review survives the process: after a kill it starts again, and a redelivery gets its first result. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { type FakeProvider, says, silence } from '../fakes/providers/server.ts';
import { type KillableDaemon, killableDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { type ForgeServer, startForge } from './forge-server.ts';
import { DIFF, payload, REVIEW, SECRET, sign } from './support.ts';

let provider: FakeProvider;
let forge: ForgeServer;
let daemon: KillableDaemon;
let home: string;

async function boot(): Promise<void> {
  const model = { DAYBOOK_PROVIDER: 'openai', DAYBOOK_MODEL: 'fake-model' };
  const keys = { OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: provider.url };
  const hooks = { DAYBOOK_WEBHOOK_SECRET: SECRET, DAYBOOK_FORGE_HOSTS: `127.0.0.1:${forge.port}` };
  daemon = await killableDaemon({ home, env: { ...model, ...keys, ...hooks } });
}

beforeEach(async () => {
  home = temporaryFolder('home');
  [provider, forge] = await Promise.all([startFakeOpenAi(), startForge()]);
  forge.page('/o/r/pull/7.diff', { body: DIFF });
});
afterEach(async () => {
  await daemon.kill('SIGKILL');
  await Promise.all([provider.close(), forge.close()]);
});

/** A delivery that is known by the sender's id, or a request that is known by its key. */
function deliver(name: string): Promise<Response> {
  const body = JSON.stringify(payload(forge.url));
  const headers = { 'x-github-event': 'pull_request', [name]: 'k-1', 'x-hub-signature-256': sign(body) };
  return fetch(`${daemon.url}/webhook/forge`, { method: 'POST', body, headers });
}

it.each(['x-github-delivery', 'idempotency-key'])(
  'a review that is under way when the daemon is killed is carried on by the next one: %s',
  async (name) => {
    await boot();
    provider.script(silence);
    const cutOff = deliver(name).catch(() => 'cut off');
    await until(async () => (provider.requests.length > 0 ? true : undefined));
    await daemon.kill('SIGKILL');
    expect(await cutOff).toBe('cut off');
    provider.script(says(REVIEW));
    await boot();
    const response = await deliver(name);
    expect([response.status, await response.json()]).toMatchObject([200, { status: 'reviewed', findings: 2 }]);
    const log = (await (await daemon.request('/v1/events?limit=100')).json()) as {
      events: { type: string; stream: string }[];
    };
    const types = log.events.filter((event) => event.stream.startsWith('delivery-')).map((event) => event.type);
    expect(types).toEqual([
      'ReviewRequested',
      'ReviewStarted',
      'ReviewInterrupted',
      'ReviewStarted',
      'ReviewCompleted',
    ]);
    const shown = async () => (await (await daemon.request('/webhook/deliveries')).json()) as unknown;
    const before = await shown();
    await daemon.request('/v1/views/rebuild', { method: 'POST' });
    expect(await shown()).toEqual(before);
  },
);
