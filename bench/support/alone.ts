/** Measurements of the daemon alone: folding, memory, stalled readers, starting. */
import { connect, type Socket } from 'node:net';
import { head, OBSERVERS, pause, RUNS, type Scale, TASK_BODY, whenFolded } from './common.ts';
import { homeWithRuns } from './homes.ts';
import {
  type BenchDaemon,
  cpuSeconds,
  end,
  observe,
  removeFolder,
  residentBytes,
  spawnDaemon,
  startDaemon,
  temporaryFolder,
  waits,
} from './processes.ts';
import { type Row, thousands } from './report.ts';

const MEBIBYTE = 1_048_576;

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
      const rate = Math.max(...rates);
      const ours = `${thousands(rate)} events/s (${thousands(scale.rebuildEvents)} events of runs)`;
      return [{ name: 'Views rebuilt', ours, peer: '', ratio: '', goal: '≥ 50,000/s', met: rate >= 50_000 }];
    } finally {
      await daemon.stop();
    }
  } finally {
    removeFolder(home);
  }
}

/** After this time the disk reserve is made, and V8 has tidied up after the start. */
const SETTLED_MS = 30_000;
const IDLE_SECONDS = 30;

/** What a daemon takes of the machine while nobody asks anything: memory after two seconds, later wake-ups and CPU. */
export async function idle(): Promise<readonly Row[]> {
  const home = temporaryFolder('idle');
  const daemon = await startDaemon(home);
  try {
    await whenFolded(daemon);
    await pause(2_000);
    const bytes = residentBytes(daemon.pid);
    const ours = `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
    await pause(SETTLED_MS);
    const before = { waits: waits(daemon.pid), cpu: cpuSeconds(daemon.pid) };
    await pause(IDLE_SECONDS * 1_000);
    const wakeUps = (waits(daemon.pid) - before.waits) / IDLE_SECONDS;
    const cpu = (cpuSeconds(daemon.pid) - before.cpu) / IDLE_SECONDS;
    const calm = `${wakeUps.toFixed(1)} wake-ups/s, ${(cpu * 100).toFixed(2)} % of a core`;
    return [
      { name: 'Idle RSS, empty home', ours, peer: '', ratio: '', goal: '≤ 120 MB', met: bytes <= 120e6 },
      { name: 'Idle, empty home', ours: calm, peer: '', ratio: '', goal: 'printed', met: null },
    ];
  } finally {
    await daemon.stop();
    removeFolder(home);
  }
}

const STALLED_RATE = 1_000;
/** Requests in flight, so that the rate is reached however long one POST takes. */
const STALLED_WRITERS = 100;

/**
 * Readers that open the stream and never read a byte, while events keep coming. The same writing runs for the same time
 * before they connect, so that its own cost (caches of the store, the heap of a busy process) is not attributed to
 * them.
 */
export async function stalledReaders(scale: Scale): Promise<readonly Row[]> {
  const home = temporaryFolder('stalled');
  const daemon = await startDaemon(home);
  const sockets: Socket[] = [];
  try {
    await whenFolded(daemon);
    const fresh = residentBytes(daemon.pid);
    const alone = await peakWhileWriting(daemon, scale);
    const before = residentBytes(daemon.pid);
    const after = await head(daemon);
    for (let n = 0; n < OBSERVERS; n += 1) sockets.push(await openAndStall(daemon, after));
    const stalled = await peakWhileWriting(daemon, scale);
    const mebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
    return [
      {
        name: `${OBSERVERS} stalled readers, ${scale.stalledMs / 1000} s, ${thousands(stalled.rate)} events/s`,
        ours:
          `peak + ${mebibytes(stalled.peak - before)} over ${mebibytes(before)} ` +
          `(the writing alone before: + ${mebibytes(alone.peak - fresh)} over ${mebibytes(fresh)})`,
        peer: '',
        ratio: '',
        goal: '< 64 MB more',
        met: stalled.peak - before < 64e6,
      },
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    await daemon.stop();
    removeFolder(home);
  }
}

/** Writes for a while, with one reader that keeps up, and records the daemon's resident bytes. */
async function peakWhileWriting(daemon: BenchDaemon, scale: Scale): Promise<{ peak: number; rate: number }> {
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, residentBytes(daemon.pid));
  }, 100);
  const from = await head(daemon);
  const begin = performance.now();
  await observe({
    port: daemon.port,
    observers: 1,
    headers: daemon.headers,
    streamPath: `/v1/events/stream?after=${from}`,
    warmupMs: 0,
    post: { path: '/api/tasks', body: TASK_BODY },
    writers: STALLED_WRITERS,
    durationMs: scale.stalledMs,
    ratePerSecond: STALLED_RATE,
  });
  clearInterval(watching);
  return { peak, rate: ((await head(daemon)) - from) / ((performance.now() - begin) / 1000) };
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
