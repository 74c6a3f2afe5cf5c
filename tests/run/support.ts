/** A daemon whose model is a fake provider on loopback, and the steps that run tests share. */
import { beforeEach, onTestFinished } from 'vitest';
import type { AgentEvent } from '../../src/events/run/agent-event.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { startFakeAnthropic } from '../fakes/providers/anthropic.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import type { FakeProvider } from '../fakes/providers/server.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { shared } from '../support/shared.ts';

export interface Bench {
  readonly daemon: TestDaemon;
  readonly provider: FakeProvider;
  /** Starts a run and answers its session id. */
  start(body: Record<string, unknown>): Promise<string>;
  /** Every AgentEvent of a run, read to the end of its stream. */
  events(id: string, query?: string): Promise<AgentEvent[]>;
  job(id: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const FAKES = {
  openai: {
    start: startFakeOpenAi,
    env: (url: string) => ({ OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: url }),
  },
  anthropic: {
    start: startFakeAnthropic,
    env: (url: string) => ({ ANTHROPIC_API_KEY: 'sk-ant-fake', ANTHROPIC_BASE_URL: url }),
  },
} as const;

export async function bench(kind: keyof typeof FAKES = 'openai', env: NodeJS.ProcessEnv = {}): Promise<Bench> {
  const provider = await FAKES[kind].start();
  const model = { DAYBOOK_PROVIDER: kind, DAYBOOK_MODEL: 'fake-model' };
  const daemon = await testDaemon({ env: { ...FAKES[kind].env(provider.url), ...model, ...env } });
  return {
    daemon,
    provider,
    async start(body) {
      const response = await daemon.request('/agent', { method: 'POST', body: JSON.stringify(body) });
      const { session_id } = (await response.json()) as { session_id: string };
      if (response.status !== 200) throw new Error(`POST /agent answered ${response.status}`);
      return session_id;
    },
    async events(id, query = '') {
      const events = await readSse(await daemon.request(`/stream/${id}${query}`));
      return events.map((event) => JSON.parse(event.data) as AgentEvent);
    },
    job: async (id) => (await (await daemon.request(`/jobs/${id}`)).json()) as Record<string, unknown>,
    async close() {
      await daemon.stop();
      await provider.close();
    },
  };
}

/** The same for the test that opens it, which closes it at its end. */
export async function benchHere(...given: Parameters<typeof bench>): Promise<Bench> {
  const opened = await bench(...given);
  onTestFinished(() => opened.close());
  return opened;
}

/** One bench for all tests of a file, or of a `describe`. Its provider forgets before each test. */
export function sharedBench(...given: Parameters<typeof bench>): Bench {
  const opened = shared(
    () => bench(...given),
    (it) => it.close(),
  );
  beforeEach(() => opened.provider.forget());
  return opened;
}
