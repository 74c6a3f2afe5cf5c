/** The briefing routes on a real daemon: settings, the content of a briefing, and that its numbers can be verified. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zBriefingSettings } from '../../src/events/briefing/events.ts';
import type { Envelope } from '../../src/events/envelope.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import { goals } from '../../src/projections/goal.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { approvals } from '../../src/projections/run/approvals.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews } from '../../src/projections/views.ts';
import { deliveries } from '../../src/projections/webhook.ts';
import { foldActivity, noActivity } from '../../src/queries/briefing/activity.ts';
import { factsOf } from '../../src/queries/briefing/facts.ts';
import type { Json, RecordedEvent } from '../../src/storage/event-log.ts';
import { daemonHere, sharedDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Detail, detail, generated, overview, post, put } from './support.ts';

const daemon = sharedDaemon();

async function events(of: Pick<TestDaemon, 'request'>, query = ''): Promise<readonly Envelope[]> {
  const response = await of.request(`/v1/events?limit=5000${query}`);
  return ((await response.json()) as { events: Envelope[] }).events;
}

async function made<Value>(response: Response): Promise<Value> {
  expect(response.ok).toBe(true);
  return (await response.json()) as Value;
}

describe('GET /briefing', () => {
  it('answers before there is anything: defaults, no history, nothing running', async () => {
    expect(await overview(daemon)).toEqual({
      settings: {
        ...{ enabled: false, time: '07:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], timezone: null },
        sections: [
          ...['runs', 'approvals', 'goals', 'engagements', 'reviews', 'repositories', 'memory', 'index', 'storage'],
        ],
        ...{ writer: 'model', provider: null, model: null, language: 'en', length: 'medium', workspace: null },
        ...{ repositories: [], hours: null, keep: 30 },
      },
      history: [],
      routine: {
        ...{ enabled: false, running: false, current: null, last_error: null, last_run_at: null, next_run_at: null },
      },
      running: false,
      last_error: null,
    });
  });
  it('knows no briefing by a wrong id, and no wrong query', async () => {
    const response = await daemon.request('/briefing/no<such>');
    expect([response.status, await response.json()]).toEqual([404, { error: "Briefing 'nosuch' not found" }]);
    for (const query of ['limit=-1', 'limit=x', 'wait=20001', 'wait=x']) {
      expect((await daemon.request(`/briefing?${query}`)).status).toBe(400);
    }
  });
});

describe('PUT /briefing/settings', () => {
  it('keeps what is named, as an event, and leaves the rest', async () => {
    const response = await put(daemon, '/briefing/settings', { time: '06:45', keep: 2 });
    expect(await made(response)).toMatchObject({ time: '06:45', keep: 2, enabled: false, length: 'medium' });
    await put(daemon, '/briefing/settings', { time: '06:45' });
    const recorded = await events(daemon, '&stream=settings-briefing');
    expect(recorded.map(({ type, data }) => [type, data])).toEqual([
      ['BriefingSettingsChanged', { changes: { keep: 2, time: '06:45' } }],
    ]);
    expect((await overview(daemon)).settings).toMatchObject({ time: '06:45', keep: 2 });
  });
  it('takes the settings that it answered as no change, and makes a briefing with them', async () => {
    const { settings } = await overview(daemon);
    const before = await events(daemon, '&stream=settings-briefing');
    expect(await made(await put(daemon, '/briefing/settings', settings))).toEqual(settings);
    expect(await events(daemon, '&stream=settings-briefing')).toEqual(before);
    expect((await generated(daemon, { ...settings, sections: ['goals'] })).settings).toEqual({
      ...settings,
      sections: ['goals'],
    });
  });
  it('says when the next one is due, while it is on', async () => {
    const on = { enabled: true, timezone: 'Pacific/Kiritimati', time: '00:00' };
    expect((await put(daemon, '/briefing/settings', on)).status).toBe(200);
    const { routine } = await overview(daemon);
    const next = new Date(routine.next_run_at as number).toISOString();
    expect([routine.enabled, next.slice(11)]).toEqual([true, '10:00:00.000Z']);
    await put(daemon, '/briefing/settings', { enabled: false, timezone: null });
    expect((await overview(daemon)).routine).toMatchObject({ enabled: false, next_run_at: null });
  });
  it.each([
    [{ enabled: 'yes' }, /enabled/],
    [{ time: '7:00' }, /time must be HH:MM/],
    [{ time: 700 }, /time/],
    [{ days: ['monday'] }, /days.*must be one of mon/],
    [{ days: [] }, /at least one day/],
    [{ timezone: 'Europe/Atlantis' }, /IANA/],
    [{ sections: ['weather'] }, /must be one of runs/],
    [{ writer: 'me' }, /must be one of model, computed/],
    [{ provider: 'openai' }, /together/],
    [{ provider: 'openai', model: '' }, /together/],
    [{ language: 'not a language' }, /language code/],
    [{ length: 'endless' }, /must be one of short/],
    [{ workspace: 'src' }, /absolute/],
    [{ repositories: ['.'] }, /absolute/],
    [{ keep: 0 }, /keep/],
    [{ keep: 366 }, /from 1 to 365/],
    [{ hours: 0 }, /hours/],
    [{ colour: 'red' }, /unknown field colour/],
    [[], /must be an object/],
  ])('refuses %j and changes nothing; so does a run with it', async (body, message) => {
    const before = await overview(daemon);
    for (const response of [
      await put(daemon, '/briefing/settings', body),
      await post(daemon, '/briefing/generate', body),
    ]) {
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        400,
        expect.stringMatching(message),
      ]);
    }
    expect(await overview(daemon)).toEqual(before);
  });
});

/** A night: a run, goals, an engagement with a failed gate, memory, and commits in the workspace. */
async function night(
  on: TestDaemon,
): Promise<{ readonly run: string; readonly goal: string; readonly engagement: string }> {
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', on.workspace, '-c', 'user.name=A', '-c', 'user.email=a@example.test', ...words]);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('commit', '-q', '--allow-empty', '-m', 'second');
  git('tag', 'v1.0.0');
  const task = { task: 'look around', approval: 'full-auto' };
  const { session_id: run } = await made<{ session_id: string }>(await post(on, '/agent', task));
  await (await on.request(`/stream/${run}`)).text();
  const { id: goal } = await made<{ id: string }>(await post(on, '/v1/goals', { title: 'Ship it' }));
  await post(on, `/v1/goals/${goal}/link`, { kind: 'note', target_id: 'n1' });
  const opened = await post(on, '/engagements', { name: 'Atlas', client: 'Acme' });
  const { id: engagement } = (await made<{ engagement: { id: string } }>(opened)).engagement;
  const listed = await on.request(`/engagements/${engagement}/gates`);
  const { gates } = await made<{ gates: { id: string }[] }>(listed);
  const verdict = { verdict: 'fail', observed: '9 s', rationale: 'too slow' };
  expect((await post(on, `/engagements/${engagement}/gates/${gates[0]!.id}/judge`, verdict)).ok).toBe(true);
  for (const object of ['SECRETONE', 'SECRETTWO']) {
    await post(on, '/memory/fact', { subject: 'deploys', predicate: 'run on', object });
  }
  return { run, goal, engagement };
}

