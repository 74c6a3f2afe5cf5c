/**
 * How long `GET /health` of one client waits while others write events of 4 KB, and readers of the log's stream catch
 * up on 6 MB each or read nothing.
 */
import { head, pause, type Scale, whenFolded } from './common.ts';
import { homeWithRuns } from './homes.ts';
import { load, observe, removeFolder, startDaemon, temporaryFolder } from './processes.ts';
import type { Row } from './report.ts';

const HISTORY_BYTES = 6_000_000;
const EVENT_BYTES = 400;
const WRITERS = 8;
const POST = { path: '/api/tasks', body: JSON.stringify({ title: 'A long path', project_path: '/x'.repeat(1_950) }) };
const P99_MS_MAX = 60;
const MAX_MS_MAX = 150;
/** Between two questions of the client that is measured. */
const QUESTION_MS = 5;

export async function fairness(scale: Scale): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const readers of [0, 50, 300]) rows.push(await besideReaders(readers, scale));
  return rows;
}

async function besideReaders(readers: number, { fairnessMs: durationMs }: Scale): Promise<Row> {
  const home = temporaryFolder('fairness');
  await homeWithRuns(home, HISTORY_BYTES / EVENT_BYTES);
  const daemon = await startDaemon(home);
  try {
    await whenFolded(daemon);
    const { port, headers } = daemon;
    const plan = { port, headers, warmupMs: 0, durationMs };
    const streamPath = `/v1/events/stream?after=${readers === 0 ? await head(daemon) : 0}`;
    const observers = Math.max(1, readers);
    const observing = observe({
      ...plan,
      observers,
      stalled: Math.floor(readers / 2),
      streamPath,
      writers: WRITERS,
      post: POST,
    });
    await pause(QUESTION_MS);
    const asked = await load({ ...plan, connections: 1, pauseMs: QUESTION_MS, method: 'GET', path: '/health' });
    const observed = await observing;
    const megabytes = (observed.deliveriesPerSecond * observed.messageBytes) / 1e6;
    return {
      name: `GET /health beside ${readers} readers who catch up or stall, ${WRITERS} writers`,
      ours: `p50 ${asked.p50Ms.toFixed(1)}, p99 ${asked.p99Ms.toFixed(1)}, max ${asked.maxMs.toFixed(0)} ms (readers get ${megabytes.toFixed(0)} MB/s)`,
      peer: '',
      ratio: '',
      goal: `p99 ≤ ${P99_MS_MAX}, max ≤ ${MAX_MS_MAX} ms`,
      met: asked.p99Ms <= P99_MS_MAX && asked.maxMs <= MAX_MS_MAX,
    };
  } finally {
    await daemon.stop();
    removeFolder(home);
  }
}
