/**
 * Records the frames of a model's answer: the first at once, later ones in batches at least FRAME_BATCH_MS apart.
 * Consecutive text becomes one frame.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame } from '../../events/run/events.ts';

export interface FrameRecorder {
  /** Throws the error of an earlier record that failed. */
  add(frame: Frame): void;
  /** Resolves when all frames are recorded. Rejects with the error of a record that failed. */
  finish(): Promise<void>;
}

const FRAME_BATCH_MS = 20;

export function createFrameRecorder(record: (frames: readonly Frame[]) => Promise<unknown>): FrameRecorder {
  let waiting: Frame[] = [];
  let draining: Promise<void> | null = null;
  const finishing = new AbortController();
  let failure: { readonly error: unknown } | null = null;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const frames = waiting;
      waiting = [];
      await record(frames);
      // Rejects at once when the recorder finishes.
      await sleep(FRAME_BATCH_MS, undefined, { signal: finishing.signal }).catch(() => undefined);
    }
  }

  function startDraining(): void {
    draining ??= drain()
      .catch((error: unknown) => {
        failure = { error };
        waiting = [];
      })
      .finally(() => {
        draining = null;
        if (waiting.length > 0) startDraining();
      });
  }

  return {
    add(frame) {
      if (failure !== null) throw failure.error;
      const last = waiting.at(-1);
      if (frame.type === 'text' && last?.type === 'text') {
        waiting[waiting.length - 1] = { type: 'text', text: last.text + frame.text };
      } else waiting.push(frame);
      startDraining();
    },
    async finish() {
      finishing.abort();
      while (draining !== null) await draining;
      if (failure !== null) throw failure.error;
    },
  };
}
