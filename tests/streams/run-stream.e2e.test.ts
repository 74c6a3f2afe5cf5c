/**
 * `GET /stream/{session_id}` on the wire: the same bytes at any time, resumable after any cut, framed as existing
 * clients need it, and complete when the run has ended.
 */
import { describe, expect, it } from 'vitest';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { allBytes, eventsOf, lastId, someBytes, wholeEvents } from './wire.ts';

const SHORT = 'Say it.\nrehearse: tools 1\nrehearse: write notes.txt Ünïcödé 🌱 text';
const SLOW = 'Take your time.\nrehearse: tools 1\nrehearse: slow 16';
const ENDLESS = 'Go on.\nrehearse: slow 10000';

const daemon = sharedDaemon();

async function start(task: string, on = daemon, more: Record<string, unknown> = {}): Promise<string> {
  const body = JSON.stringify({ task, approval: 'auto-edit', ...more });
  const response = await on.request('/agent', { method: 'POST', body });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { session_id: string }).session_id;
}

const job = async (id: string, on = daemon) =>
  (await (await on.request(`/jobs/${id}`)).json()) as {
    status: string;
    finished_at: number | null;
    summary: string | null;
  };
const typesOf = (bytes: Buffer): string[] =>
  eventsOf(bytes).map(({ data }) => (JSON.parse(data) as { type: string }).type);

it('the same bytes reach a reader that begins before the run, during it, after it, or after a restart', async () => {
  const own = await daemonHere({ env: { DAYBOOK_RUNS_MAX: '1' } });
  const blocking = await start(ENDLESS, own);
  const id = await start(SLOW, own);
  expect((await job(id, own)).status).toBe('queued');
  const before = [allBytes(own.request, `/stream/${id}`), allBytes(own.request, `/stream/${id}?after=0`)];
  await own.request(`/jobs/${blocking}/cancel`, { method: 'POST' });
  await readSse(await own.request(`/stream/${id}`), ({ data }) => data.includes('Slowly, 4 of'));
  const during = allBytes(own.request, `/stream/${id}`);
  const [first, second] = await Promise.all(before);
  const all = [second!, await during, await allBytes(own.request, `/stream/${id}`)];
  expect(typesOf(first!).at(-1)).toBe('complete');
  await own.stop();
  const again = await daemonHere({ home: own.home, workspace: own.workspace });
  all.push(await allBytes(again.request, `/stream/${id}`));
  for (const bytes of all) expect(bytes.toString()).toBe(first!.toString());
});

