/** The examples of docs/client.md run against a daemon. */
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, follow, judge, run, taskOrNull } from '../../examples/client/calls.ts';
import { goalTitles } from '../../examples/client/observables.ts';
import { write } from '../../examples/client/room.ts';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon();
const before = process.env.DAYBOOK_HOME;
beforeAll(() => {
  process.env.DAYBOOK_HOME = daemon.home;
});
afterAll(() => {
  if (before === undefined) delete process.env.DAYBOOK_HOME;
  else process.env.DAYBOOK_HOME = before;
});

describe('the examples', () => {
  it('start a run and follow it', async () => {
    expect((await run(connect())).at(-1)?.type).toBe('complete');
  });

  it('judge a gate', async () => expect(await judge(connect())).toBe('pass'));

  it('look for a task that is not there', async () => expect(await taskOrNull(connect(), 'nowhere')).toBeNull());

  it('follow the log, as observables too', async () => {
    const client = connect();
    const { position } = await client.log.head();
    const stop = new AbortController();
    const events: typeof client.log.events = async function* (options) {
      for await (const event of client.log.events(options)) {
        yield event;
        stop.abort();
      }
      return undefined;
    };
    const following = follow({ ...client, log: { ...client.log, events } }, position, stop.signal);
    const title = firstValueFrom(goalTitles(client));
    await client.goals.create({ title: 'Ship it' });
    expect(await title).toBe('Ship it');
    expect((await following)[0]).toBe(`${position + 1} GoalCreated`);
  });

  it('write in a room', async () => expect(await write(connect())).toBe('# Plan'));
});
