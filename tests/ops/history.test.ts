/** Metrics over time: the samples of store, process and providers, and the answer of the route. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MetricsHistory } from '../../src/client/generated/types.ts';
import { resolveHarness } from '../../src/commands/harness/defaults.ts';
import { runEvents } from '../../src/events/run/events.ts';
import { ProviderMeter } from '../../src/reactors/metrics/provider-meter.ts';
import type { Json, RecordedEvent } from '../../src/storage/event-log.ts';
import { quantile } from '../../src/storage/ops/sampler.ts';
import { scriptedModel, startTestDaemon, type TestDaemon } from '../../src/testing/testing.ts';

it.each([
  [[0, 10, 0], 0.5, 1.5],
  [[5, 0, 5], 0.99, 2],
  [[4, 0, 0], 0.5, 0.5],
  [[0, 0, 0], 0.5, null],
])('a quantile of buckets: %j at %d is %j', (counts, share, expected) => {
  expect(quantile([1, 2], counts, share)).toBe(expected);
});

describe('the model calls of providers', () => {
  const event = (version: number, type: string, data: Json, schema: number): RecordedEvent => ({
    ...{ position: version, stream: 'run-1', version, id: `e${version}`, type, schema, at: version, actor: 'agent:1' },
    ...{ correlation: null, causation: null, leafHash: '', data },
  });

  it('are counted without those that a newer daemon recorded', () => {
    const meter = new ProviderMeter();
    const { effective } = resolveHarness({ provider: 'p', model: 'm', overrides: {} });
    const settings: Json = JSON.parse(JSON.stringify(effective));
    const asked = {
      attempt: 1,
      provider: 'p',
      model: 'm',
      settings,
      thinking_budget: null,
      request_hash: '',
    };
    meter.count([
      event(1, 'ModelAsked', { call: 1, ...asked }, runEvents.ModelAsked.version),
      event(2, 'ModelAnswered', {}, 99),
      event(3, 'ModelAnswered', { call: 1, finish_reason: 'stop', usage: { input_tokens: 2, output_tokens: 3 } }, 1),
    ]);
    expect(meter.take()).toMatchObject({ 'provider:p:calls': 1, 'provider:p:tokens_out': 3 });
  });
});

describe('GET /v1/metrics/history', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon({ models: scriptedModel(['It is done.']) });
  });
  afterAll(async () => daemon[Symbol.asyncDispose]());
  const history = (query = '?from=0'): Promise<MetricsHistory> => daemon.json('GET', `/v1/metrics/history${query}`);

  it('is empty at first, and has a sample for every ten seconds', async () => {
    expect(await history()).toMatchObject({ every_ms: 10_000, kept_ms: 86_400_000, at: [], series: {} });
    await daemon.json('POST', '/api/tasks', { title: 'one' });
    const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Say that it is done' });
    await daemon.event(({ stream, type }) => stream === `run-${session_id}` && type === 'RunCompleted');
    await daemon.clock.advance('30 s');
    const { at, series } = await history();
    expect(at).toHaveLength(3);
    expect(at[1]! - at[0]!).toBe(10_000);
    expect(series.append_rate![0]).toBeGreaterThan(0);
    expect(series.append_p99![0]).toBeGreaterThanOrEqual(series.append_p50![0]!);
    expect(series.append_p50![2]).toBeNull();
    expect(series.memory_bytes![2]).toBeGreaterThan(1_000_000);
    const calls = Object.keys(series).find((name) => /^provider:.*:calls$/.test(name))!;
    expect(series[calls]).toEqual([1, 0, 0]);
    expect((await history('?from=0&points=1')).at).toHaveLength(1);
    expect((await history(`?from=${at[2]}`)).at).toEqual([at[2]]);
  });

  it('has no rate for the time in which the clock was set back', async () => {
    const from = daemon.clock.now() - 3_600_000;
    daemon.clock.set(from);
    await daemon.clock.advance('20 s');
    const { at, series } = await history(`?from=${from}`);
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(at.slice(-2)).toEqual([from + 10_000, from + 20_000]);
    expect(series.cpu_ratio!.slice(-2)).toEqual([null, expect.any(Number)]);
    expect(series.append_rate!.slice(-2)).toEqual([null, 0]);
  });

  it('lacks the memory while the system has no file descriptor left to read it with', async () => {
    vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      throw Object.assign(new Error('EMFILE: too many open files, uv_resident_set_memory'), { code: 'EMFILE' });
    });
    await daemon.clock.advance('10 s');
    vi.restoreAllMocks();
    const { series } = await history();
    expect([series.memory_bytes!.at(-1), series.disk_bytes!.at(-1)]).toEqual([null, expect.any(Number)]);
  });

  it('refuses more points than it answers', async () => {
    expect((await daemon.fetch('/v1/metrics/history?points=2001')).status).toBe(400);
  });
});
