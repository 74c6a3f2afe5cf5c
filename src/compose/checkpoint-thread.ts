/** Runs checkpoints of the views in a worker thread: copying and syncing 16 MiB takes up to 100 ms on a busy disk. */
import type { Worker } from 'node:worker_threads';
import type { CheckpointsElsewhere } from '../projections/views.ts';
import { startThread } from '../storage/thread.ts';

/** The thread copies from file to file and needs little heap. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

function startWorker(path: string): Worker {
  return startThread(import.meta.url, './checkpoint-worker', { workerData: path, resourceLimits: RESOURCE_LIMITS });
}

export class CheckpointThread implements CheckpointsElsewhere {
  #running = false;
  #failed = false;
  readonly #report: (line: string) => void;
  readonly #start: (path: string) => Worker;

  /** `start` throws where the system has no thread left. */
  constructor(report: (line: string) => void, start = startWorker) {
    this.#report = report;
    this.#start = start;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  begin(path: string): boolean {
    if (this.#failed || this.#running) return this.#running;
    try {
      const worker = this.#start(path);
      // The exit of the program does not wait for the thread: a later checkpoint copies the rest.
      worker.unref();
      worker.once('error', (error: Error) => this.#fail(error));
      worker.once('exit', () => {
        this.#running = false;
      });
      this.#running = true;
    } catch (error) {
      this.#fail(error as Error);
    }
    return this.#running;
  }

  #fail({ message }: Error): void {
    this.#failed = true;
    this.#report(`The thread that copies the write-ahead log of the views ended; it is copied without it: ${message}`);
  }
}
