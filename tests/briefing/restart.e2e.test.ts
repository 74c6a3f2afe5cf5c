/**
 * Briefings and restarts: after a kill none stays in progress for ever, and each scheduled time gets exactly one
 * briefing.
 */
import { describe, expect, it } from 'vitest';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { says, silence } from '../fakes/providers/server.ts';
import { movableClock } from '../http/clock.ts';
import { killableDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { detail, generated, overview, put, requested } from './support.ts';

const GOOD_MORNING = 'Nothing has happened; nothing needs you.\n\nGood morning.\n';

const HOUR = 3_600_000;

/** A model provider, and the options of a daemon that asks it. */
async function withProvider() {
  const provider = await startFakeOpenAi();
  const model = { DAYBOOK_PROVIDER: 'openai', DAYBOOK_MODEL: 'fake-model' };
  const env = { ...model, OPENAI_API_KEY: 'sk-fake', OPENAI_BASE_URL: provider.url };
  return { provider, home: temporaryFolder('home'), env };
}

it('a briefing that is under way when the daemon is killed is carried on from its facts by the next one', async () => {
  const { provider, ...options } = await withProvider();
  provider.script(silence);
  const first = await killableDaemon(options);
  const { id } = await requested(first);
  await until(async () => (provider.requests.length > 0 ? true : undefined));
  const before = await detail(first, id);
  await first.kill('SIGKILL');
  provider.script(says('Good morning.'));
  const second = await killableDaemon(options);
  try {
    await until(async () => ((await overview(second)).running ? undefined : true));
    const after = await detail(second, id);
    expect(after).toMatchObject({ status: 'written', markdown: GOOD_MORNING, facts: before.facts });
    const log = (await (await second.request('/v1/events?limit=1000')).json()) as {
      events: { type: string; stream: string }[];
    };
    expect(log.events.filter(({ stream }) => stream === `briefing-${id}`).map(({ type }) => type)).toEqual([
      ...['BriefingRequested', 'BriefingStarted', 'BriefingGathered', 'BriefingModelAsked', 'BriefingInterrupted'],
      ...['BriefingStarted', 'BriefingModelAsked', 'BriefingModelAnswered', 'BriefingWritten'],
    ]);
    expect((await generated(second, { writer: 'computed' })).facts.period.previous).toBe(id);
  } finally {
    await second.kill('SIGTERM');
    await provider.close();
  }
});

describe('a scheduled briefing', () => {
  it('is made at its time; one that was missed is made up for once, and says how late it is', async () => {
    const clock = movableClock();
    const home = temporaryFolder('home');
    const settings = { enabled: true, timezone: 'UTC', sections: ['goals'], time: '00:00' };
    const start = () => testDaemon({ home, clock: clock.clock });
    const first = await start();
    const toMidnight = 24 * HOUR - (clock.clock.now() % (24 * HOUR));
    await put(first, '/briefing/settings', settings);
    // The daemon is away at midnight, and comes back hours later.
    await first.stop();
    clock.advance(toMidnight + 3 * HOUR);
    const second = await start();
    const [late] = await until(async () => {
      const { history } = await overview(second);
      return history.length > 0 ? history : undefined;
    });
    const due = clock.clock.now() - (clock.clock.now() % (24 * HOUR));
    expect(late).toMatchObject({ trigger: 'scheduled', scheduled_for: due, status: 'written' });
    expect((await detail(second, late!.id)).facts.late_minutes).toBe(180);
    expect(late!.markdown).toContain('3 h 0 min late');
    expect((await overview(second)).routine.next_run_at).toBe(due + 24 * HOUR);
    // The clock is set back to before the time, which has its briefing.
    clock.advance(-4 * HOUR);
    expect((await overview(second)).routine.next_run_at).toBe(due + 24 * HOUR);
    clock.advance(4 * HOUR);
    // The next day, just before and then just after the time.
    clock.advance(24 * HOUR - 3 * HOUR - 300);
    await put(second, '/briefing/settings', { keep: 29 });
    clock.advance(1_000);
    const both = await until(async () => {
      const { history } = await overview(second);
      return history.length > 1 ? history : undefined;
    });
    expect(both.map(({ scheduled_for }) => scheduled_for)).toEqual([due + 24 * HOUR, due]);
    const actors = (await (await second.request('/v1/events?type=BriefingRequested')).json()) as {
      events: { actor: string }[];
    };
    expect(actors.events.map(({ actor }) => actor)).toEqual(['system', 'system']);
    await second.stop();
  });
});

it('a briefing does not hold up an orderly stop, and is continued after the start', async () => {
  const { provider, ...options } = await withProvider();
  provider.script(silence);
  const first = await testDaemon(options);
  const { id } = await requested(first);
  await until(async () => (provider.requests.length > 0 ? true : undefined));
  await first.stop();
  provider.script(says('Good morning.'));
  const second = await testDaemon(options);
  await until(async () => ((await overview(second)).running ? undefined : true));
  expect(await detail(second, id)).toMatchObject({ status: 'written', markdown: GOOD_MORNING });
  await second.stop();
  await provider.close();
});

it('one whose model ends the process each time becomes what the facts alone make, and the next may begin', async () => {
  const { provider, ...options } = await withProvider();
  provider.script(silence, silence, silence);
  let daemon = await testDaemon(options);
  const { id } = await requested(daemon);
  for (let starts = 1; starts <= 3; starts += 1) {
    await until(async () => (provider.requests.length >= starts ? true : undefined));
    await daemon.stop();
    daemon = await testDaemon(options);
  }
  const made = await detail(daemon, id);
  expect(made).toMatchObject({ status: 'written', notes: [expect.stringContaining('cut off 3 times')], error: null });
  expect(made.markdown).toBe(made.computed_markdown);
  expect(provider.requests).toHaveLength(3);
  expect((await generated(daemon, { writer: 'computed' })).facts.period.previous).toBe(id);
  await daemon.stop();
  await provider.close();
});