describe('resuming', () => {
  it('after every byte, by header and by both query names, gives the rest of the stream', async () => {
    const id = await start(SHORT);
    const whole = await allBytes(daemon.request, `/stream/${id}`);
    expect(typesOf(whole)).toContain('step');
    const rests = new Map<string, string>();
    const rest = async (last: string): Promise<string> => {
      const path = `/stream/${id}`;
      const ways = [
        await allBytes(daemon.request, path, { 'last-event-id': last }),
        await allBytes(daemon.request, `${path}?after=${last}`),
        await allBytes(daemon.request, `${path}?since_seq=${last}`),
      ].map(String);
      expect(new Set(ways).size).toBe(1);
      return ways[0]!;
    };
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const came = whole.subarray(0, cut);
      const last = lastId(came);
      if (!rests.has(last)) rests.set(last, await rest(last));
      const joined = Buffer.concat([wholeEvents(came), Buffer.from(rests.get(last)!)]);
      expect(joined.equals(whole)).toBe(true);
    }
    expect(rests.size).toBe(eventsOf(whole).length + 1);
  });

  it('a running run after many cuts gives the bytes of an uninterrupted stream', async () => {
    const id = await start(SLOW);
    const uninterrupted = allBytes(daemon.request, `/stream/${id}`);
    let joined = Buffer.alloc(0);
    let cuts = 0;
    let stuck = 0;
    for (let ended = false; !ended; cuts += 1) {
      const response = await daemon.request(`/stream/${id}`, { headers: { 'last-event-id': lastId(joined) } });
      // A reader that is cut before a whole event makes no progress, so it reads longer after each such cut.
      const piece = await someBytes(response, 37 + ((cuts * 53) % 160) + stuck * 200);
      ended = piece.ended;
      const whole = wholeEvents(piece.bytes);
      stuck = whole.length === 0 ? stuck + 1 : 0;
      joined = Buffer.concat([joined, whole]);
    }
    expect(cuts).toBeGreaterThan(10);
    expect(joined.toString()).toBe((await uninterrupted).toString());
  });

  it('after the last event of an ended run is 204, by header and by both query names, for HEAD too', async () => {
    const id = await start(SHORT);
    const end = lastId(await allBytes(daemon.request, `/stream/${id}`));
    const beyond = String(Number(end) + 1);
    for (const [query, headers, method] of [
      ['', { 'last-event-id': end }, 'GET'],
      ['?after=0', { 'last-event-id': end }, 'GET'],
      [`?after=${end}`, {}, 'GET'],
      [`?since_seq=${beyond}`, {}, 'GET'],
      [`?after=${end}`, {}, 'HEAD'],
    ] as const) {
      const response = await daemon.request(`/stream/${id}${query}`, { method, headers });
      expect([query, response.status, await response.text()]).toEqual([query, 204, '']);
    }
    expect(lastId(await allBytes(daemon.request, `/stream/${id}?after=${Number(end) - 1}`))).toBe(end);
  });

  it('works for a cancelled run, and for one that was resumed after its end', async () => {
    const id = await start(ENDLESS);
    await readSse(await daemon.request(`/stream/${id}`), ({ data }) => data.includes('Slowly, 2 of'));
    await daemon.request(`/jobs/${id}/cancel`, { method: 'POST' });
    const end = lastId(await allBytes(daemon.request, `/stream/${id}`));
    const behind = () => daemon.request(`/stream/${id}`, { headers: { 'last-event-id': end } });
    expect((await behind()).status).toBe(204);
    expect(await start(SHORT, daemon, { resume_session_id: id })).toBe(id);
    const response = await behind();
    expect(response.status).toBe(200);
    expect(typesOf(Buffer.from(await response.arrayBuffer())).at(-1)).toBe('complete');
  });

  it('a run without events from the beginning gives an empty stream', async () => {
    const own = await daemonHere({ env: { DAYBOOK_RUNS_MAX: '1' } });
    const blocking = await start(ENDLESS, own);
    const id = await start(SHORT, own);
    for (const each of [id, blocking]) await own.request(`/jobs/${each}/cancel`, { method: 'POST' });
    for (const query of ['', '?after=0']) expect(await allBytes(own.request, `/stream/${id}${query}`)).toHaveLength(0);
    expect((await own.request(`/stream/${id}?after=1`)).status).toBe(204);
  });

  it('the header has precedence over the query; an invalid value is 400', async () => {
    const id = await start(SHORT);
    const end = lastId(await allBytes(daemon.request, `/stream/${id}`));
    const part = await allBytes(daemon.request, `/stream/${id}?after=0`, { 'last-event-id': String(Number(end) - 1) });
    expect(eventsOf(part)).toHaveLength(1);
    for (const cursor of ['-1', '1.5', 'x', '9'.repeat(20)]) {
      const response = await daemon.request(`/stream/${id}?after=${cursor}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.any(String) });
    }
  });
});

describe('framing', () => {
  it('is `id: ` and `data: ` with their space, one line of JSON, no event line', async () => {
    const id = await start(SHORT);
    const response = await daemon.request(`/stream/${id}`);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('cache-control')).toContain('no-cache');
    const blocks = (await response.text()).split('\n\n');
    expect(blocks.pop()).toBe('');
    const ids = blocks.map((block) => {
      const lines = block.split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[1]).toMatch(/^data: \{.*\}$/);
      return Number(/^id: (\d+)$/.exec(lines[0]!)?.[1]);
    });
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('an unknown session is 404 with its sanitised id', async () => {
    const response = await daemon.request('/stream/%20a%2Fb%3Ci%3E');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: "Session 'abi' not found" });
  });
});

describe('the end', () => {
  it('comes with the partial event, which closes the stream', async () => {
    const id = await start('Plan it.\nrehearse: plan first; second');
    const events = eventsOf(await allBytes(daemon.request, `/stream/${id}`));
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({
      type: 'partial',
      steps_completed: 0,
      steps_planned: 2,
      remaining_plan: ['first', 'second'],
    });
    expect((await job(id)).status).toBe('partial');
  });

  it('a resumed session streams its newest request; `after=0` shows all of it', async () => {
    const id = await start('Plan it.\nrehearse: plan first');
    const before = await allBytes(daemon.request, `/stream/${id}`);
    await start('Say it.\nrehearse: tools 1', daemon, { resume_session_id: id });
    const newest = await allBytes(daemon.request, `/stream/${id}`);
    expect(Number(eventsOf(newest)[0]!.id)).toBeGreaterThan(Number(lastId(before)));
    const all = await allBytes(daemon.request, `/stream/${id}?after=0`);
    expect(all.toString()).toBe(before.toString() + newest.toString());
  });

  it('of a cancelled run reaches every open reader without a terminal event, and the record is final', async () => {
    const id = await start(ENDLESS);
    const readers = [1, 2].map(() => allBytes(daemon.request, `/stream/${id}`));
    await readSse(await daemon.request(`/stream/${id}`), ({ data }) => data.includes('Slowly, 2 of'));
    const cancelled = (await (await daemon.request(`/jobs/${id}/cancel`, { method: 'POST' })).json()) as object;
    expect(cancelled).toMatchObject({ status: 'cancelled', cancellation_reason: 'user requested', summary: null });
    const [one, two] = await Promise.all(readers);
    expect(two!.equals(one!)).toBe(true);
    expect(typesOf(one!).filter((type) => ['complete', 'partial', 'error'].includes(type))).toEqual([]);
    // The aborted model call has ended by now; its later output is not recorded.
    expect(await (await daemon.request(`/jobs/${id}`)).json()).toEqual(cancelled);
    expect(await (await daemon.request(`/jobs/${id}/cancel`, { method: 'POST' })).json()).toEqual(cancelled);
    const later = await allBytes(daemon.request, `/stream/${id}`);
    expect(later.toString()).toBe(one!.toString());
  });
});
