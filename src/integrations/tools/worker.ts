/** Starts a worker thread of this folder. Its work can be stopped at any time, also inside a regular expression. */
import { Worker } from 'node:worker_threads';

export interface WorkerSpec {
  /** File name of the worker without its extension. */
  readonly name: 'search-worker' | 'changes-worker';
  readonly data: unknown;
}

const MEMORY_MIB_MAX = 256;

export function startWorker({ name, data }: WorkerSpec): Worker {
  // The published package has .js files; a checkout runs the .ts files.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}.${extension}`, import.meta.url), {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB_MAX },
  });
}
