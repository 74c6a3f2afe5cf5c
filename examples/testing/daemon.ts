/** The examples of docs/testing.md with a daemon. Each is run by a test. */
import {
  assertBackupRestores,
  assertResumes,
  assertTranscriptEqualsLog,
  assertViewsEqualLog,
  readSse,
  scriptedModel,
  startTestDaemon,
} from '../../src/testing/testing.ts';

export async function start(): Promise<void> {
  await using daemon = await startTestDaemon();
  await daemon.json('POST', '/api/tasks', { title: 'Write the report' });
  const response = await daemon.fetch('/api/tasks');
  if (response.status !== 200) throw new Error('The tasks cannot be read.');
}

export async function time(): Promise<void> {
  const models = scriptedModel([
    { error: 'transient', message: 'busy', status: 529, retryAfter: '40 s' },
    { text: ['It ', 'is done.'], every: '2 s' },
  ]);
  await using daemon = await startTestDaemon({ models });
  await daemon.json('POST', '/agent', { task: 'Count the files' });
  await daemon.event('ModelCallFailed');
  await daemon.clock.advance('1 min');
  await daemon.event('RunCompleted');
}

export async function crash(): Promise<void> {
  await using daemon = await startTestDaemon({ backend: 'lsm' });
  await daemon.json('POST', '/api/tasks', { title: 'Answered, so kept' });
  await daemon.kill();
  await daemon.restart();
  const tasks = await daemon.json<unknown[]>('GET', '/api/tasks');
  if (tasks.length !== 1) throw new Error('An answered request was lost.');
}

export async function assertions(): Promise<void> {
  await using daemon = await startTestDaemon();
  for (const title of ['One', 'Two']) await daemon.json('POST', '/api/tasks', { title });
  const seen = await readSse(await daemon.fetch('/v1/events/stream'), ({ id }) => id === '2');
  await assertTranscriptEqualsLog(daemon, seen);
  await assertResumes(daemon, '/v1/events/stream', { events: 2 });
  await assertViewsEqualLog(daemon, ['/api/tasks']);
  await assertBackupRestores(daemon);
}
