/** A delegated call: how it ends, and when its delegate is told that nobody waits for it. */
import { expect, it } from 'vitest';
import { withDelegates } from '../../src/integrations/tools/delegates.ts';
import { bench } from './helper.ts';

const ANSWER = { success: true, output: 'done', files_modified: [] };

function delegated(msMax?: number) {
  const { tools: own, workspace } = bench();
  const { tools, delegates } = withDelegates(own, msMax);
  const cancelled: string[] = [];
  const delegate = {
    tools: new Set(['bash']),
    ownTools: [],
    call: () => undefined,
    cancel: (callId: string) => void cancelled.push(callId),
  };
  const registration = delegates.register('s', delegate);
  const call = (signal: AbortSignal) =>
    tools.call({ session: 's', name: 'bash', callId: 'c', input: { command: 'true' }, workspace }, signal);
  return { call, cancelled, registration };
}

it('is not cancelled when it was answered', async () => {
  const { call, cancelled, registration } = delegated();
  const outcome = call(new AbortController().signal);
  registration.settle('c', ANSWER);
  expect(await outcome).toEqual(ANSWER);
  expect(cancelled).toEqual([]);
});

it('has no half of a character in what the log records', async () => {
  const { call, registration } = delegated();
  const outcome = call(new AbortController().signal);
  registration.settle('c', { success: true, output: 'x\ud800', files_modified: ['/y\ud800'] });
  expect(await outcome).toEqual({ success: true, output: 'x\ufffd', files_modified: ['/y\ufffd'] });
});

it('is cancelled when the call is aborted', async () => {
  const { call, cancelled } = delegated();
  const controller = new AbortController();
  const outcome = call(controller.signal);
  controller.abort(new Error('stopped'));
  await expect(outcome).rejects.toThrow('stopped');
  expect(cancelled).toEqual(['c']);
});

it('is cancelled when it was not answered in time', async () => {
  const { call, cancelled } = delegated(10);
  const outcome = await call(new AbortController().signal);
  expect(outcome).toMatchObject({ success: false, output: 'The editor did not answer within 0.01 s.' });
  expect(cancelled).toEqual(['c']);
});
