/** Tasks of the desk: their order, their states, and the settings of a pair beside them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await testDaemon();
});
afterAll(() => daemon.stop());

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
