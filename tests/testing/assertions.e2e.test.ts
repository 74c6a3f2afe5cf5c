/** The assertions for authors of clients: each passes with the daemon, and reports the fault of a broken one. */
import { describe, expect, it } from 'vitest';
import {
  assertBackupRestores,
  assertFoldOfLog,
  assertResumes,
  assertTranscriptEqualsLog,
  assertViewsEqualLog,
  readSse,
  type Served,
  scriptedModel,
  startTestDaemon,
  type TestDaemon,
} from '../../src/testing/testing.ts';

async function withTasks(titles: readonly string[]): Promise<TestDaemon> {
  const daemon = await startTestDaemon({ models: scriptedModel(['One. ', 'Two.']) });
  for (const title of titles) await daemon.json('POST', '/api/tasks', { title });
  return daemon;
}

/** The daemon behind something that changes bodies on their way. */
function changing(daemon: Served, path: RegExp, change: (text: string) => string): Served {
  return {
    async fetch(asked, init) {
      const response = await daemon.fetch(asked, init);
      if (!path.test(asked)) return response;
      const changed = new TransformStream<string, string>({ transform: (text, to) => to.enqueue(change(text)) });
      const body = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(changed);
      return new Response(body.pipeThrough(new TextEncoderStream()), response);
    },
  };
}

it('a transcript equals the log, whole or in part, or the difference is told', async () => {
  await using daemon = await withTasks(['A', 'B', 'C']);
  const read = async () => readSse(await daemon.fetch('/v1/events/stream'), ({ id }) => id === '3');
  const seen = await read();
  await assertTranscriptEqualsLog(daemon, seen);
  await assertTranscriptEqualsLog(daemon, seen.slice(1), { after: 1 });
  await assertTranscriptEqualsLog(daemon, seen, { type: 'TaskCreated' });
  await expect(assertTranscriptEqualsLog(daemon, seen.slice(0, 2))).rejects.toThrow('[2]: nothing instead of "3"');
  const [first] = seen;
  const lied = [{ ...first!, data: first!.data.replace('"A"', '"Z"') }, ...seen.slice(1)];
  await expect(assertTranscriptEqualsLog(daemon, lied)).rejects.toThrow('[0].data.title: "Z" instead of "A"');
});

describe('a stream', () => {
  it('resumes anywhere: the log, and a run that has ended', async () => {
    await using daemon = await withTasks(['A', 'é 😀', 'C']);
    await assertResumes(daemon, '/v1/events/stream', { events: 3, cuts: 40 });
    const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Say it' });
    await daemon.event('RunCompleted');
    await assertResumes(daemon, `/stream/${session_id}`);
  });

  it('that repeats an event when it resumes is told', async () => {
    await using daemon = await withTasks(['A', 'B', 'C']);
    const repeating: Served = {
      fetch(path, init) {
        const headers = new Headers(init?.headers);
        const last = Number(headers.get('last-event-id') ?? 0);
        headers.set('last-event-id', `${Math.max(0, last - 1)}`);
        return daemon.fetch(path, { ...init, headers });
      },
    };
    await expect(assertResumes(repeating, '/v1/events/stream', { events: 3 })).rejects.toThrow(
      /resumed after 1, differs/,
    );
  });

  it('without ids, or without events, cannot be asserted of', async () => {
    await using daemon = await withTasks(['A']);
    const nameless = changing(daemon, /stream/, (text) => text.replace(/^id: .*\n/gm, ''));
    await expect(assertResumes(nameless, '/v1/events/stream', { events: 1 })).rejects.toThrow('an event without an id');
    await expect(assertResumes(daemon, '/stream/none', { events: 1 })).rejects.toThrow('/stream/none answered 404');
  });
});

describe('a read model', () => {
  const titles = {
    initial: (): readonly string[] => [],
    evolve: (model: readonly string[], { data }: { data: unknown }) => [...model, (data as { title: string }).title],
  };

  it('equals the fold of the log, or the difference is told', async () => {
    await using daemon = await withTasks(['A', 'B']);
    await assertFoldOfLog(daemon, titles, ['A', 'B']);
    await expect(assertFoldOfLog(daemon, titles, ['A'])).rejects.toThrow('[1]: nothing instead of "B"');
  });

  it('of the daemon equals what the log leads to', async () => {
    await using daemon = await withTasks(['A', 'B']);
    await assertViewsEqualLog(daemon, ['/api/tasks', '/jobs']);
    let asked = 0;
    const drifting = changing(daemon, /tasks/, (text) => {
      asked += 1;
      return asked > 1 ? text : text.replace('"A"', '"Z"');
    });
    await expect(assertViewsEqualLog(drifting, ['/api/tasks'])).rejects.toThrow(/title: "Z" instead of "A"/);
  });
});

describe('a backup', () => {
  it.each(['cow', 'lsm', 'embedded_kv'] as const)('of %s restores to the same tree hash', async (backend) => {
    await using daemon = await startTestDaemon({ backend });
    for (const title of ['A', 'B', 'C']) await daemon.json('POST', '/api/tasks', { title });
    expect(await assertBackupRestores(daemon)).toBe(3);
  });

  it('of another log is told', async () => {
    await using daemon = await withTasks(['A']);
    const lying = changing(daemon, /consistency/, (text) => text.replace(/"from_hash":"[0-9a-f]/, '"from_hash":"x'));
    await expect(assertBackupRestores(lying)).rejects.toThrow(
      'The tree hash of the restored log at position 1 differs',
    );
    await using ephemeral = await startTestDaemon({ backend: 'memory' });
    await expect(assertBackupRestores(ephemeral)).rejects.toThrow('An ephemeral store has no files');
  });
});
