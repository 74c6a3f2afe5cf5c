/** What all measures share: how long they take, what they write, and questions to a running daemon. */
import type { BenchDaemon } from './processes.ts';

export interface Scale {
  readonly loadMs: number;
  readonly fanOutMs: number;
  readonly stalledMs: number;
  readonly fairnessMs: number;
  readonly rebuildEvents: number;
  readonly starts: number;
  /** Turns with the signer on and held off. */
  readonly signingPairs: number;
  /** 0: the large log is left out. */
  readonly largeLogEvents: number;
}

export const OBSERVERS = 1_000;
/** Runs of one measure, of which the best counts: what else happens on the machine only ever slows. */
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
