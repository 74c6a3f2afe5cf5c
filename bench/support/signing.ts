/**
 * The cost of signing for a durable mutation: the same daemon with its signer active and paused, in rounds of about a
 * second, in the order on, off, off, on. The result is the ratio of the medians, with the spread of the pairs.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Scale, TASK_BODY } from './common.ts';
import { end, load, removeFolder, temporaryFolder } from './processes.ts';
import { type Row, thousands } from './report.ts';

const CONNECTIONS = [1, 50];
const WARMUP_MS = 150;
/** Slightly more than the time between two checkpoints, so that each round with the signer contains one. */
const TURN_MS = 1_050;
const RATIO_MIN = 0.98;

interface Signed {
  readonly daemon: ChildProcess;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

export async function signing({ signingPairs }: Scale): Promise<readonly Row[]> {
  const home = temporaryFolder('signing');
  const daemon = fork(resolve('bench/support/signing-daemon.ts'), [home], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const [{ port, token }] = (await once(daemon, 'message')) as [{ port: number; token: string }];
    const signed = { daemon, port, headers: { authorization: `Bearer ${token}` } };
    const rows: Row[] = [];
    for (const connections of CONNECTIONS) rows.push(await compared(signed, connections, signingPairs));
    return rows;
  } finally {
    await end(daemon, 'SIGKILL');
    removeFolder(home);
  }
}

async function compared(signed: Signed, connections: number, pairs: number): Promise<Row> {
  const rates: { readonly on: number; readonly off: number }[] = [];
  const checkpoints = { on: 0, off: 0 };
  const turn = async (side: 'on' | 'off'): Promise<number> => {
    await tell(signed, side === 'on' ? 'release' : 'hold');
    const before = await checkpointCount(signed);
    const plan = { connections, warmupMs: WARMUP_MS, durationMs: TURN_MS, method: 'POST', path: '/api/tasks' } as const;
    const { requestsPerSecond } = await load({ ...plan, port: signed.port, headers: signed.headers, body: TASK_BODY });
    checkpoints[side] += (await checkpointCount(signed)) - before;
    return requestsPerSecond;
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? 'on' : 'off';
    const one = await turn(first);
    const other = await turn(first === 'on' ? 'off' : 'on');
    rates.push(first === 'on' ? { on: one, off: other } : { on: other, off: one });
  }
  await tell(signed, 'release');
  if (checkpoints.on < pairs / 2 || checkpoints.off > 0) {
    throw new Error(`The signer was not held off: ${checkpoints.on} checkpoints with it, ${checkpoints.off} without.`);
  }
  const [on, off] = [median(rates.map((rate) => rate.on)), median(rates.map((rate) => rate.off))];
  const ratios = rates.map((rate) => rate.on / rate.off).sort((left, right) => left - right);
  const part = (of: number): string => percent(ratios[Math.floor((ratios.length - 1) * of)]!);
  return {
    name: `POST /api/tasks, durable, ${connections} clients, signing on; beside the same held off (${pairs} pairs)`,
    ours: `${thousands(on)}/s`,
    peer: `${thousands(off)}/s`,
    ratio: `${percent(on / off)} (middle half of the pairs ${part(0.25)} to ${part(0.75)})`,
    goal: `≥ ${percent(RATIO_MIN)}`,
    met: on / off >= RATIO_MIN,
  };
}

async function tell({ daemon }: Signed, message: 'hold' | 'release'): Promise<void> {
  const done = once(daemon, 'message');
  daemon.send(message);
  await done;
}

/** Requests the list, which signs nothing. */
async function checkpointCount({ port, headers }: Signed): Promise<number> {
  let count = 0;
  for (let after = -1; ; ) {
    const reply = await fetch(
      `http://127.0.0.1:${port}/v1/log/checkpoints?limit=5000${after < 0 ? '' : `&after=${after}`}`,
      { headers },
    );
    const { checkpoints } = (await reply.json()) as { checkpoints: readonly { readonly size: number }[] };
    count += checkpoints.length;
    if (checkpoints.length < 5_000) return count;
    after = checkpoints.at(-1)!.size;
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
