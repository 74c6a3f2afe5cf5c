/** What is measured, a function each; every one answers rows of the result table and leaves no process behind. */
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { homeWithRuns } from './homes.ts';
import type { LoadPlan, LoadResult } from './load.ts';
import type { ObserverPlan, ObserverResult } from './observers.ts';
import {
  type BareServers,
  type BenchDaemon,
  cpuSeconds,
  end,
  load,
  observe,
  removeFolder,
  residentBytes,
  spawnDaemon,
  startBare,
  startDaemon,
  temporaryFolder,
} from './processes.ts';
import { type Row, thousands } from './report.ts';

export interface Scale {
  readonly loadMs: number;
  readonly fanOutMs: number;
  readonly stalledMs: number;
  readonly rebuildEvents: number;
  readonly starts: number;
  /** 0: the large log is left out. */
  readonly largeLogEvents: number;
}

const CONNECTIONS = 50;
const OBSERVERS = 1_000;
const WARMUP_MS = 700;
const JOBS = 100;
const EVENTS_PER_RUN = 22;
const MEBIBYTE = 1_048_576;
const TASK_BODY = JSON.stringify({ title: 'Water the plants before the weekend' });

/** Runs `work` with a daemon on a home and the bare servers that serve what this daemon answers. */
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

async function whenFolded(daemon: BenchDaemon): Promise<void> {
  for (;;) {
    const health = (await (await daemon.request('/health')).json()) as { status: string };
    if (health.status === 'ok') return;
    await pause(50);
  }
}

