/**
 * The part of a model in a briefing, over the real wire format: it may rephrase facts, and nothing it invents is kept.
 */
import { describe, expect, it } from 'vitest';
import { callsTool, refuses, says, silence } from '../fakes/providers/server.ts';
import { answer, ended, waiting } from '../run/approval-support.ts';
import { benchHere, sharedBench } from '../run/support.ts';
import { until } from '../support/until.ts';
import { type Detail, detail, generated, overview, post, put } from './support.ts';

const on = sharedBench();

async function log(query = ''): Promise<readonly { type: string; data: Record<string, unknown> }[]> {
  const response = await on.daemon.request(`/v1/events?limit=1000${query}`);
  return ((await response.json()) as { events: never[] }).events;
}

/** A briefing about one new goal: one of these sections begins where the one before ended. */
async function briefed(title: string, settings: object = {}): Promise<Detail> {
  expect((await post(on.daemon, '/v1/goals', { title })).status).toBe(201);
  return generated(on.daemon, { sections: ['goals'], ...settings });
}

describe('a briefing that a model writes', () => {
  it('refers to the facts, which the daemon fills in; what it says of its own is dropped; the call is recorded', async () => {
    const said = '{goals_touched} goal was touched: {goal_1} ({goal_1_id}). It cost 4000 dollars. Have a good day.';
    on.provider.script(says(`# Good morning\n\n${said}`));
    const made = await briefed('Ship it', { language: 'en-GB', length: 'short' });
    expect(made).toMatchObject({
      status: 'written',
      headline: '1 goal touched; nothing needs you.',
      markdown: expect.stringMatching(
        /^1 goal touched; nothing needs you\.\n\n# Good morning\n\n1 goal was touched: “Ship it” \(`[0-9a-f]{32}`\)\. Have a good day\.\n$/,
      ),
      writer: { kind: 'model', provider: 'openai', model: 'fake-model' },
      dropped: ['It cost 4000 dollars.'],
      notes: [expect.stringContaining('1 sentence')],
    });
    expect(made.computed_markdown).toContain('Ship it: created');
    const { body } = on.provider.requests[0]!;
    const sent = JSON.stringify(body);
    expect(sent).toContain('code en-GB, at most 90 words');
    expect(sent).toContain('{goal_1} = “Ship it” (goal, active, created)');
    expect(body.tools).toBeUndefined();
    const recorded = await log();
    const of = (type: string) => recorded.find((event) => event.type === type)?.data;
    expect(of('BriefingModelAsked')).toEqual({
      ...{ call: 1, provider: 'openai', model: 'fake-model', request_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(of('BriefingModelAnswered')).toMatchObject({ call: 1, finish_reason: 'stop' });
    expect(JSON.stringify(of('BriefingModelAnswered'))).toContain('4000 dollars');
    expect(JSON.stringify(recorded)).not.toContain('sk-fake');
  });
  it('has no number of a title, no number words and no quantifiers of the model', async () => {
    await post(on.daemon, '/v1/goals', { title: '555 jobs failed' });
    const made_up = [
      'Forty-one jobs failed.',
      '555 jobs failed.',
      'No jobs failed.',
      'All jobs failed.',
      'A dozen jobs failed.',
    ];
    const fine = ['Good morning.', 'The goal {goal_1} is new.', 'Look at it.', 'It can wait.', 'Have a good day.'];
    on.provider.script(says([...fine, ...made_up].join(' ')));
    const made = await generated(on.daemon, { sections: ['goals'] });
    expect(made.markdown).toBe(
      `${made.headline}\n\nGood morning. The goal “555 jobs failed” is new. Look at it. It can wait. Have a good day.\n`,
    );
    expect(made.dropped).toEqual(made_up);
  });
  it('is the computed one, and no model is asked, in a language whose numbers cannot be checked', async () => {
    const made = await briefed('Sell it', { language: 'fi' });
    expect([made.writer.kind, made.markdown, on.provider.requests.length]).toEqual([
      'computed',
      made.computed_markdown,
      0,
    ]);
    expect(made.notes[0]).toBe('Numbers cannot be checked in the language fi: no model was asked.');
  });
  it('is the computed one when the model makes most of it up', async () => {
    on.provider.script(says('You have 17 runs. 18 of them failed. Good morning.'));
    const made = await briefed('Read it');
    expect(made.markdown).toBe(made.computed_markdown);
    expect([made.writer.kind, made.dropped.length, made.notes]).toEqual([
      'computed',
      2,
      [expect.stringContaining('does not keep to the facts')],
    ]);
  });
  it('is the computed one when the provider refuses, and says why', async () => {
    on.provider.script({ kind: 'refuse', status: 401, message: 'no such key' });
    const made = await briefed('Mend it', { language: 'de' });
    expect(made.markdown).toBe(made.computed_markdown);
    expect(made.notes).toEqual([
      expect.stringContaining('The model could not write it:'),
      'A text without a model is in English.',
    ]);
    expect((await overview(on.daemon)).last_error).toBeNull();
    expect((await log(`&stream=briefing-${made.id}`)).map(({ type }) => type)).toContain('BriefingModelFailed');
  });
  it('asks again after a failure that may pass by', async () => {
    on.provider.script({ kind: 'refuse', status: 503, message: 'busy', headers: { 'retry-after': '0' } });
    on.provider.script(says('{goals_touched} goal was touched.'));
    const made = await briefed('Show it');
    expect([made.writer.kind, made.markdown, on.provider.requests.length]).toEqual([
      'model',
      '1 goal touched; nothing needs you.\n\n1 goal was touched.\n',
      2,
    ]);
  });
  it('asks no model when none is wanted, and the daemon’s own when the one that was named cannot be used', async () => {
    expect((await briefed('Hold it', { writer: 'computed' })).writer.kind).toBe('computed');
    expect(on.provider.requests).toHaveLength(0);
    on.provider.script(says('Good morning.'));
    const made = await generated(on.daemon, { provider: 'anthropic', model: 'claude-x', sections: ['goals'] });
    expect([made.writer, made.notes]).toEqual([
      { kind: 'model', provider: 'openai', model: 'fake-model' },
      ['anthropic/claude-x cannot be used here.'],
    ]);
  });
});

describe('while one is being made', () => {
  it('a second is refused with its id, the overview shows it at both places, and settings may change', async () => {
    const { daemon, provider } = await benchHere();
    provider.script(silence);
    const first = (await (await post(daemon, '/briefing/generate', {})).json()) as { id: string };
    await until(() => provider.requests.length > 0);
    const response = await post(daemon, '/briefing/generate', {});
    const refused = { error: `A briefing is being made: ${first.id}.`, id: first.id };
    expect([response.status, await response.json()]).toEqual([409, refused]);
    const keyed = () => post(daemon, '/briefing/generate', {}, { 'idempotency-key': 'k' });
    expect(await (await keyed()).json()).toEqual(refused);
    expect(await overview(daemon)).toMatchObject({
      running: true,
      last_error: null,
      history: [],
      routine: { running: true, current: { id: first.id, stage: 'writing' } },
    });
    expect((await detail(daemon, first.id)).status).toBe('running');
    expect((await put(daemon, '/briefing/settings', { keep: 9 })).status).toBe(200);
  });
});

it('says what waits for a person and what failed overnight, with the ids to act on', async () => {
  const on = await benchHere();
  on.provider.script(refuses(401, 'no such key'));
  const failed = await on.start({ task: 'deploy the shop' });
  await on.events(failed);
  on.provider.script(callsTool({ name: 'bash', input: { command: 'rm -rf build' } }));
  const asking = await on.start({ task: 'clean up', approval: 'suggest', interactive: true });
  const waits = await waiting(on, asking);
  const made = await generated(on.daemon, { writer: 'computed' });
  expect(made.facts).toMatchObject({
    runs: { failed: 1, running: 1, items: [{ session_id: failed, status: 'failed', task: 'deploy the shop' }] },
    approvals: { asked: 1, expired: 0, items: [{ id: waits.id, session_id: asking, tool_name: 'bash' }] },
    attention: {
      items: [
        { kind: 'approval_waiting', ref: waits.id },
        { kind: 'run_failed', ref: failed },
      ],
    },
  });
  expect(made.headline).toBe('1 run failed, 1 approval waiting; 2 things need you.');
  expect(made.markdown).toContain(`answer it as \`${waits.id}\``);
  await answer(on, waits.id, { decision: 'deny' });
  await ended(on, asking);
  const after = await generated(on.daemon, { writer: 'computed' });
  expect(after.facts.approvals).toMatchObject({ asked: 0, allowed: 0, denied: 1, items: [] });
});

it('holds the question of a poller until the briefing is there; a model that stalls is asked again', async () => {
  const { daemon, provider } = await benchHere('openai', { DAYBOOK_MODEL_STALL_SECONDS: '0.4' });
  provider.script(silence, () => says('Good morning.'));
  await post(daemon, '/briefing/generate', {});
  await until(() => provider.requests.length > 0);
  expect(await overview(daemon, '?wait=20000')).toMatchObject({
    running: false,
    history: [{ markdown: 'Nothing has happened; nothing needs you.\n\nGood morning.\n' }],
  });
});
