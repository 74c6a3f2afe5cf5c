/** Delays of the event loop: how long its turns take, and so how long a request may wait before it is handled. */
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

/** Node before 24.19 does not measure turns: it samples the loop at this interval. */
const SAMPLE_MS = 20;

/** Begins to measure the turns of the event loop of this process. */
export function monitorLoop(): LoopMonitor {
  // A static import would load the module before the daemon listens.
  const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
  const histogram = monitorEventLoopDelay({ samplePerIteration: true, resolution: SAMPLE_MS });
  histogram.enable();
  // Ends the turn that has begun: Node would count its wait for the next event.
  setImmediate(() => {});
  const intervalMs = measuresTurns(process.versions.node) ? 0 : SAMPLE_MS;
  return {
    read: () => readDelays(histogram, intervalMs),
    stop: () => void histogram.disable(),
  };
}

/** Whether this version of Node knows `samplePerIteration`. */
export function measuresTurns(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 19);
}

/**
 * Reads and empties a histogram: of the nanoseconds that turns took, or with `intervalMs` of those between two samples,
 * of which `intervalMs` are no delay.
 */
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
