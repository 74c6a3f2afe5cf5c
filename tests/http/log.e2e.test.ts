/** The log over HTTP: the queries it accepts, the ends of its pages, and HEAD of its streams. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { LogListAnswer } from '../../src/client/generated/types.ts';
import { post } from '../support/asking.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { errorOf, inject, type Reply } from './wire.ts';

const daemon = sharedDaemon();

beforeAll(async () => {
  for (const title of ['one', 'two', 'three']) await add('/api/tasks', { title });
});

const add = (path: string, body: unknown) => post(daemon, path, body);
const ask = (target: string, method = 'GET'): Promise<Reply> =>
  inject(daemon, target, { method, headers: { authorization: `Bearer ${daemon.token}` } });
const page = async (query: string): Promise<LogListAnswer> =>
  JSON.parse((await ask(`/v1/events${query}`)).text) as LogListAnswer;

describe('GET /v1/events', () => {
  // The contract writes the route as `?after=0&limit=500&stream=&type=`: that very request was answered 500.
  it('a filter that is left empty filters nothing', async () => {
    const { events, next, head } = await page('?after=0&limit=500&stream=&type=');
    expect({ count: events.length, next, head }).toEqual({ count: 3, next: null, head: 3 });
  });

  it.each(['x'.repeat(256), '%00', '%C3%A9'.repeat(128)])(
    'a stream that cannot be (%#) has no events',
    async (stream) => {
      expect(await page(`?stream=${stream}`)).toEqual({ events: [], next: null, head: 3 });
    },
  );

  it('pages by stream and type go on where they stopped', async () => {
    const first = await page('?limit=1&type=TaskCreated');
    expect(first.next).toBe(1);
    const rest = await page(`?limit=2&type=TaskCreated&after=${first.next}`);
    expect([...first.events, ...rest.events].map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(rest.next).toBeNull();
    expect((await page(`?stream=${first.events[0]!.stream}`)).events).toEqual(first.events);
  });
});

describe('GET /v1/events with before', () => {
  const positions = async (query: string): Promise<readonly number[]> =>
    (await page(query)).events.map(({ position }) => position);

  it('begins with the newest, and `next` leads to the oldest', async () => {
    const first = await page('?before=999999999999999&limit=2');
    expect([first.events.map(({ position }) => position), first.next]).toEqual([[3, 2], 2]);
    const rest = await page(`?before=${first.next}&limit=2`);
    expect([rest.events.map(({ position }) => position), rest.next]).toEqual([[1], null]);
  });

  it('stays behind `after`, and in a stream', async () => {
    expect(await positions('?before=3&after=1')).toEqual([2]);
    const { stream } = (await page('?after=1&limit=1')).events[0]!;
    expect(await positions(`?stream=${stream}&before=9`)).toEqual([2]);
    expect(await positions(`?stream=${stream}&before=2`)).toEqual([]);
  });
});

describe('GET /v1/events by what an envelope says', () => {
  it.each(['', '&before=99'])('filters by actor, correlation and time (%j)', async (more) => {
    const all = JSON.parse((await ask('/v1/events')).text) as {
      events: { at: number; actor: string; correlation: string; position: number }[];
    };
    const [one, two, three] = all.events;
    const found = async (query: string): Promise<number[]> =>
      (await page(`?${query}${more}`)).events.map(({ position }) => position).sort();
    expect(await found(`actor=${one!.actor}`)).toEqual([1, 2, 3]);
    expect(await found('actor=nobody')).toEqual([]);
    expect(await found(`correlation=${two!.correlation}`)).toEqual([2]);
    expect(await found(`from=${three!.at + 1}`)).toEqual([]);
    expect(await found(`to=${one!.at}`)).toEqual([]);
    expect(await found(`from=${one!.at}&to=${three!.at + 1}`)).toEqual([1, 2, 3]);
  });
});

// Number() reads all of these, so they were 2, 100, 1 and 0.
describe('numbers in queries', () => {
  const ODD = ['0x2', '1e2', '%201', '', '+1', '1.0', '9'.repeat(16), '-1'];
  const NAMES = [
    ['/v1/events', 'limit'],
    ['/v1/events', 'after'],
    ['/v1/events', 'before'],
    ['/v1/events', 'from'],
    ['/v1/events', 'to'],
    ['/v1/log/proof', 'position'],
    ['/v1/log/proof?position=1', 'size'],
    ['/v1/log/consistency', 'from'],
    ['/v1/log/consistency?from=1', 'to'],
    ['/jobs', 'limit'],
    ['/approvals', 'limit'],
  ] as const;
  it.each(NAMES)('%s: %s is digits or 400 by its name', async (path, name) => {
    for (const odd of [...ODD, `1&${name}=2`]) {
      const reply = await ask(`${path}${path.includes('?') ? '&' : '?'}${name}=${odd}`);
      expect(reply.status, odd).toBe(400);
      expect(errorOf(reply), odd).toMatch(new RegExp(`^Invalid query: ${name}: must be a whole number from \\d`));
    }
  });

  it.each([
    ['/v1/events?limit=5001', 'from 1 to 5000'],
    ['/v1/events?limit=0', 'from 1 to 5000'],
    ['/v1/log/proof', 'position: must be a whole number'],
    ['/v1/log/proof?position=0', 'position must be from 1 to size, and size from 1 to 3'],
    ['/v1/log/proof?position=3&size=2', 'position must be from 1 to size'],
    ['/v1/log/proof?position=1&size=4', 'size from 1 to 3'],
    ['/v1/log/consistency?from=2&to=1', 'from must be from 0 to "to"'],
    ['/v1/log/consistency?from=1&to=4', '"to" from 0 to 3'],
  ])('%s says what is allowed', async (target, allowed) => {
    const reply = await ask(target);
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toContain(allowed);
  });
});

// A HEAD of a stream got its head and then hung until the client gave up.
it('HEAD of an endless stream ends', async () => {
  const reply = await ask('/v1/events/stream', 'HEAD');
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(reply.text).toBe('');
});
