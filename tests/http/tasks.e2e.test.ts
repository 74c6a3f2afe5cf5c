/** Tasks of the desktop client: their order, their states, and the settings of a pair. */
import { describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon();

async function titles(query = ''): Promise<readonly string[]> {
  const rows = (await (await daemon.request(`/api/tasks${query}`)).json()) as readonly { readonly title: string }[];
  return rows.map(({ title }) => title);
}

describe('GET /api/tasks', () => {
  // Their times are whole seconds: the tasks of one second came oldest first.
  it('is newest first, also within one second', async () => {
    const made = Array.from({ length: 20 }, (_, index) => `task ${index}`);
    for (const title of made) {
      await daemon.request('/api/tasks', { method: 'POST', body: JSON.stringify({ title }) });
    }
    expect(await titles()).toEqual(made.toReversed());
    await daemon.request('/v1/views/rebuild', { method: 'POST' });
    expect(await titles()).toEqual(made.toReversed());
  });

  it.each(['?state=trashed', '?state=archived'])('%s is empty: no task is ever there', async (query) => {
    expect(await titles(query)).toEqual([]);
  });

  it.each(['?state=active', '?state=all', '?state=other', '?state='])('%s is the active ones', async (query) => {
    expect(await titles(query)).toHaveLength(20);
  });
});

// A task could be renamed to a megabyte, and be linked to one: 200 of them made a list of 200 MB.
describe('a task is of bounded length', () => {
  const long = (length: number): string => 'x'.repeat(length);
  const send = (method: string, path: string, body: object): Promise<Response> =>
    daemon.request(path, { method, body: JSON.stringify(body) });

  it.each([
    [{ title: long(501) }, 'title'],
    [{ title: 't', provider: long(201) }, 'provider'],
    [{ title: 't', model: long(201) }, 'model'],
    [{ title: 't', project_path: long(4_097) }, 'project_path'],
  ])('when it is made (%#)', async (body, field) => {
    const answer = await send('POST', '/api/tasks', body);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(field)]);
  });

  it.each([
    [{ title: long(501) }, 'title'],
    [{ session_id: long(201) }, 'session_id'],
  ])('when it is changed (%#)', async (body, field) => {
    const { id } = (await (await send('POST', '/api/tasks', { title: long(500) })).json()) as { id: string };
    const answer = await send('PATCH', `/api/tasks/${id}`, body);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(field)]);
    const row = (await (await daemon.request(`/api/tasks/${id}`)).json()) as { title: string; session_id: string };
    expect([row.title.length, row.session_id]).toEqual([500, '']);
  });
});
