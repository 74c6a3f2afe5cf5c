/** A writer of the append benchmark, as a separate process: `node writer.ts PLAN`, rounds over IPC. */
import { performance } from 'node:perf_hooks';
import { sampled } from '../storage/profile.ts';
import type { RoundPlan, RoundResult, WriterPlan } from './plan.ts';
import { openSubject, type Subject } from './subjects.ts';

const plan = JSON.parse(process.argv[2] ?? '') as WriterPlan;
const subject = await openSubject(plan);
const state = { index: 0 };
process.on('message', (message: RoundPlan | 'close') => void answer(message));
process.send?.('ready');

async function answer(message: RoundPlan | 'close'): Promise<void> {
  if (message !== 'close') {
    process.send?.(await round(subject, message));
    return;
  }
  await subject.close();
  process.disconnect();
}

async function round({ append, isBatched }: Subject, { inFlight, ms, profile }: RoundPlan): Promise<RoundResult> {
  const writers = isBatched ? 1 : inFlight;
  const perCall = isBatched ? inFlight : 1;
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  const began = performance.now();
  const write = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      const at = performance.now();
      const index = state.index;
      state.index += perCall;
      await append(index, perCall);
      latencies.push(performance.now() - at);
    }
  };
  const hot = await sampled(profile, async () => void (await Promise.all(Array.from({ length: writers }, write))));
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(latencies).sort();
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  const events = latencies.length * perCall;
  return {
    events,
    seconds,
    perSecond: events / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuSeconds: (user + system) / 1e6,
    ...(hot !== undefined && { profile: hot }),
  };
}
