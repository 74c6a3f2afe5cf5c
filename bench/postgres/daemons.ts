/**
 * Whole daemons on one database: delivery of a write to a stream of another daemon, the start of an empty daemon, a
 * takeover.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { Cluster } from '../../tests/support/postgres.ts';
import { head, pause, whenFolded } from '../support/common.ts';
import { type BenchDaemon, cpuSeconds, removeFolder, startDaemon, temporaryFolder } from '../support/processes.ts';
import { type Row, thousands } from '../support/report.ts';
import { RELAYED_PER_SECOND, type Scale } from './plan.ts';
import { filledLog } from './reads.ts';
import type { RelayPlan, RelayResult } from './relay.ts';

const WARMUP_MS = 2_000;
const P50_GOAL_MS = 10;
const P99_GOAL_MS = 50;
const FOLD_GOAL_SECONDS = 25;
const TAKEOVER_GOAL_SECONDS = 5;
const PATIENCE_MS = 30_000;

const run = promisify(execFile);

export async function relayed(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  const url = await server.newLog();
  return withDaemons([url, url], async ([a, b]) => {
    await Promise.all([whenFolded(a!), whenFolded(b!)]);
    const plan: RelayPlan = {
      writeTo: a!,
      readFrom: b!,
      after: await head(b!),
      perSecond: RELAYED_PER_SECOND,
      warmupMs: WARMUP_MS,
      durationMs: scale.relayMs,
    };
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'relay.ts'), JSON.stringify(plan)]);
    const { p50Ms, p99Ms, maxMs, perSecond, answerP50Ms, answerP99Ms } = JSON.parse(stdout) as RelayResult;
    return [
      {
        name: `a write on daemon A until the stream of daemon B has it, ${RELAYED_PER_SECOND}/s`,
        ours:
          `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(0)} ms at ${perSecond.toFixed(0)}/s ` +
          `(the answer to the writer: p50 ${answerP50Ms.toFixed(1)} ms, p99 ${answerP99Ms.toFixed(1)} ms)`,
        peer: '',
        ratio: '',
        goal: `p50 ≤ ${P50_GOAL_MS} ms, p99 ≤ ${P99_GOAL_MS} ms`,
        met: p50Ms <= P50_GOAL_MS && p99Ms <= P99_GOAL_MS,
      },
    ];
  });
}

/** From the start of the process until it has copied and folded everything. */
export async function newDaemon(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  const url = await filledLog(server, scale.events, 'runs');
  const began = performance.now();
  return withDaemons([url], async ([daemon]) => {
    const listening = (performance.now() - began) / 1_000;
    await whenFolded(daemon!);
    const seconds = (performance.now() - began) / 1_000;
    const events = await head(daemon!);
    if (events < scale.events) throw new Error(`The daemon has folded ${events} events.`);
    const cpu = cpuSeconds(daemon!.pid);
    return [
      {
        name: `a new daemon copies and folds ${thousands(events)} events of runs`,
        ours: `${seconds.toFixed(1)} s (it listens after ${listening.toFixed(1)} s; CPU of the daemon ${cpu.toFixed(1)} s)`,
        peer: '',
        ratio: '',
        goal: `≤ ${FOLD_GOAL_SECONDS} s for 1,000,000`,
        met: scale.events < 1_000_000 ? null : seconds <= FOLD_GOAL_SECONDS,
      },
    ];
  });
}

/** From the kill of the daemon that executes a run until another one has recorded the outcome of its tool. */
export async function takeover(server: Cluster, scale: Scale): Promise<readonly Row[]> {
  const seconds: number[] = [];
  for (let done = 0; done < scale.takeovers; done += 1) {
    const url = await server.newLog();
    const workspace = temporaryFolder('workspace');
    seconds.push(await withDaemons([url, url], (daemons) => takenOver(daemons), { DAYBOOK_WORKSPACE: workspace }));
    removeFolder(workspace);
  }
  const most = Math.max(...seconds);
  return [
    {
      name: 'a run is taken over from a daemon that was killed, with the default lease',
      ours: `at most ${most.toFixed(1)} s (of ${seconds.map((each) => each.toFixed(1)).join(', ')})`,
      peer: '',
      ratio: '',
      goal: `≤ ${TAKEOVER_GOAL_SECONDS} s`,
      met: most <= TAKEOVER_GOAL_SECONDS,
    },
  ];
}

interface Recorded {
  readonly type: string;
  readonly at: number;
}

async function takenOver(daemons: readonly BenchDaemon[]): Promise<number> {
  await Promise.all(daemons.map(whenFolded));
  const [a, b] = daemons;
  const task = 'Work.\nrehearse: bash sleep 60';
  const init = { method: 'POST', body: JSON.stringify({ task, approval: 'full-auto' }) };
  const { session_id: id } = await answerOf<{ session_id: string }>(a!, '/agent', init);
  await recorded(b!, id, 'ToolStarted');
  const node = await executingNode(b!, id);
  const { nodes } = await answerOf<{ nodes: readonly { id: string }[] }>(a!, '/v1/nodes');
  const [executing, other] = node === nodes[0]?.id ? [a!, b!] : [b!, a!];
  const killedAt = Date.now();
  process.kill(executing.pid, 'SIGKILL');
  return ((await recorded(other, id, 'ToolInterrupted')).at - killedAt) / 1_000;
}

/** A daemon periodically checks which leases the others hold. */
async function executingNode(daemon: BenchDaemon, id: string): Promise<string> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const { node } = await answerOf<{ node: { id: string } | null }>(daemon, `/jobs/${id}`);
    if (node !== null) return node.id;
    await pause(20);
  }
  throw new Error(`No daemon executes the run after ${PATIENCE_MS} ms.`);
}

async function recorded(daemon: BenchDaemon, id: string, type: string): Promise<Recorded> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const { events } = await answerOf<{ events: readonly Recorded[] }>(daemon, `/v1/events?stream=run-${id}&limit=500`);
    const found = events.find((event) => event.type === type);
    if (found !== undefined) return found;
    await pause(20);
  }
  throw new Error(`The run has no ${type} after ${PATIENCE_MS} ms.`);
}

async function answerOf<Answer>(daemon: BenchDaemon, path: string, init?: RequestInit): Promise<Answer> {
  const answer = await daemon.request(path, init);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Daemons with separate homes, one after the other for each URL. */
async function withDaemons<Result>(
  urls: readonly string[],
  work: (daemons: readonly BenchDaemon[]) => Promise<Result>,
  env: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const homes: string[] = [];
  const daemons: BenchDaemon[] = [];
  try {
    for (const url of urls) {
      const home = temporaryFolder('daemon');
      homes.push(home);
      daemons.push(await startDaemon(home, [], { ...env, DAYBOOK_LOG: url }));
    }
    return await work(daemons);
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    for (const home of homes) removeFolder(home);
  }
}
