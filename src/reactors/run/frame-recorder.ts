/**
 * Records the frames of a model's answer: the first at once, later ones in batches at least FRAME_BATCH_MS apart.
 * Consecutive text becomes one frame.
 */
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
  let endPause: (() => void) | null = null;
  let isFinishing = false;
  let failure: { readonly error: unknown } | null = null;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const frames = waiting;
      waiting = [];
      await record(frames);
      if (!isFinishing) await pause();
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, FRAME_BATCH_MS);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
      isFinishing = true;
      endPause?.();
      while (draining !== null) await draining;
      if (failure !== null) throw failure.error;
    },
  };
}
