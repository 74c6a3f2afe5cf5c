/** Streams of the client over connections that end in every way, without a network. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, type DaybookError } from '../../src/client/client.ts';

const EVENTS = Array.from({ length: 12 }, (_, at) => ({ position: at + 1, text: `é🎈 ${'x'.repeat(at * 7)}` }));
const FRAMES = EVENTS.map((event) => `id: ${event.position}\ndata: ${JSON.stringify(event)}\n\n`);

type Connection = (lastId: number) => Response | Promise<Response>;

/** A body of these bytes in pieces, which then ends or breaks. */
function body(bytes: Uint8Array, { pieces = 3, breaks = false } = {}): ReadableStream<Uint8Array> {
  const size = Math.ceil(bytes.length / pieces);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent < bytes.length) controller.enqueue(bytes.slice(sent, sent + size));
      else if (breaks) controller.error(new TypeError('terminated'));
      else controller.close();
      sent += size;
    },
  });
}

const bytesAfter = (lastId: number): Uint8Array => new TextEncoder().encode(FRAMES.slice(lastId).join(''));
const whole: Connection = (lastId) =>
  new Response(lastId === EVENTS.length ? null : body(bytesAfter(lastId)), {
    status: lastId === EVENTS.length ? 204 : 200,
  });
const cutAt =
  (bytes: number): Connection =>
  (lastId) =>
    new Response(body(bytesAfter(lastId).subarray(0, bytes), { breaks: true }));

/** A client whose connections are these, the last one again and again. */
function connected(connections: readonly Connection[]) {
  const asked: string[] = [];
  const left = [...connections];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const lastId = new Headers(init?.headers).get('last-event-id');
    asked.push(`${String(input).replace('http://daemon.test', '')} ${lastId}`);
    const connection = left.length > 1 ? left.shift()! : left[0]!;
    return connection(Number(lastId ?? 0));
  };
  return { client: createClient({ url: 'http://daemon.test', token: 'x', fetch }), asked };
}

it('an event that is not JSON fails, and is not skipped', async () => {
  const page: Connection = () => new Response('id: 1\ndata: <html>\n\n');
  const { client, asked } = connected([page]);
  const failure = collected(client.log.events()).catch((error: unknown) => error);
  expect(await failure).toMatchObject({ name: 'DaybookError', error: 'The answer of the daemon is not JSON.' });
  expect(asked).toHaveLength(1);
});

it('a page of a proxy is an error, and not a stream without events', async () => {
  const page: Connection = () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
  const { client, asked } = connected([page]);
  const events = client.log.events({ giveUpAfterMs: 60_000 });
  const failure = collected(events).catch((error: unknown) => error);
  expect(await failure).toMatchObject({ status: 200, error: 'The answer of the daemon is a page, and no stream.' });
  expect(asked).toHaveLength(1);
});

async function collected(stream: AsyncIterable<{ readonly id: string }>): Promise<number[]> {
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { id } of stream) seen.push(Number(id));
    return seen;
  })();
  reading.catch(() => undefined);
  await vi.runAllTimersAsync();
  return reading;
}

