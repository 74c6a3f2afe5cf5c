/**
 * Starts a process that walks a workspace. It can be stopped at any time, even inside a regular expression, and the
 * files of the workspace can fill only its own memory.
 */
import { type BoundedProcess, startBoundedProcess } from '../../lib/bounded-process.ts';

const HEAP_MIB_MAX = 256;
/** Far above the time limits of both workers. It ends a process whose daemon is gone. */
const CPU_SECONDS_MAX = 60;

export function startWorker(name: 'search-worker' | 'changes-worker', job: object): BoundedProcess {
  const bounds = { heapMebibytesMax: HEAP_MIB_MAX, cpuSecondsMax: CPU_SECONDS_MAX };
  const worker = startBoundedProcess(import.meta.url, `./${name}`, bounds);
  worker.send(job);
  return worker;
}
