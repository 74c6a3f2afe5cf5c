/** `Daybook-Position` and `Daybook-Min-Position`, on a server whose views follow the log when the test says so. */
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { task } from '../../src/commands/task.ts';
import { routesOf, value } from '../../src/http/server/route.ts';
import type { EventBatch } from '../../src/streams/committed-events.ts';
import { createPositions, type Positions } from '../../src/streams/positions.ts';
import { TestClock } from '../ops/clock.ts';
import { testServer } from '../support/server.ts';

const { get, post } = routesOf({ tag: 'test' });
const COMMON = { summary: '', responses: {}, operation: 'test' };
const CREATE = { type: 'CreateTask', title: 'Tidy up', provider: '', model: '', project_path: '/work' } as const;

async function server() {
  const clock = new TestClock('2026-11-20T09:00:00');
  const folded$ = new Subject<EventBatch>();
  const views = { position: 0 };
  let head = (): number => 0;
  const log = { head: () => ({ position: head(), treeHash: '', at: null }) };
  const positions: Positions = createPositions({ log, projector: views, folded$ });
  const made = await testServer(
    () => [
      get('/thing', { ...COMMON, handle: () => value({ at: views.position }) }),
      get('/log', { ...COMMON, withoutViews: true, handle: () => value({}) }),
      post('/thing', {
        ...COMMON,
        async handle({ dispatch }) {
          await dispatch(task, 'one', CREATE);
          return value({});
        },
      }),
      get('/offer', {
        ...COMMON,
        async handle({ dispatch }) {
          await dispatch(task, 'one', CREATE);
          return value({});
        },
      }),
    ],
    { positions, timers: clock },
  );
  head = () => made.log.head().position;
  const ask = (method: 'GET' | 'POST', headers: Readonly<Record<string, string>> = {}, url = '/thing') =>
    made.app.inject({
      method,
      url,
      headers: { host: 'localhost', authorization: `Bearer ${made.token}`, ...headers },
    });
  const fold = (position: number): void => {
    views.position = position;
    folded$.next([]);
  };
  return { ask, fold, end: () => folded$.complete(), clock, log: made.log };
}

describe('Daybook-Position', () => {
  it('of a mutation covers its events, also when the views are behind', async () => {
    const { ask, log } = await server();
    const answer = await ask('POST');
    expect([answer.statusCode, answer.headers['daybook-position']]).toEqual([200, '1']);
    expect(log.head().position).toBe(1);
  });

  it('of a GET that records something covers its events', async () => {
    const { ask } = await server();
    expect((await ask('GET', {}, '/offer')).headers['daybook-position']).toBe('1');
  });

  it('of a repeated mutation covers the events of the first', async () => {
    const { ask } = await server();
    await ask('POST', { 'idempotency-key': 'a' });
    const again = await ask('POST', { 'idempotency-key': 'a' });
    expect([again.statusCode, Number(again.headers['daybook-position'])]).toEqual([200, 2]);
  });

  it('of a GET is what the views have', async () => {
    const { ask, fold } = await server();
    await ask('POST');
    expect((await ask('GET')).headers['daybook-position']).toBe('0');
    fold(1);
    expect((await ask('GET')).headers['daybook-position']).toBe('1');
  });

  it('of a GET that needs no views is the head of the log, also while they are folded anew', async () => {
    const { ask } = await server();
    await ask('POST');
    expect((await ask('GET', {}, '/log')).headers['daybook-position']).toBe('1');
  });
});

describe('Daybook-Min-Position', () => {
  it('that the views have changes nothing', async () => {
    const { ask, fold } = await server();
    fold(3);
    expect((await ask('GET', { 'daybook-min-position': '3' })).json()).toEqual({ at: 3 });
  });

  it('that they do not have yet is waited for', async () => {
    const { ask, fold, clock } = await server();
    const answer = ask('GET', { 'daybook-min-position': '2' });
    await expect.poll(() => clock.waits).toBe(1);
    fold(1);
    fold(2);
    expect((await answer).json()).toEqual({ at: 2 });
  });

  it('that does not come within 2 s is 503 with the time to wait, and nothing is done', async () => {
    const { ask, clock, log } = await server();
    const answer = ask('POST', { 'daybook-min-position': '2' });
    await expect.poll(() => clock.waits).toBe(1);
    await clock.pass(2_000);
    const { statusCode, headers, body } = await answer;
    expect([statusCode, headers['retry-after'], log.head().position]).toEqual([503, '1', 0]);
    expect(JSON.parse(body)).toEqual({
      error: 'This daemon has the log up to position 0; position 2 did not come within 2 s.',
    });
  });

  // The wait was never answered, and an error outside of it ended the process.
  it.each(['before', 'during'])('is 503 at once when the views end %s the wait', async (time) => {
    const { ask, end, clock } = await server();
    if (time === 'before') end();
    const answer = ask('GET', { 'daybook-min-position': '2' });
    if (time === 'during') {
      await expect.poll(() => clock.waits).toBe(1);
      end();
    }
    expect((await answer).statusCode).toBe(503);
  });

  it.each(['', '-1', '1.5', 'x', '1e3', '9'.repeat(20)])('%j is 400', async (asked) => {
    const { ask } = await server();
    const answer = await ask('GET', { 'daybook-min-position': asked });
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      'Daybook-Min-Position must be a whole number from 0.',
    ]);
  });
});
