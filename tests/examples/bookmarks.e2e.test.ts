/** The example of docs/adding-a-capability.md works mounted into a daemon. */
import { describe, expect, it } from 'vitest';
import { bookmarkResource } from '../../examples/bookmarks/resource.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { daemonHere, type TestDaemon, type TestDaemonOptions } from '../support/daemon.ts';

const open = (options: TestDaemonOptions = {}): Promise<TestDaemon> =>
  daemonHere({ extensions: [bookmarkResource], ...options });

function add(daemon: TestDaemon, fields: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return daemon.request('/bookmarks', { method: 'POST', body: JSON.stringify(fields), headers });
}

async function list(daemon: TestDaemon): Promise<readonly { id: string; title: string }[]> {
  const { bookmarks } = (await (await daemon.request('/bookmarks')).json()) as { bookmarks: [] };
  return bookmarks;
}

describe('mounted into a daemon', () => {
  it('bookmarks are created, listed, deleted, and there again after a restart', async () => {
    const daemon = await open();
    const made = await add(daemon, { url: 'https://example.org/a', title: 'A' });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    await add(daemon, { url: 'https://example.org/b', title: 'B' });
    expect((await list(daemon)).map(({ title }) => title).sort()).toEqual(['A', 'B']);
    expect((await daemon.request(`/bookmarks/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await daemon.request(`/bookmarks/${id}`, { method: 'DELETE' })).status).toBe(204);
    await daemon.stop();
    const again = await open({ home: daemon.home });
    expect((await list(again)).map(({ title }) => title)).toEqual(['B']);
  });

  it('bad input and unknown ids are refused, and nothing is recorded', async () => {
    const daemon = await open();
    const bad = await add(daemon, { url: 'no address', title: '' });
    expect(bad.status).toBe(400);
    expect(await bad.json()).toEqual({ error: expect.stringMatching(/url.*title/s) });
    const unknown = await daemon.request('/bookmarks/nowhere', { method: 'DELETE' });
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Bookmark not found' }]);
    expect(await list(daemon)).toEqual([]);
  });

  it('a repeated request with an Idempotency-Key gets the first answer', async () => {
    const daemon = await open();
    const headers = { 'idempotency-key': 'once' };
    const fields = { url: 'https://example.org', title: 'Once' };
    const [first, second] = [await add(daemon, fields, headers), await add(daemon, fields, headers)];
    expect(await second.json()).toEqual(await first.json());
    expect(await list(daemon)).toHaveLength(1);
  });

  it('the stream has the events of bookmarks only, stored and live, and resumes', async () => {
    const daemon = await open();
    await daemon.request('/api/tasks', { method: 'POST', body: '{"title":"another stream"}' });
    await add(daemon, { url: 'https://example.org/a', title: 'A' });
    const stream = await daemon.request('/bookmarks/stream');
    await add(daemon, { url: 'https://example.org/b', title: 'B' });
    const seen = await readSse(stream, ({ data }) => data.includes('"B"'));
    const titles = seen.map(({ data }) => (JSON.parse(data) as { data: { title: string } }).data.title);
    expect(titles).toEqual(['A', 'B']);
    const resumed = await daemon.request('/bookmarks/stream', { headers: { 'last-event-id': seen[0]!.id! } });
    const [next] = await readSse(resumed, () => true);
    expect(next).toEqual(seen[1]);
  });

  it('is described in the OpenAPI document', async () => {
    const daemon = await open();
    const { paths } = (await (await daemon.request('/openapi.json')).json()) as { paths: Record<string, object> };
    expect(Object.keys(paths['/bookmarks']!).sort()).toEqual(['get', 'post']);
    expect(paths).toHaveProperty('/bookmarks/stream');
  });
});
