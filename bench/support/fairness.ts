/**
 * How long `GET /health` of one client takes while others are active: readers of the log's stream or of a run's output
 * that catch up on 6 MB each or read nothing, writers of events of 4 KB, peers of rooms that write 4 KB at a time, and
 * readers of long lists.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { head, pause, type Scale, whenFolded } from './common.ts';
import { addRun, homeWithRuns } from './homes.ts';
import type { LoadResult } from './load.ts';
import {
  type BenchDaemon,
  load,
  observe,
  removeFolder,
  roomPeers,
  startBare,
  startDaemon,
  temporaryFolder,
} from './processes.ts';
import type { Row } from './report.ts';

const READERS = 300;
const FEW_READERS = 50;
const HISTORY_EVENTS = 15_000;
const HISTORY_BYTES = 6_000_000;
/** One run with an output of 6 MB. */
const LONG_ANSWER = { chunks: 9_000, sentences: 15 };
const WRITERS = 8;
const POST = { path: '/api/tasks', body: JSON.stringify({ title: 'A long path', project_path: '/x'.repeat(1_950) }) };
const ROOM_WRITES_PER_SECOND = 20;
/** Lists of so many facts, by so many callers at a time. */
const LISTS = 20;
const FACTS = 5_000;
const FACTS_AT_ONCE = 50;
const P99_MS_MAX = 60;
const MAX_MS_MAX = 150;
/** Between two requests of the measured client. */
const QUESTION_MS = 5;

export async function fairness({ fairnessMs }: Scale): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const readers of [0, FEW_READERS, READERS]) {
    const bare = readers === 0 ? undefined : await bareReading(readers, fairnessMs);
    rows.push(
      await beside(
        `${readers} readers of the log, ${WRITERS} writers`,
        fairnessMs,
        async (daemon) => {
          const after = readers === 0 ? await head(daemon) : 0;
          return reading(daemon, `/v1/events/stream?after=${after}`, { readers, fairnessMs });
        },
        { bare },
      ),
    );
  }
  rows.push(
    await beside(`${READERS} readers of a run, ${WRITERS} writers`, fairnessMs, async (daemon) => {
      const [job] = (await (await daemon.request('/jobs?limit=1')).json()) as [{ session_id: string }];
      return reading(daemon, `/stream/${job.session_id}`, { readers: READERS, fairnessMs });
    }),
  );
  rows.push(
    await beside(`${READERS} peers in rooms, ${WRITERS} writers`, fairnessMs, async ({ port, headers }) => {
      const token = headers.authorization!.replace('Bearer ', '');
      const plan = { port, token, peers: READERS, writers: WRITERS, perSecond: ROOM_WRITES_PER_SECOND };
      return roomPeers({ ...plan, durationMs: fairnessMs });
    }),
  );
  rows.push(
    await beside(
      `${LISTS} lists of ${FACTS.toLocaleString('en')} facts at a time`,
      fairnessMs,
      (daemon) => listing(daemon, fairnessMs),
      { prepare: recordFacts },
    ),
  );
  return rows;
}

async function recordFacts({ request }: BenchDaemon): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (let first = 0; first < FACTS; first += FACTS_AT_ONCE) {
    const facts = Array.from({ length: FACTS_AT_ONCE }, (_, index) => ({
      subject: `Invoice ${first + index}`,
      predicate: 'is paid by',
      object: 'a customer of the old system',
    }));
    await Promise.all(
      facts.map((fact) => request('/memory/fact', { method: 'POST', headers, body: JSON.stringify(fact) })),
    );
  }
}

async function listing({ request }: BenchDaemon, durationMs: number): Promise<Throughput> {
  const end = performance.now() + durationMs;
  let bytes = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const list = await request(`/memory/facts?limit=${FACTS}`);
      const { length } = await list.bytes();
      bytes += length;
    }
  };
  await Promise.all(Array.from({ length: LISTS }, caller));
  return { bytesPerSecond: (bytes / durationMs) * 1_000 };
}

/** The throughput of the others in this time. */
interface Throughput {
  /** Of all readers together. */
  readonly bytesPerSecond: number;
  readonly writesPerSecond?: number;
}

/** Half of the readers read nothing. */
async function reading(
  { port, headers }: Pick<BenchDaemon, 'port' | 'headers'>,
  streamPath: string,
  { readers, fairnessMs }: { readonly readers: number; readonly fairnessMs: number },
): Promise<Throughput> {
  return observe({
    port,
    headers,
    warmupMs: 0,
    durationMs: fairnessMs,
    observers: Math.max(1, readers),
    stalled: Math.floor(readers / 2),
    streamPath,
    writers: WRITERS,
    post: POST,
  });
}

/** The same readers and writers on a bare server, which sends as many bytes of history and stores nothing. */
async function bareReading(readers: number, fairnessMs: number): Promise<Throughput> {
  const folder = temporaryFolder('fairness-bare');
  const valuesFile = join(folder, 'bare.json');
  writeFileSync(valuesFile, JSON.stringify({ job: null, jobs: null, message: `data: ${POST.body}\n\n` }));
  const { fanOutPort: port, stop } = await startBare(valuesFile);
  try {
    return await reading({ port, headers: {} }, `/?history=${HISTORY_BYTES}`, { readers, fairnessMs });
  } finally {
    await stop();
    removeFolder(folder);
  }
}

interface Beside {
  readonly bare?: Throughput | undefined;
  /** What the daemon needs first; not measured. */
  prepare?(daemon: BenchDaemon): Promise<void>;
}

async function beside(
  others: string,
  durationMs: number,
  work: (daemon: BenchDaemon) => Promise<Throughput>,
  { bare, prepare }: Beside = {},
): Promise<Row> {
  const home = temporaryFolder('fairness');
  await homeWithRuns(home, HISTORY_EVENTS);
  await addRun(home, LONG_ANSWER);
  const daemon = await startDaemon(home);
  try {
    await whenFolded(daemon);
    await prepare?.(daemon);
    const working = work(daemon);
    await pause(QUESTION_MS);
    const { port, headers } = daemon;
    const plan = { port, headers, warmupMs: 0, durationMs, connections: 1, pauseMs: QUESTION_MS };
    const asked = await load({ ...plan, method: 'GET', path: '/health' });
    return row(others, asked, { ours: await working, bare });
  } finally {
    await daemon.stop();
    removeFolder(home);
  }
}

function throughput({ bytesPerSecond, writesPerSecond }: Throughput): string {
  const written = writesPerSecond === undefined ? '' : `, ${writesPerSecond.toFixed(0)} writes/s`;
  return `${(bytesPerSecond / 1e6).toFixed(0)} MB/s${written}`;
}

function row(
  others: string,
  { p50Ms, p99Ms, maxMs }: LoadResult,
  { ours, bare }: { readonly ours: Throughput; readonly bare: Throughput | undefined },
): Row {
  const times = `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, max ${maxMs.toFixed(0)} ms`;
  return {
    name: `GET /health beside ${others}`,
    ours: `${times} (they get ${throughput(ours)})`,
    peer: bare === undefined ? '' : throughput(bare),
    ratio: '',
    goal: `p99 ≤ ${P99_MS_MAX}, max ≤ ${MAX_MS_MAX} ms`,
    met: p99Ms <= P99_MS_MAX && maxMs <= MAX_MS_MAX,
  };
}
