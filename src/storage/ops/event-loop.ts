/** Delays of the event loop: how long a request waits before it is handled. */
import type { Histogram } from 'node:perf_hooks';

export interface LoopDelays {
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

export interface LoopMonitor {
  /** The delays since the last call, or since the start. */
  read(): LoopDelays;
  stop(): void;
}

/** The loop is sampled at this interval. It costs about a thousandth of a processor. */
const SAMPLE_MS = 20;

/** Begins to measure the delays of the event loop of this process. */
export function monitorLoop(): LoopMonitor {
  // A static import would load the module before the daemon listens.
  const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();
  return {
    read: () => readDelays(histogram, SAMPLE_MS),
    stop: () => void histogram.disable(),
  };
}

/** Reads and empties a histogram of the nanoseconds between two samples, of which `intervalMs` are no delay. */
export function readDelays(histogram: Pick<Histogram, 'percentile' | 'max' | 'count' | 'reset'>, intervalMs: number) {
  const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - intervalMs / 1e3);
  const isEmpty = histogram.count === 0;
  const delays: LoopDelays = {
    p99Seconds: isEmpty ? 0 : delay(histogram.percentile(99)),
    maxSeconds: isEmpty ? 0 : delay(histogram.max),
  };
  histogram.reset();
  return delays;
}
