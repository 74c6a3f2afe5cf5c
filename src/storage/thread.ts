/** Starts the worker threads of this program. */
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * A thread that runs the module `file` beside the one at `base`; `file` has no ending. It shares the compiled code of
 * this process, and gets neither its flags nor anything else of its environment.
 */
export function startThread(
  base: string,
  file: `./${string}`,
  options: Pick<WorkerOptions, 'workerData' | 'name' | 'resourceLimits'>,
): Worker {
  // The published package has .js files; a checkout runs .ts.
  const url = new URL(file + (base.endsWith('.ts') ? '.ts' : '.js'), base);
  // Node keeps the code of each of its versions in a separate folder below the configured one.
  const folder = nodeModule.getCompileCacheDir?.();
  const env = folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
  return new Worker(url, { ...options, env, execArgv: [] });
}
