/** After a kill of the daemon acknowledged changes are there, read from views that are folded again. */
import { expect, it, onTestFinished } from 'vitest';
import { killableDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Client, client } from './support.ts';

const home = temporaryFolder('home');
const workspace = temporaryFolder('workspace');

/** Everything a reader can see. */
async function everything(http: Client, id: string): Promise<unknown> {
  const report = await http.send<{ report: { generated_at: number } }>('GET', `/engagements/${id}`);
  const [deliverables, gates] = await Promise.all([http.deliverables(id), http.gates(id)]);
  const texts = await Promise.all(['report.md', 'handover.md'].map((name) => http.text(`/engagements/${id}/${name}`)));
  const history = await http.send('GET', `/engagements/${id}/history`);
  return { report: { ...report.body.report, generated_at: 0 }, deliverables, gates, texts, history };
}

it('survives SIGKILL and a rebuild of the views', async () => {
  const first = await killableDaemon({ home, workspace });
  const http = client(first);
  const id = await http.open({ client: 'Acme' });
  const [item] = await http.deliverables(id);
  const [gate] = await http.gates(id);
  const writes = Array.from({ length: 30 }, (_, n) =>
    http.send('POST', `/engagements/${id}/deliverables/${item!.id}/evidence`, { label: `${n}` }),
  );
  expect((await Promise.all(writes)).every(({ status }) => status === 200)).toBe(true);
  await http.send('POST', `/engagements/${id}/gates/${gate!.id}/judge`, { verdict: 'fail', observed: 'it broke' });
  await http.send('POST', `/engagements/${id}/advance`, { force: true, reason: 'No time.' });
  const before = await everything(http, id);
  await first.kill('SIGKILL');

  const second = await killableDaemon({ home, workspace });
  onTestFinished(async () => void (await second.kill('SIGTERM')));
  const again = client(second);
  await expect.poll(() => everything(again, id)).toEqual(before);
  expect((await again.send('POST', '/v1/views/rebuild')).status).toBe(200);
  expect(await everything(again, id)).toEqual(before);
  expect((await again.evidence(id, item!.id)).map(({ label }) => label).sort()).toEqual(
    Array.from({ length: 30 }, (_, n) => `${n}`).sort(),
  );
});
