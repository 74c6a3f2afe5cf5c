/**
 * `/v1/events/stream` and `/v1/events/ws`: the same events as the pages of `/v1/events`, stored and live, resumable.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Envelope } from '../../src/events/envelope.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { sharedDaemon } from '../support/daemon.ts';

const WRITES = 120;
const WRITERS = 6;
const LATE_READERS = 8;

const daemon = sharedDaemon();

async function write(title: string): Promise<void> {
  const response = await daemon.request('/api/tasks', { method: 'POST', body: JSON.stringify({ title }) });
  if (response.status !== 200) throw new Error(await response.text());
}

/** `WRITES` events by several writers at once. */
async function writeMany(): Promise<void> {
  const each = Array.from({ length: WRITES / WRITERS }, (_, index) => index);
  const one = async (writer: number): Promise<void> => {
    for (const index of each) await write(`writer ${writer}, ${index}`);
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => one(writer)));
}

async function paged(after: number): Promise<Envelope[]> {
  const events: Envelope[] = [];
  for (let next: number | null = after; next !== null; ) {
    const page: { events: Envelope[]; next: number | null } = (await (
      await daemon.request(`/v1/events?after=${next}&limit=50`)
    ).json()) as { events: Envelope[]; next: number | null };
    events.push(...page.events);
    next = page.next;
  }
  return events;
}

const head = async (): Promise<number> =>
  ((await (await daemon.request('/v1/log/head')).json()) as { position: number }).position;

async function bySse(
  after: number,
  until: number,
  { headers = {}, seen = () => {} }: { headers?: Record<string, string>; seen?: (position: number) => void } = {},
): Promise<Envelope[]> {
  const response = await daemon.request(`/v1/events/stream?after=${after}`, { headers });
  const events = await readSse(response, ({ id }) => {
    seen(Number(id));
    return Number(id) >= until;
  });
  return events.map(({ id, event, data }) => {
    const envelope = JSON.parse(data) as Envelope;
    expect([Number(id), event]).toEqual([envelope.position, undefined]);
    return envelope;
  });
}

function byWebSocket(after: number, until: number): Promise<Envelope[]> {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/events/ws?after=${after}`, { headers });
  return new Promise((resolve, reject) => {
    const events: Envelope[] = [];
    socket.on('error', reject);
    socket.on('close', () => resolve(events));
    socket.on('message', (data) => {
      events.push(JSON.parse(String(data)) as Envelope);
      if (events.at(-1)!.position >= until) socket.close();
    });
  });
}

describe('stored events, then live ones', () => {
  it('readers that begin at any position during writes get every event once, in order', async () => {
    await writeMany();
    const from = await head();
    const until = from + WRITES;
    const writing = writeMany();
    const places = [0, 1, Math.floor(from / 2), from - 1, from];
    const readers = places.flatMap((after) => [bySse(after, until), byWebSocket(after, until)]);
    // These readers begin during the writes.
    const late: Promise<Envelope[]>[] = [];
    while (late.length < LATE_READERS && (await head()) < until) late.push(bySse(0, until), byWebSocket(from, until));
    await writing;
    const truth = await paged(0);
    expect(truth.map(({ position }) => position)).toEqual(truth.map((_, index) => index + 1));
    for (const [index, reader] of readers.entries()) {
      expect(await reader).toEqual(truth.slice(places[Math.floor(index / 2)]!, until));
    }
    for (const [index, reader] of late.entries())
      expect(await reader).toEqual(truth.slice(index % 2 === 0 ? 0 : from, until));
    expect(late.length).toBeGreaterThan(0);
  });

  it('a disconnected reader continues with Last-Event-ID, which has precedence over the query', async () => {
    await writeMany();
    const until = await head();
    const first = await bySse(0, 7);
    const rest = await bySse(0, until, { headers: { 'last-event-id': '7' } });
    expect([...first, ...rest]).toEqual(await paged(0));
  });
});

// Firefox tells a page of a response at its first bytes: the console was not live until the first event.
it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0', /^: keep-alive\n\n/],
  ['curl/8.14.1', /^id: /],
])('a reader that has all events, with the agent %s, begins with %s', async (agent, beginning) => {
  const headers = { 'user-agent': agent };
  const response = await daemon.request(`/v1/events/stream?after=${await head()}`, { headers });
  const reader = response.body!.getReader();
  const first = reader.read();
  await write('later');
  expect(new TextDecoder().decode((await first).value)).toMatch(beginning);
  await reader.cancel();
});

describe('a reader that stops reading', () => {
  const LARGE_CHARACTERS = 900_000;
  /** More than the kernel holds for a reader that does not read, and the 1 MiB the daemon allows behind that. */
  const LARGE_WRITES = 24;
  /** The claim of a title, and the goal. */
  const EVENTS = 2 * LARGE_WRITES;

  /** Opens the stream on a bare socket; `rest` reads on to its end, or to `enough` bytes when there is none. */
  async function stalled(after: number): Promise<{ rest(enough: number): Promise<Buffer> }> {
    const socket = connect({ port: daemon.port, host: '127.0.0.1' });
    const head = [
      `GET /v1/events/stream?after=${after} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${daemon.token}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    return {
      rest: (enough) =>
        new Promise((resolve) => {
          const chunks: Buffer[] = [];
          let length = 0;
          socket.on('error', () => undefined);
          socket.on('close', () => resolve(Buffer.concat(chunks)));
          socket.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            length += chunk.length;
            if (length >= enough) socket.destroy();
          });
          socket.resume();
        }),
    };
  }

  /** The same of the WebSocket; `rest` reads on to its end, and resolves with the code of the close: 4000 after all events. */
  async function stalledSocket(after: number): Promise<{ rest(): Promise<number> }> {
    const headers = { authorization: `Bearer ${daemon.token}` };
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/events/ws?after=${after}`, { headers });
    await once(socket, 'open');
    socket.pause();
    let came = 0;
    socket.on('message', () => {
      came += 1;
      if (came === EVENTS) socket.close(4_000);
    });
    return {
      async rest() {
        socket.resume();
        const [code] = (await once(socket, 'close')) as [number];
        return code;
      },
    };
  }

  it('is disconnected, also from the socket; the others get everything, and so does it after a reconnect', async () => {
    const from = await head();
    const slow = await stalled(from);
    const slowSocket = await stalledSocket(from);
    let read = from;
    const quick = bySse(from, from + EVENTS, {
      seen: (position) => {
        read = position;
      },
    });
    for (let sent = 1; sent <= LARGE_WRITES; sent += 1) {
      const body = JSON.stringify({ title: `large ${sent}`, statement: 'x'.repeat(LARGE_CHARACTERS) });
      const response = await daemon.request('/v1/goals', { method: 'POST', body });
      expect(response.status).toBe(201);
      // Both sides share one process, so the quick reader needs time to read.
      while (read < Number(response.headers.get('daybook-position')))
        await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const all = await quick;
    expect(all).toHaveLength(EVENTS);
    const bytes = LARGE_WRITES * LARGE_CHARACTERS;
    expect((await slow.rest(bytes)).length).toBeLessThan(bytes);
    expect([await slowSocket.rest(), daemon.lines.filter((line) => line.startsWith('error'))]).toEqual([1006, []]);
    expect(await bySse(0, from + EVENTS, { headers: { 'last-event-id': String(from) } })).toEqual(all);
  });
});

it.each(['after=x', 'after=1&after=2'])('a socket refuses the cursor %s', async (cursor) => {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/events/ws?${cursor}`, { headers });
  const status = await new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
  });
  expect(status).toBe(400);
});
