/**
 * Reading a large engagement: 200 deliverables with 1,000 evidence items, 200 of them local files, now and as of an
 * earlier position. Each figure is the median and the worst of sequential requests, over HTTP, from a separate process.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenFolded } from './support/common.ts';
import { type BenchDaemon, removeFolder, startDaemon, temporaryFolder } from './support/processes.ts';
import type { Row } from './support/report.ts';

const DELIVERABLES = 200;
const EVIDENCE = 1_000;
const FILES = 200;
const ASKED = 40;
const WARM_UP = 10;

export async function engagements(): Promise<readonly Row[]> {
  const home = temporaryFolder('engagement');
  const workspace = temporaryFolder('evidence');
  const daemon = await startDaemon(home);
  try {
    await whenFolded(daemon);
    const id = await largeEngagement(daemon, workspace);
    const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
    const half = position - EVIDENCE / 2;
    return [
      await row(daemon, 'GET', `/engagements/${id}`),
      await row(daemon, 'deliverables', `/engagements/${id}/deliverables`),
      await row(daemon, 'report.md', `/engagements/${id}/report.md`),
      await row(daemon, 'handover.md', `/engagements/${id}/handover.md`),
      await row(daemon, 'GET ?at=', `/engagements/${id}?at=${half}`),
      await row(daemon, 'report.md?at=', `/engagements/${id}/report.md?at=${half}`),
      await row(daemon, 'history, 500 events', `/engagements/${id}/history`),
    ];
  } finally {
    await daemon.stop();
    removeFolder(home);
    removeFolder(workspace);
  }
}

async function largeEngagement(daemon: BenchDaemon, workspace: string): Promise<string> {
  const { engagement } = await post<{ engagement: { id: string } }>(daemon, '/engagements', {
    name: 'Ledger migration',
    client: 'Acme',
    workspace_path: workspace,
  });
  const base = `/engagements/${engagement.id}/deliverables`;
  for (let n = 30; n < DELIVERABLES; n += 1) {
    const phase = ['discover', 'prove', 'build', 'operate'][n % 4];
    await post(daemon, base, {
      phase,
      key: `extra-${n}`,
      title: `Extra ${n}`,
      description: 'What it is, in a sentence.',
    });
  }
  const { deliverables } = (await (await daemon.request(base)).json()) as { deliverables: { id: string }[] };
  for (let n = 0; n < EVIDENCE; n += 1) {
    const name = `evidence-${n}.md`;
    const file = n < FILES;
    if (file) writeFileSync(join(workspace, name), `${name}\n`.repeat(500));
    const path = `${base}/${deliverables[n % DELIVERABLES]!.id}/evidence`;
    const reference = file ? name : `https://wiki.example/pages/${n}`;
    await post(daemon, path, { kind: file ? 'file' : 'url', label: `Evidence ${n}`, reference });
  }
  return engagement.id;
}

async function row(daemon: BenchDaemon, name: string, path: string): Promise<Row> {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + ASKED; n += 1) {
    const before = performance.now();
    const response = await daemon.request(path);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`);
    if (n >= WARM_UP) times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  const ms = (index: number): string => times[index]!.toFixed(1);
  const ours = `${ms(ASKED / 2)} ms, worst of ${ASKED} ${ms(ASKED - 1)} ms`;
  return { name: `Engagement of ${DELIVERABLES}/${EVIDENCE}: ${name}`, ours, peer: '', ratio: '', goal: '', met: null };
}

async function post<Body>(daemon: BenchDaemon, path: string, body: unknown): Promise<Body> {
  const response = await daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}
