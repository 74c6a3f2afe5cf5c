/**
 * How long the event loop is blocked while a store handles a steady stream of puts and compacts: a few puts per turn,
 * turn after turn, and the clock is read in each. Without a subject the loop runs without a store, as the baseline.
 */
import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import { keyAt, type Put, valuesOf } from './data.ts';
import type { KvPlan, PauseResult } from './plan.ts';
import type { Subject } from './subjects/subject.ts';

/** Puts per turn: like a busy daemon, unlike a benchmark loop that never yields the thread. */
const PUTS_PER_TURN = 8;
const MONITOR_RESOLUTION_MS = 1;

export async function measurePause(plan: KvPlan, subject: Subject | undefined): Promise<PauseResult> {
  const valueAt = valuesOf(plan.valueBytes);
  let compactions = 0;
  subject?.onCompaction?.(() => {
    compactions += 1;
  });
  const collector = watchCollector();
  const monitor = monitorEventLoopDelay({ resolution: MONITOR_RESOLUTION_MS });
  monitor.enable();
  const pauses: number[] = [];
  let puts = 0;
  const began = performance.now();
  let before = began;
  while (before - began < plan.scale.pauseMs) {
    for (let at = 0; at < PUTS_PER_TURN; at += 1) {
      const put: Put = { key: keyAt((puts * 7_919) % plan.scale.records), value: valueAt(puts) };
      puts += 1;
      const pending = subject?.put(put);
      if (pending instanceof Promise) await pending;
    }
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    pauses.push(now - before);
    before = now;
  }
  monitor.disable();
  await subject?.close();
  const sorted = Float64Array.from(pauses).sort();
  return {
    maxMs: sorted.at(-1)!,
    p999Ms: sorted[Math.floor(sorted.length * 0.999)]!,
    collectorMaxMs: collector.maxMs(),
    monitorMaxMs: Math.max(0, monitor.max / 1e6 - MONITOR_RESOLUTION_MS),
    compactions,
    puts,
  };
}

function watchCollector(): { maxMs(): number } {
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    maxMs: () => {
      observer.disconnect();
      return longest;
    },
  };
}
