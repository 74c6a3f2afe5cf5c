/** An import of a daemon that is killed between two of its commits. */
import { expect, it, onTestFinished } from 'vitest';
import { killableDaemon } from '../support/daemon.ts';
import type { Entry } from './support.ts';

it('is completed by the repeat with its key, and stores nothing twice', async () => {
  const entries = Array.from({ length: 120 }, (_, at) => ({ content: `Berth ${at} is let to ship ${at}.` }));
  const init = {
    method: 'POST',
    headers: { 'idempotency-key': 'the-key', 'content-type': 'application/json' },
    body: JSON.stringify({ content: JSON.stringify(entries) }),
  };
  const one = await killableDaemon();
  const cut = one.request('/memory/import', init).catch(() => null);
  await one.event(({ type }) => type === 'MemoryImported');
  await one.kill('SIGKILL');
  await cut;
  const two = await killableDaemon({ home: one.home });
  onTestFinished(async () => void (await two.kill('SIGTERM')));
  const answers = [await two.request('/memory/import', init), await two.request('/memory/import', init)];
  const [first, again] = await Promise.all(answers.map((answer) => answer.json()));
  expect(first).toMatchObject({ imported: 120, total_memories: 120, skipped: [] });
  expect(again).toEqual(first);
  const { memories } = (await (await two.request('/memory/list?limit=1000')).json()) as { memories: Entry[] };
  expect(memories.map(({ content }) => content).sort()).toEqual(entries.map(({ content }) => content).sort());
});
