/**
 * Posts tasks to one daemon at a steady rate and follows the event stream of another, as a separate process: `node
 * relay.ts PLAN`. A task is timed from just before its POST is written until its event is read from the stream. Prints
 * one line of JSON.
 */
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';

export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RelayPlan {
  readonly writeTo: Endpoint;
  readonly readFrom: Endpoint;
  /** The stream begins after this position. */
  readonly after: number;
  readonly perSecond: number;
  readonly warmupMs: number;
  readonly durationMs: number;
}

export interface RelayResult {
  readonly posted: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** From the POST to its answer. */
  readonly answerP50Ms: number;
  readonly answerP99Ms: number;
}

const SOCKETS = 64;
const PATIENCE_MS = 10_000;

const plan = JSON.parse(process.argv[2] ?? '') as RelayPlan;
const posted: number[] = [];
const answered: number[] = [];
const seen = new Map<number, number>();
await watch();
const seconds = await post();
const from = Math.round((plan.warmupMs / 1_000) * plan.perSecond);
await everythingSeen();
const delays = posted.slice(from).map((at, index) => seen.get(from + index)! - at);
const answers = posted.slice(from).map((at, index) => answered[from + index]! - at);
const result: RelayResult = {
  posted: posted.length,
  perSecond: posted.length / seconds,
  p50Ms: quantile(delays, 0.5),
  p99Ms: quantile(delays, 0.99),
  maxMs: quantile(delays, 1),
  answerP50Ms: quantile(answers, 0.5),
  answerP99Ms: quantile(answers, 0.99),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);

/** Resolves when the stream is open. */
function watch(): Promise<void> {
  const { url, headers } = plan.readFrom;
  return new Promise((resolve, reject) => {
    const stream = request(`${url}/v1/events/stream?after=${plan.after}`, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The stream answered ${response.statusCode}.`));
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const now = performance.now();
        rest += text;
        for (const [, number] of rest.matchAll(/"title":"Task (\d+) /g))
          seen.set(Number(number), seen.get(Number(number)) ?? now);
        rest = rest.slice(rest.lastIndexOf('\n\n') + 2);
      });
      response.once('end', () => reject(new Error('The stream ended.')));
      resolve();
    });
    stream.once('error', reject).end();
  });
}

/** Posts until the time is over; returns the seconds it took. */
async function post(): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const began = performance.now();
  const ms = plan.warmupMs + plan.durationMs;
  const pending: Promise<void>[] = [];
  for (let n = 0; n < (ms / 1_000) * plan.perSecond; n += 1) {
    const due = began + (n * 1_000) / plan.perSecond;
    if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    pending.push(postTask(agent, n));
  }
  const took = (performance.now() - began) / 1_000;
  await Promise.all(pending);
  agent.destroy();
  return took;
}

function postTask(agent: Agent, n: number): Promise<void> {
  const body = JSON.stringify({ title: `Task ${n} of the benchmark` });
  const { url, headers } = plan.writeTo;
  const given = { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/tasks`, { method: 'POST', agent, headers: given }, (response) => {
      response.resume().once('end', () => {
        answered[n] = performance.now();
        if (response.statusCode === 200) resolve();
        else reject(new Error(`A POST answered ${response.statusCode}.`));
      });
    });
    posted[n] = performance.now();
    sent.once('error', reject).end(body);
  });
}

async function everythingSeen(): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (seen.size < posted.length) {
    if (performance.now() > end) throw new Error(`Of ${posted.length} tasks ${seen.size} were seen.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}
