/** The client against a real daemon. */
import { expect, it } from 'vitest';
import { createClient, DaybookError } from '../../src/client/client.ts';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon();

it('finds the daemon of a home, starts a run and follows it to its end', async () => {
  const client = createClient({ home: daemon.home });
  const { session_id } = await client.runs.start({ task: 'Say hello' });
  const types: unknown[] = [];
  for await (const { data } of client.runs.stream(session_id)) types.push(JSON.parse(JSON.stringify(data)).type);
  expect(types.at(-1)).toBe('complete');
  const error = await client.runs.get('nowhere').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DaybookError);
  expect(error).toMatchObject({ status: 404, error: "Job 'nowhere' not found", message: "Job 'nowhere' not found" });
});
