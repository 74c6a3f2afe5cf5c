/** The test daemon: with its own clock and model, killed and restarted. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelRun, scriptedModel, startTestDaemon, step, testClock } from '../../src/testing/testing.ts';

interface Started {
  readonly session_id: string;
}

function exampleEvent(at: number) {
  const id = '01900000-0000-7000-8000-000000000001';
  return { id, type: 'Example', schema: 1, at, actor: 'owner', correlation: null, causation: null, data: {} };
}

describe('time', () => {
  it('is the clock’s: in events, ids and answers', async () => {
    await using daemon = await startTestDaemon({ clock: testClock('2031-05-06T07:08:09Z') });
    await daemon.json('POST', '/api/tasks', { title: 'First' });
    await daemon.clock.advance('1 h');
    await daemon.json('POST', '/api/tasks', { title: 'Second' });
    const times = [...daemon.log.readAll()].map(({ at }) => new Date(at).toISOString());
    expect(times).toEqual(['2031-05-06T07:08:09.000Z', '2031-05-06T08:08:09.000Z']);
    const [, second] = daemon.log.readAll();
    expect(Number.parseInt(second!.id.replaceAll('-', '').slice(0, 12), 16)).toBe(second!.at);
  });

  it('fires the timer of the briefing', async () => {
    await using daemon = await startTestDaemon({ clock: testClock('2031-05-06T03:00:00Z') });
    await daemon.json('PUT', '/briefing/settings', { enabled: true, time: '07:00', timezone: 'UTC' });
    await daemon.clock.advance('3 h');
    expect([...daemon.log.readAll()].map(({ type }) => type)).not.toContain('BriefingRequested');
    await daemon.clock.advance('61 min');
    const { at } = await daemon.event('BriefingRequested');
    expect(new Date(at).toISOString()).toBe('2031-05-06T07:00:00.000Z');
    await daemon.event('BriefingWritten');
  });

  it('fires retries, and lets slow tokens come', async () => {
    const models = scriptedModel([
      { error: 'transient', message: 'busy', status: 529, retryAfter: '40 s' },
      { text: ['One, ', 'two.'], every: '10 s' },
    ]);
    await using daemon = await startTestDaemon({ models });
    await daemon.json<Started>('POST', '/agent', { task: 'Count' });
    await daemon.event('ModelCallFailed');
    await daemon.clock.advance('39 s');
    expect(models.requests).toHaveLength(1);
    await daemon.clock.advance('30 s');
    await daemon.event('RunCompleted');
    const from = daemon.clock.now() - 69_000;
    const seconds = [...daemon.log.readAll()]
      .filter(({ type }) => ['BackoffEnded', 'ModelFramesReceived', 'RunCompleted'].includes(type))
      .map(({ type, at }) => [type, (at - from) / 1_000]);
    expect(seconds).toEqual([
      ['BackoffEnded', 40],
      ['ModelFramesReceived', 50],
      ['ModelFramesReceived', 60],
      ['RunCompleted', 60],
    ]);
  });

  it('fires the expiry of an approval, and gives up a silent model', async () => {
    const models = scriptedModel([
      { text: 'I run it.', tools: [{ name: 'bash', input: { command: 'true' } }] },
      { silence: true },
      'Done.',
    ]);
    await using daemon = await startTestDaemon({ models, settings: { approval: 'auto-edit' } });
    await daemon.json<Started>('POST', '/agent', { task: 'Run it', interactive: true });
    const { at } = await daemon.event('ApprovalRequested');
    await daemon.clock.advance('10 min');
    const expired = await daemon.event('ApprovalExpired');
    expect(expired.at - at).toBe(600_000);
    await daemon.clock.advance('3 min');
    await daemon.event('RunCompleted');
    expect([...daemon.log.readAll()].some(({ data }) => JSON.stringify(data).includes('sent nothing for 120'))).toBe(
      true,
    );
    expect(models.left).toBe(0);
  });
});

describe('the model', () => {
  it('calls tools, and says what the script says', async () => {
    const models = scriptedModel([{ tools: [{ name: 'write_file', input: { path: 'a.txt', content: 'hello' } }] }]);
    models.add(({ messages }) => `The tool said: ${messages.at(-1)?.role}`);
    await using daemon = await startTestDaemon({ models, settings: { approval: 'full-auto' } });
    await daemon.json<Started>('POST', '/agent', { task: 'Write' });
    const { data } = await daemon.event('RunCompleted');
    expect(data).toEqual({ summary: 'The tool said: tool' });
    expect(readFileSync(join(daemon.workspace, 'a.txt'), 'utf8')).toBe('hello');
  });

  it('fails for good beyond its script, and says so', async () => {
    await using daemon = await startTestDaemon();
    await daemon.json<Started>('POST', '/agent', { task: 'Anything' });
    const { data } = await daemon.event('RunFailed');
    expect(JSON.stringify(data)).toContain('The script has no answer for call 1.');
  });
});

describe.each(['cow', 'lsm', 'embedded_kv'] as const)('a kill on %s', (backend) => {
  it('keeps what was answered, loses nothing else it told, and the next start goes on', async () => {
    await using daemon = await startTestDaemon({ backend, models: scriptedModel([{ silence: true }, 'Again.']) });
    const { url, token } = daemon;
    await daemon.json('POST', '/api/tasks', { title: 'Kept' });
    const { session_id } = await daemon.json<Started>('POST', '/agent', { task: 'Wait' });
    await daemon.event('ModelAsked');
    const before = daemon.log.head();
    await daemon.kill();
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    expect(() => daemon.log).toThrow('is not running');
    expect(daemon.token).toBe(token);
    await daemon.restart();
    expect([daemon.url, daemon.token === token]).toEqual([url, false]);
    expect(daemon.log.treeHash(before.position)).toBe(before.treeHash);
    await daemon.event('RunCompleted');
    expect([...daemon.log.readStream(`run-${session_id}`)].map(({ type }) => type)).toContain('ModelCallInterrupted');
  });
});

it('a step of a model run may use the typed client: a call that is cut off counts as unanswered', async () => {
  let cutOff = 0;
  const add = step<Set<string>, string>({
    name: 'Add',
    input: fc.constantFrom('a', 'b'),
    async run(titles, daemon, title) {
      await daemon.client.tasks.create({ title });
      titles.add(title);
    },
    async unanswered(titles, daemon) {
      cutOff += 1;
      for (const { title } of await daemon.client.tasks.list()) titles.add(title);
    },
  });
  await modelRun({ model: () => new Set<string>(), steps: [add], crashes: false, runs: 2, stepsMax: 8, seed: 1 });
  expect(cutOff).toBeGreaterThan(0);
});

it('the typed client goes on after a restart', async () => {
  await using daemon = await startTestDaemon();
  await daemon.json('POST', '/api/tasks', { title: 'Kept' });
  await daemon.kill();
  await daemon.restart();
  expect(await daemon.client.log.head()).toMatchObject({ position: 1 });
});

describe('a kill', () => {
  it('takes back what was not synced', async () => {
    await using daemon = await startTestDaemon();
    await daemon.json('POST', '/api/tasks', { title: 'Synced' });
    // Not awaited: its commit is on the way to the disk.
    const late = daemon.json('POST', '/api/tasks', { title: 'On the way' }).catch(() => undefined);
    const appending = daemon.log.append([
      { stream: 'example-1', expectedVersion: 'none', events: [exampleEvent(daemon.clock.now())] },
    ]);
    const outcome = appending.then(
      () => 'answered',
      () => 'failed',
    );
    await daemon.kill();
    await late;
    const answered = await outcome;
    await daemon.restart();
    expect([answered, daemon.log.streamVersion('example-1')]).toEqual(['failed', 0]);
    expect(await daemon.json<unknown[]>('GET', '/api/tasks')).toHaveLength(1);
    expect((await daemon.log.verify()).errors).toEqual([]);
  });

  it('leaves no folder behind when the daemon is disposed, and none is left when it is asked again', async () => {
    const daemon = await startTestDaemon();
    await daemon.kill();
    await daemon.kill();
    await daemon[Symbol.asyncDispose]();
    expect([daemon.home, daemon.workspace, `${daemon.home}.crash`].filter(existsSync)).toEqual([]);
  });
});

it('waits for an event no longer than it is told to, and says what is there', async () => {
  await using daemon = await startTestDaemon();
  await daemon.json('POST', '/api/tasks', { title: 'A' });
  await expect(daemon.event('RunCompleted', { seconds: 0.01 })).rejects.toThrow(
    'No event RunCompleted was recorded in 0.01 s. The newest events: 1 TaskCreated.',
  );
});