const ALL = EVENTS.map(({ position }) => position);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a stream', () => {
  it('is the log, wherever its connections are cut', async () => {
    const cut = fc.nat({ max: bytesAfter(0).length });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 8 }), async (cuts) => {
        const { client } = connected([...cuts.map(cutAt), whole]);
        expect(await collected(client.log.events())).toEqual(ALL);
      }),
    );
  });

  it('goes on after the last whole event, and tells why it was interrupted', async () => {
    const reasons: string[] = [];
    const broken: Connection = () => Response.json({ error: 'The views are being rebuilt.' }, { status: 503 });
    const { client, asked } = connected([cutAt(FRAMES[0]!.length + 9), broken, whole]);
    const onInterrupted = ({ error }: DaybookError): void => void reasons.push(error);
    expect(await collected(client.log.events({ after: 0, type: 'A', onInterrupted }))).toEqual(ALL);
    expect(asked).toEqual(['null', '1', '1', '12'].map((id) => `/v1/events/stream?after=0&type=A ${id}`));
    const ended = 'The connection of the stream ended.';
    expect(reasons).toEqual(['The connection of the stream broke.', 'The views are being rebuilt.', ended]);
  });

  it('tells once of a daemon that is away, however many attempts fail', async () => {
    const reasons: string[] = [];
    const away: Connection = () => {
      throw new TypeError('fetch failed');
    };
    const starting: Connection = () => Response.json({ error: 'The views are being rebuilt.' }, { status: 503 });
    const { client } = connected([cutAt(200), away, away, away, starting, starting, cutAt(400), away, away, whole]);
    const onInterrupted = ({ status, error }: DaybookError): void =>
      void reasons.push(status === 0 && !error.startsWith('The connection') ? 'away' : error);
    expect(await collected(client.log.events({ after: 0, onInterrupted }))).toEqual(ALL);
    const broke = 'The connection of the stream broke.';
    const ended = 'The connection of the stream ended.';
    expect(reasons).toEqual([broke, 'away', 'The views are being rebuilt.', broke, 'away', ended]);
  });

  it('begins after an id that is given', async () => {
    const { client, asked } = connected([whole]);
    expect(await collected(client.log.events({ lastEventId: '10' }))).toEqual([11, 12]);
    expect(asked[0]).toBe('/v1/events/stream 10');
  });

  describe('of a log with leaf hashes', () => {
    /** The log from an event on, whose leaf hashes begin with this. */
    const logOf = (name: string, events: number, { breaks = false } = {}): Connection => {
      const frames = ALL.slice(0, events).map((position) => {
        return `id: ${position}\ndata: ${JSON.stringify({ position, leaf_hash: `${name}${position}` })}\n\n`;
      });
      return (lastId) => {
        const bytes = new TextEncoder().encode(frames.slice(lastId).join(''));
        return new Response(body(bytes, { breaks }), { headers: { 'daybook-position': String(events) } });
      };
    };

    /** The ids of the first events. */
    const firstOf = async (count: number, stream: AsyncIterable<{ readonly id: string }>): Promise<number[]> => {
      const ids: number[] = [];
      const reading = (async () => {
        for await (const { id } of stream) if (ids.push(Number(id)) === count) return;
      })();
      await vi.runAllTimersAsync();
      await reading;
      return ids;
    };

    it('asks for the last event again, which is not given twice', async () => {
      const { client, asked } = connected([logOf('a', 5, { breaks: true }), logOf('a', 12)]);
      expect(await firstOf(12, client.log.events())).toEqual(ALL);
      expect(asked.map((request) => request.split(' ')[1])).toEqual(['null', '4']);
    });

    it('fails where the log has other events, as after the restore of a backup', async () => {
      const reasons: string[] = [];
      const onInterrupted = ({ error }: DaybookError): void => void reasons.push(error);
      const { client } = connected([logOf('a', 5, { breaks: true }), logOf('b', 3), logOf('b', 12)]);
      await expect(collected(client.log.events({ onInterrupted }))).rejects.toMatchObject({
        status: 410,
        error: expect.stringContaining('event 5, the last that was read, is another one now'),
      });
      expect(reasons).toEqual([
        'The connection of the stream broke.',
        'The log ends at 3, before event 5: it was replaced, or this daemon is behind others.',
        'The connection of the stream ended.',
      ]);
    });

    it('waits for a daemon that is behind, also before the first event', async () => {
      const { client } = connected([logOf('a', 3), logOf('a', 12, { breaks: true }), logOf('a', 3), logOf('a', 12)]);
      expect(await firstOf(2, client.log.events({ lastEventId: '10' }))).toEqual([11, 12]);
    });
  });

  it('of a run ends with its last event, without another request', async () => {
    const text = 'id: 1\ndata: {"type":"chunk"}\n\nid: 2\ndata: {"type":"complete"}\n\n';
    const { client, asked } = connected([() => new Response(text)]);
    expect(await collected(client.runs.stream('r'))).toEqual([1, 2]);
    expect(asked).toHaveLength(1);
  });

  it('of a run that was cut after its last event is asked for again', async () => {
    const bytes = new TextEncoder().encode('id: 2\ndata: {"type":"complete"}\n\n');
    const over: Connection = () => new Response(null, { status: 204 });
    const { client, asked } = connected([() => new Response(body(bytes, { breaks: true })), over]);
    expect(await collected(client.runs.stream('r'))).toEqual([2]);
    expect(asked.at(-1)).toBe('/stream/r 2');
  });

  it('of a chat gives text, ends with `done`, and is not repeated', async () => {
    const { client } = connected([() => new Response('data: Hel\n\ndata: lo\n\nevent: done\ndata: \n\n')]);
    const seen: unknown[] = [];
    for await (const { event, data } of client.chat.stream({ messages: [] })) seen.push([event, data]);
    expect(seen).toEqual([
      ['message', 'Hel'],
      ['message', 'lo'],
      ['done', ''],
    ]);
    const lost = connected([() => new Response('data: Hel\n\n')]);
    await expect(collected(lost.client.chat.stream({ messages: [] }))).rejects.toMatchObject({ status: 0 });
    expect(lost.asked).toHaveLength(1);
    const failed = connected([() => new Response('event: error\ndata: No model.\n\n')]);
    await expect(collected(failed.client.chat.stream({ messages: [] }))).rejects.toMatchObject({ error: 'No model.' });
  });

  it.each([400, 403, 404])('is over with status %i', async (status) => {
    const { client, asked } = connected([cutAt(200), () => Response.json({ error: 'no' }, { status })]);
    await expect(collected(client.log.events())).rejects.toMatchObject({ status });
    expect(asked).toHaveLength(2);
  });

  it('that was never connected gives up like a call; later it does not, unless told', async () => {
    const refused: Connection = () => Promise.reject(new TypeError('refused'));
    const never = connected([refused]);
    await expect(collected(never.client.log.events())).rejects.toMatchObject({ status: 0 });
    expect(never.asked).toHaveLength(5);
    const later = connected([cutAt(100), ...Array.from({ length: 50 }, () => refused), whole]);
    expect(await collected(later.client.log.events())).toEqual(ALL);
    const told = connected([cutAt(100), refused]);
    await expect(collected(told.client.log.events({ giveUpAfterMs: 60_000 }))).rejects.toMatchObject({ status: 0 });
  });

  it('is not given up because the clock is set forward', async () => {
    const away: Connection = () => {
      vi.setSystemTime(Date.now() + 3_600_000);
      return Promise.reject(new TypeError('refused'));
    };
    const { client } = connected([cutAt(100), away, whole]);
    expect(await collected(client.log.events({ giveUpAfterMs: 60_000 }))).toEqual(ALL);
  });

  it('is not given up because its reader was busy with an event while the connection broke', async () => {
    const { client } = connected([cutAt(100), whole]);
    const events = client.log.events({ giveUpAfterMs: 60_000 });
    async function* slowly() {
      for await (const event of events) {
        yield event;
        await new Promise((resolve) => setTimeout(resolve, 300_000));
      }
    }
    expect(await collected(slowly())).toEqual(ALL);
  });

  it('that is silent for three keep-alives is connected again', async () => {
    const silent: Connection = () =>
      new Response(new ReadableStream({ start: (bytes) => bytes.enqueue(bytesAfter(11)) }));
    const { client, asked } = connected([silent, whole]);
    expect(await collected(client.log.events())).toEqual([12]);
    expect(asked).toEqual(['/v1/events/stream null', '/v1/events/stream 12']);
  });

  it('whose daemon takes the connection and does not answer is connected again', async () => {
    const unanswered: Connection = () => new Promise<never>(() => undefined);
    const { client, asked } = connected([unanswered, whole]);
    expect(await collected(client.log.events())).toEqual(ALL);
    expect(asked.map((request) => request.split(' ')[1])).toEqual(['null', 'null', '12']);
    const told = connected([cutAt(100), unanswered]);
    await expect(collected(told.client.log.events({ giveUpAfterMs: 60_000 }))).rejects.toMatchObject({ status: 0 });
  });

  it('holds nothing of the pieces that it has read', async () => {
    vi.useRealTimers();
    // Its objects are counted in a heap of its own, which has few.
    const counting = new Worker(new URL('./held-promises.ts', import.meta.url));
    const [{ before, after }] = (await once(counting, 'message')) as [{ before: number; after: number }];
    expect(before).toBeGreaterThan(0);
    expect(after - before).toBeLessThan(1_000);
  });

  it('reads what it is asked for, and no more', async () => {
    let pulls = 0;
    const endless = (): Response =>
      new Response(
        new ReadableStream(
          {
            pull(controller) {
              pulls += 1;
              controller.enqueue(new TextEncoder().encode(FRAMES[0]));
            },
          },
          { highWaterMark: 0 },
        ),
      );
    const { client } = connected([endless]);
    const iterator = client.log.events()[Symbol.asyncIterator]();
    for (let count = 1; count <= 5; count += 1) {
      await iterator.next();
      expect(pulls).toBe(count);
    }
    await iterator.return?.();
  });

  it('can be read several times', async () => {
    const { client } = connected([whole]);
    const stream = client.log.events();
    expect([await collected(stream), await collected(stream)]).toEqual([ALL, ALL]);
  });

  it('ends with an error that its observer throws', async () => {
    const { client } = connected([cutAt(200), whole]);
    const onInterrupted = (): never => {
      throw new Error('enough');
    };
    await expect(collected(client.log.events({ onInterrupted }))).rejects.toThrow('enough');
  });
});