describe('a briefing', () => {
  it('names each fact with its event, and begins where the last briefing ended', async () => {
    const on = await daemonHere();
    const { run, goal, engagement } = await night(on);
    const first = await generated(on);
    expect(first).toMatchObject({
      status: 'written',
      trigger: 'asked',
      error: null,
      writer: { kind: 'computed', provider: null, model: null },
      notes: [expect.stringContaining('No language model is configured')],
      facts: {
        runs: { complete: 1, items: [{ session_id: run, status: 'complete', task: 'look around' }] },
        goals: { active: 1, items: [{ id: goal, title: 'Ship it', changes: ['created', 'linked'], links: 1 }] },
        engagements: { items: [{ id: engagement, name: 'Atlas', client: 'Acme', gates_failed: 1 }] },
        memory: { facts_added: 2, facts_closed: 1 },
        repositories: [{ path: on.workspace, commits: 2, authors: 1, tags: ['v1.0.0'], error: null }],
        storage: { backend: 'cow', failure: null },
        attention: { items: [{ kind: 'gate_failed', ref: engagement }] },
        period: { from_position: 1, previous: null, is_cut: false },
      },
    });
    expect(first.markdown).toBe(first.computed_markdown);
    expect(first.headline).toBe(
      '1 run complete, 1 goal touched, 1 engagement moved, 2 commits, memory changed; 1 thing needs you.',
    );
    expect(JSON.stringify(first)).not.toContain('SECRET');

    // Every position is of an event of that thing, inside the period; the hash is the log's own.
    const recorded = new Map((await events(on)).map((event) => [event.position, event]));
    const { facts } = first;
    const rests = [
      ...facts.runs!.items.map(({ session_id, position }) => [`run-${session_id}`, position] as const),
      ...facts.goals!.items.map(({ id, position }) => [`goal-${id}`, position] as const),
      ...facts.engagements!.items.map(({ id, position }) => [`engagement-${id}`, position] as const),
    ];
    for (const [stream, position] of rests) expect(recorded.get(position)?.stream).toBe(stream);
    const { to_position, tree_hash } = facts.period;
    const proof = await on.request(`/v1/log/consistency?from=${to_position}`);
    expect(((await proof.json()) as { from_hash: string }).from_hash).toBe(tree_hash);

    const second = await generated(on);
    const { period, runs, goals: touched } = second.facts;
    expect([period.from_position, period.previous]).toEqual([to_position + 1, first.id]);
    expect([runs?.complete, touched?.items]).toEqual([0, []]);
    expect(second.headline).toBe('Nothing has happened; nothing needs you.');
    const again = await generated(on, { hours: 24, sections: ['goals'], length: 'short' });
    expect(again.facts.goals?.items).toHaveLength(1);
    expect(again.settings).toMatchObject({ hours: 24, sections: ['goals'], length: 'short' });
    expect((await overview(on)).settings).toMatchObject({ hours: null, length: 'medium' });
  });

  it('is made again from the log alone, up to its position, and survives a rebuild of the views', async () => {
    const on = await daemonHere();
    const { goal } = await night(on);
    const first = await generated(on);
    // Later events do not change the facts of an earlier briefing.
    expect((await on.request(`/v1/goals/${goal}`, { method: 'DELETE' })).ok).toBe(true);
    await post(on, '/v1/goals', { title: 'Another' });
    expect(madeAgain(await events(on), first)).toEqual(first.facts);
    const before = await overview(on);
    await post(on, '/v1/views/rebuild', {});
    expect(await overview(on)).toEqual(before);
    expect(await detail(on, first.id)).toEqual(first);
  });

  it('leaves the history when there are more than are kept; the log has all of them', async () => {
    const on = await daemonHere();
    await put(on, '/briefing/settings', { keep: 2, sections: ['goals'] });
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await generated(on)).id);
    expect((await overview(on)).history.map(({ id }) => id)).toEqual(ids.slice(1).reverse());
    expect((await overview(on, '?limit=1')).history).toHaveLength(1);
    expect(await events(on, '&type=BriefingWritten')).toHaveLength(3);
    await put(on, '/briefing/settings', { keep: 3 });
    expect((await overview(on)).history).toHaveLength(3);
  });

  it('is one, however often the request with one key is sent', async () => {
    const body = { sections: ['goals'] };
    const send = () => post(daemon, '/briefing/generate', body, { 'idempotency-key': 'morning-1' });
    const [first, second] = await Promise.all([send(), send()]);
    const answer = await first.json();
    expect(answer).toMatchObject({ running: true });
    expect(await second.json()).toEqual(answer);
    while ((await overview(daemon, '?limit=0&wait=20000')).running);
    expect(await (await send()).json()).toEqual(answer);
    const requested = await events(daemon, '&type=BriefingRequested');
    expect(requested.filter(({ stream }) => stream === `briefing-${(answer as { id: string }).id}`)).toHaveLength(1);
    expect((await post(daemon, '/briefing/generate', {}, { 'idempotency-key': 'morning-1' })).status).toBe(409);
  });

  it('names an index that has no model', async () => {
    const on = await daemonHere({ env: { DAYBOOK_EMBEDDING_PROVIDER: 'nope' } });
    const { facts } = await generated(on);
    expect(facts.index).toMatchObject({ provider: null, chunks: null, error: expect.stringContaining('nope') });
    expect(facts.attention.items).toMatchObject([{ kind: 'index', text: expect.stringContaining('has no model') }]);
  });

  it('names the repositories that could not be read, and reads none that holds credentials', async () => {
    const folder = temporaryFolder('no-repository');
    const secrets = join(folder, '.ssh');
    mkdirSync(secrets);
    const repositories = [folder, secrets];
    const { facts, markdown } = await generated(daemon, { repositories, sections: ['repositories'] });
    expect(facts.repositories?.map(({ path, error }) => [path, error !== null])).toEqual([
      [folder, true],
      [secrets, true],
    ]);
    expect(facts.repositories?.[1]?.error).toContain('credentials');
    expect(facts.attention.items.map(({ kind }) => kind)).toEqual(['repository', 'repository']);
    expect(markdown).toContain('Needs you');
  });
});

/** A served event as the log holds it. */
function recordedEvent({ leaf_hash, data, erased, ...rest }: Envelope): RecordedEvent {
  return { ...rest, data: data as Json, leafHash: leaf_hash, ...(erased === true && { erased }) };
}

/** The facts again: views and activity from the events up to the position; the recorded observations are given. */
function madeAgain(all: readonly Envelope[], { facts, settings }: Detail): unknown {
  const { period, timezone, scheduled_for, late_minutes, storage, repositories = [], index } = facts;
  const views = openViews(null);
  const projections = [jobs, approvals, deliveries, engagements, goals, memory];
  for (const projection of projections) views.exec(projection.create);
  const activity = noActivity();
  for (const event of all.map(recordedEvent).filter(({ position }) => position <= period.to_position)) {
    for (const projection of projections) projection.on[event.type]?.(views, event);
    if (event.position >= period.from_position) foldActivity(activity, event);
  }
  return factsOf({
    activity,
    views,
    settings: zBriefingSettings.parse(settings),
    observations: { storage: storage!, repositories, index: index! },
    frame: { period, timezone, scheduled_for, late_minutes },
  });
}
