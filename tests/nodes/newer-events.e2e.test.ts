/**
 * Events of a newer Daybook in the log: everything that depends on them is refused with an error, and the rest works.
 */
import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/integrations/system.ts';
import type { Json } from '../../src/storage/event-log.ts';
import { daemonHere, type TestDaemon } from '../support/daemon.ts';

async function daemon(): Promise<TestDaemon> {
  const made = await daemonHere({ flags: { ephemeral: true } });
  return made;
}

function append({ log }: TestDaemon, stream: string, event: { type: string; schema: number; data: Json }) {
  const meta = { id: systemIds.uuid(), at: 1, actor: 'owner', correlation: null, causation: null };
  return log.append([{ stream, expectedVersion: 'any', events: [{ ...meta, ...event }] }]);
}

async function ask({ app, token }: TestDaemon, url: string, body?: object) {
  const headers = { host: 'localhost', authorization: `Bearer ${token}` };
  const answer = await app.inject({ method: body === undefined ? 'GET' : 'POST', url, headers, ...(body && { body }) });
  return { status: answer.statusCode, body: answer.body, retryAfter: answer.headers['retry-after'] };
}

const CASES = [
  [
    'a version that is not known',
    { type: 'GoalCreated', schema: 99, data: { title: 'Later' } },
    'GoalCreated, schema 99',
  ],
  ['a type that is not known', { type: 'GoalDreamt', schema: 1, data: {} }, 'GoalDreamt, schema 1'],
] as const;

describe.each(CASES)('an event of %s', (_, event, what) => {
  it('stops the reads of its resource, with a sentence; the others, and the log, go on', async () => {
    const made = await daemon();
    expect((await ask(made, '/v1/goals', { title: 'Before' })).status).toBe(201);
    expect((await ask(made, '/memory/add', { content: 'Before' })).status).toBe(201);
    const { position } = made.log.head();
    await append(made, 'goal-later', event);
    const error =
      `This daemon is too old for a part of the log: a newer one wrote ${what}, at position ${position + 1}. ` +
      'Upgrade it; other daemons may answer.';
    const goals = await ask(made, '/v1/goals');
    expect([goals.status, JSON.parse(goals.body), goals.retryAfter]).toEqual([503, { error }, '60']);
    expect((await ask(made, '/jobs')).status).toBe(200);
    expect((await ask(made, '/api/tasks')).status).toBe(200);
    const health = JSON.parse((await ask(made, '/health')).body);
    expect([health.status, health.views.unavailable, health.views.position]).toEqual(['degraded', error, position + 1]);
    expect(health.memory.total_memories).toBe(1);
    expect((await ask(made, '/v1/events')).body).toContain(event.type);
    expect(made.lines.filter((line) => line.includes(event.type))).toHaveLength(1);
  });

  it('refuses commands on its stream, and appends nothing for them', async () => {
    const made = await daemon();
    await append(made, 'run-later', { ...event, type: event.schema === 99 ? 'RunRequested' : event.type });
    const { position } = made.log.head();
    const cancel = await ask(made, '/jobs/later/cancel', {});
    expect([cancel.status, JSON.parse(cancel.body).error]).toEqual([503, expect.stringContaining('too old')]);
    expect(made.log.head().position).toBe(position);
  });
});

/** Settings of several resources are in streams of one category: the stream, and a read of its resource. */
const SETTINGS = [
  ['approval-policy', '/v1/approval-policy'],
  ['briefing', '/briefing'],
  ['harness', '/harness/profiles'],
  ['memory', '/memory/list'],
  ['office', '/office/soffice'],
  ['voice', '/voice/settings'],
] as const;

it('an unknown event of the settings of a resource stops its reads, and those of nothing else', async () => {
  const made = await daemon();
  const stopped = new Set<string>();
  for (const [id] of SETTINGS) {
    await append(made, `settings-${id}`, { type: 'SettingDreamt', schema: 1, data: {} });
    stopped.add(id);
    for (const [other, url] of SETTINGS) {
      expect([other, (await ask(made, url)).status]).toEqual([other, stopped.has(other) ? 503 : 200]);
    }
    expect((await ask(made, '/health')).status).toBe(200);
  }
});

it('an unknown event of the witnesses of the log leaves /health', async () => {
  const made = await daemon();
  await append(made, 'settings-log-witnesses', { type: 'WitnessDreamt', schema: 1, data: {} });
  expect((await ask(made, '/v1/log/witnesses')).status).toBe(503);
  const health = await ask(made, '/health');
  expect([health.status, JSON.parse(health.body).checkpoints.witnesses.needed]).toEqual([200, 0]);
});

it('an event of an older version that another daemon appended is folded as its upcast', async () => {
  const made = await daemon();
  const { session_id } = JSON.parse((await ask(made, '/agent', { task: 'Say hello.' })).body);
  await expect.poll(async () => JSON.parse((await ask(made, `/jobs/${session_id}`)).body).status).toBe('complete');
  const [requested] = made.log.readStream(`run-${session_id}`);
  const { continuations_max: _, ...older } = requested!.data as Record<string, Json>;
  await append(made, 'run-older', { type: 'RunRequested', schema: 1, data: older });
  const job = JSON.parse((await ask(made, '/jobs/older')).body);
  expect([job.session_id, job.task]).toEqual(['older', 'Say hello.']);
});

it('an event of a category that nobody here knows stops nothing', async () => {
  const made = await daemon();
  await append(made, 'bookmark-1', { type: 'BookmarkAdded', schema: 1, data: {} });
  expect((await ask(made, '/v1/goals')).status).toBe(200);
  expect(JSON.parse((await ask(made, '/health')).body).status).toBe('ok');
});
