/**
 * The workloads of the key-value benchmark on one subject, in the order of docs/storage.md: load, reads, puts, durable
 * puts.
 */
import { performance } from 'node:perf_hooks';
import { keyAt, type Put, randomKeys, valuesOf } from './data.ts';
import {
  DURABLE_BATCH,
  HOT_KEYS,
  IN_FLIGHT,
  KEY_BYTES,
  type KvPlan,
  LOAD_BATCH,
  type Measure,
  RANGE_ENTRIES,
  type Workload,
  type WorkResult,
} from './plan.ts';
import { sampled } from './profile.ts';
import type { Subject } from './subjects/subject.ts';
import { diskBytes, peakBytes, settle, writtenBytes } from './system.ts';
import { measure, measureBare, quantiles, type Timing, timing } from './timing.ts';

/** Keys drawn for uniform reads and puts; drawn again when they run out. */
const DRAWN_KEYS = 100_000;

type Measures = Partial<Record<Workload, Measure>>;

interface Work {
  readonly subject: Subject;
  readonly plan: KvPlan;
  readonly measures: Measures;
  readonly hot: readonly Uint8Array[];
  readonly drawn: readonly Uint8Array[];
  readonly valueAt: (index: number) => Uint8Array;
  /** Puts so far. */
  puts: number;
}

export async function work(plan: KvPlan, open: () => Promise<Subject>): Promise<WorkResult> {
  const { records } = plan.scale;
  const hot = randomKeys(Math.min(HOT_KEYS, records), records);
  const drawn = randomKeys(Math.min(DRAWN_KEYS, records), records);
  const valueAt = valuesOf(plan.valueBytes);
  const baseBytes = peakBytes();
  const writtenBefore = writtenBytes();
  const job: Work = { subject: await open(), plan, measures: {}, hot, drawn, valueAt, puts: 0 };
  await load(job);
  await reads(job);
  await puts(job);
  const written = await durablePuts(job);
  await job.subject.close();
  const putBytes = job.puts * (KEY_BYTES + plan.valueBytes);
  return {
    measures: job.measures,
    peakBytes: peakBytes(),
    baseBytes,
    diskBytes: diskBytes(plan.directory),
    liveBytes: records * (KEY_BYTES + plan.valueBytes),
    writeAmplification: (writtenBytes() - writtenBefore - written.bare) / putBytes,
  };
}

/** Keys in order, a thousand per batch; batches are prepared outside the timed section. */
async function load(job: Work): Promise<void> {
  const { records } = job.plan.scale;
  const latencies: number[] = [];
  const profile = await sampled(job.plan.profile, async () => {
    for (let from = 0; from < records; from += LOAD_BATCH) {
      const length = Math.min(LOAD_BATCH, records - from);
      const batch = Array.from({ length }, (_, at) => ({ key: keyAt(from + at), value: job.valueAt(from + at) }));
      const began = performance.now();
      const pending = job.subject.load(batch);
      if (pending instanceof Promise) await pending;
      latencies.push(performance.now() - began);
    }
  });
  job.puts += records;
  const perSecond = [(records / latencies.reduce((sum, ms) => sum + ms, 0)) * 1_000];
  job.measures.load = { perSecond, ...quantiles(latencies), ...(profile !== undefined && { profile }) };
}

async function reads({ subject, plan, measures, hot, drawn }: Work): Promise<void> {
  const given = timingOf(plan, {});
  const found = (value: Uint8Array | undefined): void => {
    if (value?.length !== plan.valueBytes) throw new Error(`${plan.subject} lost a value.`);
  };
  measures.getHot = await measure((index) => found(subject.get(hot[index % hot.length]!)), given);
  measures.getUniform = await measure((index) => found(subject.get(drawn[index % drawn.length]!)), given);
  if (subject.getAwaited !== undefined) {
    const { getAwaited } = subject;
    measures.getAwaited = await measure(async (index) => found(await getAwaited(hot[index % hot.length]!)), given);
  }
  if (subject.range === undefined) return;
  const { range } = subject;
  const few = timingOf(plan, { stride: 8 });
  measures.range = await measure((index) => range(drawn[index % drawn.length]!, RANGE_ENTRIES), few);
}

async function puts(job: Work): Promise<void> {
  const { subject, plan, measures, drawn } = job;
  const given = timingOf(plan, { roundMs: plan.scale.putRoundMs });
  measures.put = await measure((index) => subject.put(putAt(job, index)), given);
  if (subject.putQueued !== undefined) {
    const { putQueued } = subject;
    const together = { ...given, inFlight: IN_FLIGHT };
    measures.putQueued = await measure((index) => putQueued(putAt(job, index)), together);
  }
  const mix = (index: number): unknown =>
    index % 2 === 0 ? subject.get(drawn[(index * 7) % drawn.length]!) : subject.put(putAt(job, index));
  measures.mixed = await measure(mix, given);
}

/** First the bare disk, in the same folder and at about the same time, then the durable puts. */
async function durablePuts(job: Work): Promise<{ readonly bare: number }> {
  const { subject, plan, measures } = job;
  if (subject.putDurable === undefined) return { bare: 0 };
  await subject.makeDurable?.();
  settle(plan.directory);
  const before = writtenBytes();
  const given = timingOf(plan, { stride: 1 });
  const recordBytes = KEY_BYTES + plan.valueBytes;
  Object.assign(measures, await measureBare(plan.directory, { recordBytes, given }));
  const bare = writtenBytes() - before;
  const { putDurable, putDurableQueued, batchDurable } = subject;
  measures.durableOne = await measure((index) => putDurable(putAt(job, index)), given);
  if (putDurableQueued !== undefined) {
    const together = { ...given, inFlight: IN_FLIGHT };
    measures.durableQueued = await measure((index) => putDurableQueued(putAt(job, index)), together);
  }
  const batchAt = (index: number): Put[] =>
    Array.from({ length: DURABLE_BATCH }, (_, at) => putAt(job, index * DURABLE_BATCH + at));
  const batches = { ...given, weight: DURABLE_BATCH };
  measures.durableBatch = await measure((index) => batchDurable!(batchAt(index)), batches);
  return { bare };
}

/** A key gets a different value each time: SQLite writes and syncs nothing for an unchanged value. */
function putAt(job: Work, index: number): Put {
  job.puts += 1;
  return { key: job.drawn[index % job.drawn.length]!, value: job.valueAt(job.puts) };
}

function timingOf({ scale, profile }: KvPlan, other: Partial<Timing>): Timing {
  return timing(scale, { profile, ...other });
}
