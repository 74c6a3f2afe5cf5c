/** The client against a real daemon. */
import { filter, firstValueFrom, take } from 'rxjs';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { createClient, DaybookError } from '../../src/client/client.ts';
import { observe } from '../../src/client/rxjs.ts';
import { openVoice } from '../../src/client/voice.ts';
import { connectRoom } from '../../src/client/yjs.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { freePort } from '../support/ports.ts';

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

it('an observable closes its connection when nobody listens', async () => {
  const signals: AbortSignal[] = [];
  const client = createClient({
    home: daemon.home,
    fetch: (input, init) => {
      if (init?.signal) signals.push(init.signal);
      return fetch(input, init);
    },
  });
  await client.goals.create({ title: 'seen' });
  const found = observe(client.log.events({ after: 0 })).pipe(
    filter(({ data }) => data.type === 'GoalCreated'),
    take(1),
  );
  expect((await firstValueFrom(found)).data.type).toBe('GoalCreated');
  expect(signals.at(-1)!.aborted).toBe(true);
});

it('a socket of ws that nobody answers refuses a conversation, and a room waits for the daemon', async () => {
  const client = createClient({ url: `http://127.0.0.1:${await freePort()}`, token: '' });
  const nothing = (): void => undefined;
  const conversation = openVoice(client, { WebSocket, onFrame: nothing, onSound: nothing });
  await expect(conversation).rejects.toThrow('The conversation was refused: 1006');
  const waits = Promise.withResolvers<void>();
  const statuses: string[] = [];
  const room = connectRoom(client, 'standup', {
    Y,
    doc: new Y.Doc(),
    WebSocket,
    onStatus: (status) => void (statuses.push(status) === 2 && waits.resolve()),
  });
  await waits.promise;
  expect(statuses).toEqual(['connecting', 'connecting']);
  room.close();
});
