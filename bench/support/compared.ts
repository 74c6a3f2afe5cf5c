/** Comparisons with a bare peer in the same run: routes under load, and the fan-out of one stream to many observers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { head, OBSERVERS, RUNS, type Scale, TASK_BODY, whenFolded } from './common.ts';
import { homeWithRuns } from './homes.ts';
import type { LoadResult } from './load.ts';
import type { ObserverPlan, ObserverResult } from './observers.ts';
import {
  type BareServers,
  type BenchDaemon,
  cpuSeconds,
  load,
  observe,
  removeFolder,
  startBare,
  startDaemon,
  temporaryFolder,
} from './processes.ts';
import { type Row, thousands } from './report.ts';

const CONNECTIONS = 50;
const WARMUP_MS = 700;
const JOBS = 100;
const EVENTS_PER_RUN = 22;

/** Runs `work` with a daemon on a home, and bare servers that serve the same answers as this daemon. */
export async function withBoth(work: (sides: Sides) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const home = temporaryFolder('both');
  let daemon: BenchDaemon | undefined;
  let bare: BareServers | undefined;
  try {
    await homeWithRuns(home, JOBS * EVENTS_PER_RUN);
    daemon = await startDaemon(home);
    await whenFolded(daemon);
    const jobs = (await (await daemon.request('/jobs')).json()) as { session_id: string }[];
    const jobId = jobs[0]!.session_id;
    const valuesFile = join(home, 'bare.json');
    const message = await newestMessage(daemon);
    writeFileSync(valuesFile, JSON.stringify({ job: jobs[0], jobs, message }));
    bare = await startBare(valuesFile);
    return await work({ daemon, bare, jobId });
  } finally {
    await bare?.stop();
    await daemon?.stop();
    removeFolder(home);
  }
}

export interface Sides {
  readonly daemon: BenchDaemon;
  readonly bare: BareServers;
  readonly jobId: string;
}

/** One message of the log's stream as it is sent: every bare observer receives the same. */
async function newestMessage(daemon: BenchDaemon): Promise<string> {
  const answer = await daemon.request('/api/tasks', { method: 'POST', body: TASK_BODY });
  if (answer.status !== 200) throw new Error(await answer.text());
  const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
  const stream = await daemon.request(`/v1/events/stream?after=${position - 1}`);
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  return text.slice(0, text.indexOf('\n\n') + 2);
}

export async function routes({ daemon, bare, jobId }: Sides, scale: Scale): Promise<readonly Row[]> {
  const cases = [
    { name: 'GET /jobs/{id}', method: 'GET', path: `/jobs/${jobId}`, goal: 70 },
    { name: `GET /jobs (${JOBS} rows)`, method: 'GET', path: '/jobs', goal: 70 },
    {
      name: `POST /api/tasks, durable, ${CONNECTIONS} clients`,
      method: 'POST',
      path: '/api/tasks',
      body: TASK_BODY,
      goal: 30,
    },
  ] as const;
  const rows: Row[] = [];
  for (const { name, goal, ...request } of cases) {
    const plan = { connections: CONNECTIONS, warmupMs: WARMUP_MS, durationMs: scale.loadMs, ...request };
    const [peer, ours] = await best(
      () => load({ ...plan, port: bare.fastifyPort, headers: daemon.headers }),
      () => load({ ...plan, port: daemon.port, headers: daemon.headers }),
      (result) => result.requestsPerSecond,
    );
    const ratio = (ours.requestsPerSecond / peer.requestsPerSecond) * 100;
    rows.push({
      name,
      ours: requests(ours),
      peer: requests(peer),
      ratio: `${ratio.toFixed(0)} %`,
      goal: `≥ ${goal} %`,
      met: ratio >= goal,
    });
  }
  return rows;
}

/** The best of several runs of each, in turns. */
async function best<Result>(
  peer: () => Promise<Result>,
  ours: () => Promise<Result>,
  rate: (result: Result) => number,
): Promise<readonly [Result, Result]> {
  const results: (readonly [Result, Result])[] = [];
  for (let run = 0; run < RUNS; run += 1) results.push([await peer(), await ours()]);
  const highest = (side: 0 | 1): Result =>
    results.map((pair) => pair[side]).reduce((top, each) => (rate(each) > rate(top) ? each : top));
  return [highest(0), highest(1)];
}

function requests(result: LoadResult): string {
  const { requestsPerSecond, p50Ms, p99Ms } = result;
  return `${thousands(requestsPerSecond)}/s (p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms)`;
}

export async function fanOut({ daemon, bare }: Sides, scale: Scale): Promise<readonly Row[]> {
  const plan = { observers: OBSERVERS, headers: daemon.headers, warmupMs: WARMUP_MS, durationMs: scale.fanOutMs };
  const post = { path: '/api/tasks', body: TASK_BODY };
  const ourPlan = async () => ({
    ...plan,
    port: daemon.port,
    streamPath: `/v1/events/stream?after=${await head(daemon)}`,
    post,
  });
  const barePlan = { ...plan, port: bare.fanOutPort, streamPath: '/', post };
  const rows: Row[] = [];
  for (const writers of [1, 8]) {
    const [peer, ours] = await best(
      () => observed({ ...barePlan, writers }, bare.pid),
      async () => observed({ ...(await ourPlan()), writers }, daemon.pid),
      (result) => result.deliveriesPerSecond,
    );
    const ratio = (ours.deliveriesPerSecond / peer.deliveriesPerSecond) * 100;
    rows.push({
      name: `SSE, ${OBSERVERS} observers, ${writers === 1 ? '1 writer' : `${writers} writers`}`,
      ours: deliveries(ours),
      peer: deliveries(peer),
      ratio: `${ratio.toFixed(0)} %`,
      goal: '≥ 100 %',
      met: ratio >= 100 && ours.lost === 0,
    });
  }
  const timed = { writers: 1, ratePerSecond: 20 };
  const peer = await observe({ ...barePlan, ...timed });
  const ours = await observe({ ...(await ourPlan()), ...timed });
  rows.push({
    name: `SSE delivery at ${timed.ratePerSecond} messages/s, POST to last byte`,
    ours: delays(ours),
    peer: delays(peer),
    ratio: '',
    goal: 'printed',
    met: null,
  });
  return rows;
}

interface Observed extends ObserverResult {
  readonly cpuMicroseconds: number;
}

async function observed(plan: ObserverPlan, pid: number): Promise<Observed> {
  const before = cpuSeconds(pid);
  const result = await observe(plan);
  const all = result.deliveriesPerSecond * (result.seconds + plan.warmupMs / 1000);
  return { ...result, cpuMicroseconds: ((cpuSeconds(pid) - before) * 1e6) / all };
}

function deliveries({ deliveriesPerSecond, messageBytes, cpuMicroseconds, lost }: Observed): string {
  const cut = lost === 0 ? '' : `, ${lost} cut off`;
  return `${thousands(deliveriesPerSecond)}/s of ${messageBytes} bytes (${cpuMicroseconds.toFixed(1)} µs CPU each${cut})`;
}

function delays({ p50Ms, p99Ms }: ObserverResult): string {
  return `p50 ${p50Ms?.toFixed(1)} ms, p99 ${p99Ms?.toFixed(1)} ms`;
}
