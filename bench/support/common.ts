/** Shared by all measurements: their durations and sizes, and requests to a running daemon. */
import type { BenchDaemon } from './processes.ts';

export interface Scale {
  readonly loadMs: number;
  readonly fanOutMs: number;
  readonly stalledMs: number;
  readonly fairnessMs: number;
  readonly rebuildEvents: number;
  readonly starts: number;
  /** Pairs of rounds with the signer active and paused. */
  readonly signingPairs: number;
  /** 0: the large log is skipped. */
  readonly largeLogEvents: number;
}

export const OBSERVERS = 1_000;
/** Runs of one measurement, of which the best counts: disturbances on the machine can only slow a run down. */
export const RUNS = 3;
export const TASK_BODY = JSON.stringify({ title: 'Water the plants before the weekend' });

export async function whenFolded(daemon: BenchDaemon): Promise<void> {
  for (;;) {
    const health = (await (await daemon.request('/health')).json()) as { status: string };
    if (health.status === 'ok') return;
    await pause(50);
  }
}

export async function head(daemon: BenchDaemon): Promise<number> {
  return ((await (await daemon.request('/v1/log/head')).json()) as { position: number }).position;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