/** One message of the log's stream as it goes over the wire: what every bare observer gets, too. */
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
      goal: 40,
    },
  ] as const;
  const rows: Row[] = [];
  for (const { name, goal, ...request } of cases) {
    const plan = { connections: CONNECTIONS, warmupMs: WARMUP_MS, durationMs: scale.loadMs, ...request };
    const peer = await bestOf(() => load({ ...plan, port: bare.fastifyPort, headers: daemon.headers }));
    const ours = await bestOf(() => load({ ...plan, port: daemon.port, headers: daemon.headers } as LoadPlan));
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

const RUNS = 3;

/** The median of three runs, so that one disturbance decides nothing. */
async function bestOf(once: () => Promise<LoadResult>): Promise<LoadResult> {
  const results: LoadResult[] = [];
  for (let run = 0; run < RUNS; run += 1) results.push(await once());
  return results.sort((a, b) => a.requestsPerSecond - b.requestsPerSecond)[1]!;
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
    const peer = await observed({ ...barePlan, writers }, bare.pid);
    const ours = await observed({ ...(await ourPlan()), writers }, daemon.pid);
    const ratio = (ours.deliveriesPerSecond / peer.deliveriesPerSecond) * 100;
    rows.push({
      name: `SSE, ${OBSERVERS} observers, ${writers === 1 ? '1 writer' : `${writers} writers`}`,
      ours: deliveries(ours),
      peer: deliveries(peer),
      ratio: `${ratio.toFixed(0)} %`,
      goal: '≥ 80 %',
      met: ratio >= 80 && ours.lost === 0,
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

async function head(daemon: BenchDaemon): Promise<number> {
  return ((await (await daemon.request('/v1/log/head')).json()) as { position: number }).position;
}

function deliveries({ deliveriesPerSecond, messageBytes, cpuMicroseconds, lost }: Observed): string {
  const cut = lost === 0 ? '' : `, ${lost} cut off`;
  return `${thousands(deliveriesPerSecond)}/s of ${messageBytes} bytes (${cpuMicroseconds.toFixed(1)} µs CPU each${cut})`;
}

function delays({ p50Ms, p99Ms }: ObserverResult): string {
  return `p50 ${p50Ms?.toFixed(1)} ms, p99 ${p99Ms?.toFixed(1)} ms`;
}

export async function rebuild(scale: Scale): Promise<readonly Row[]> {
  const home = temporaryFolder('rebuild');
  try {
    await homeWithRuns(home, scale.rebuildEvents);
    const daemon = await startDaemon(home);
    try {
      await whenFolded(daemon);
      const rates: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const answer = await daemon.request('/v1/views/rebuild', { method: 'POST' });
        const { position, seconds } = (await answer.json()) as { position: number; seconds: number };
        rates.push(position / seconds);
      }
      const rate = median(rates);
      const ours = `${thousands(rate)} events/s (${thousands(scale.rebuildEvents)} events of runs)`;
      return [{ name: 'Views rebuilt', ours, peer: '', ratio: '', goal: '≥ 50,000/s', met: rate >= 50_000 }];
    } finally {
      await daemon.stop();
    }
  } finally {
    removeFolder(home);
  }
}

export async function idleMemory(): Promise<readonly Row[]> {
  const home = temporaryFolder('idle');
  const daemon = await startDaemon(home);
  try {
    await whenFolded(daemon);
    await pause(2_000);
    const bytes = residentBytes(daemon.pid);
    const ours = `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
    return [{ name: 'Idle RSS, empty home', ours, peer: '', ratio: '', goal: '≤ 120 MB', met: bytes <= 120e6 }];
  } finally {
    await daemon.stop();
    removeFolder(home);
  }
}

const STALLED_RATE = 1_000;
/** In flight at once, so that the rate is reached whatever one POST takes. */
const STALLED_WRITERS = 100;

/** Readers that open the stream and never read a byte, while events keep coming. */
export async function stalledReaders(scale: Scale): Promise<readonly Row[]> {
  const home = temporaryFolder('stalled');
  const daemon = await startDaemon(home);
  const sockets: Socket[] = [];
  try {
    await whenFolded(daemon);
    // The daemon is warm before it is weighed: what the code itself grows to is not what the readers cost.
    const writing = {
      port: daemon.port,
      observers: 1,
      headers: daemon.headers,
      streamPath: '/v1/events/stream',
      warmupMs: 0,
    };
    const post = { path: '/api/tasks', body: TASK_BODY };
    await observe({ ...writing, post, writers: STALLED_WRITERS, durationMs: 3_000 });
    await pause(1_000);
    const before = residentBytes(daemon.pid);
    const after = await head(daemon);
    for (let n = 0; n < OBSERVERS; n += 1) sockets.push(await openAndStall(daemon, after));
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, residentBytes(daemon.pid));
    }, 100);
    const at = performance.now();
    await observe({
      ...writing,
      post,
      writers: STALLED_WRITERS,
      durationMs: scale.stalledMs,
      ratePerSecond: STALLED_RATE,
    });
    clearInterval(watching);
    const rate = ((await head(daemon)) - after) / ((performance.now() - at) / 1000);
    const grown = (peak - before) / MEBIBYTE;
    const seconds = scale.stalledMs / 1000;
    return [
      {
        name: `${OBSERVERS} stalled readers, ${seconds} s, ${thousands(rate)} events/s`,
        ours: `peak + ${grown.toFixed(0)} MiB over ${(before / MEBIBYTE).toFixed(0)} MiB`,
        peer: '',
        ratio: '',
        goal: '< 64 MB more',
        met: peak - before < 64e6,
      },
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    await daemon.stop();
    removeFolder(home);
  }
}

function openAndStall(daemon: BenchDaemon, after: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: daemon.port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('data', () => {
      socket.pause();
      socket.removeAllListeners('error').on('error', () => undefined);
      resolve(socket);
    });
    const { authorization } = daemon.headers;
    socket.write(
      `GET /v1/events/stream?after=${after} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n\r\n`,
    );
  });
}

export async function starts(scale: Scale): Promise<readonly Row[]> {
  const times: number[] = [];
  for (let run = 0; run < scale.starts; run += 1) {
    const home = temporaryFolder('start');
    times.push(await startTime(home));
    removeFolder(home);
  }
  const rows: Row[] = [startRow('/health on an empty home', times, 300)];
  if (scale.largeLogEvents === 0) return rows;
  const home = temporaryFolder('large');
  try {
    await homeWithRuns(home, scale.largeLogEvents);
    const unfolded = await startTime(home);
    const daemon = await startDaemon(home);
    await whenFolded(daemon);
    await daemon.stop();
    const folded: number[] = [];
    for (let run = 0; run < scale.starts; run += 1) folded.push(await startTime(home));
    rows.push(startRow(`/health with ${thousands(scale.largeLogEvents)} events`, folded, 1_000));
    rows.push(startRow('the same with no views yet', [unfolded], 1_000));
    return rows;
  } finally {
    removeFolder(home);
  }
}

function startRow(name: string, times: readonly number[], goalMs: number): Row {
  const ms = median(times);
  const all = [...times].map((time) => time.toFixed(0)).join(', ');
  return {
    name,
    ours: `${ms.toFixed(0)} ms (of ${all})`,
    peer: '',
    ratio: '',
    goal: `≤ ${goalMs} ms`,
    met: ms <= goalMs,
  };
}

/** Milliseconds from the spawn of the process to the last byte of its first answer. */
async function startTime(home: string): Promise<number> {
  const begin = performance.now();
  const child = spawnDaemon(home);
  try {
    const url = await new Promise<string>((found, failed) => {
      let text = '';
      child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const match = /^listening (\S+)$/m.exec(text);
        if (match) found(match[1]!);
      });
      child.once('exit', () => failed(new Error(text)));
    });
    const answer = await fetch(`${url}/health`);
    await answer.text();
    if (answer.status !== 200) throw new Error(`/health answered ${answer.status}`);
    return performance.now() - begin;
  } finally {
    await end(child, 'SIGTERM');
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
