/**
 * Starts a process of this folder that walks a workspace. Its work can be stopped at any time, also inside a regular
 * expression, and what lies in the workspace can fill its memory only.
 */
import { type BoundedProcess, startBoundedProcess } from '../../lib/bounded-process.ts';

const HEAP_MIB_MAX = 256;
/** Far above the time limits of both: it is for a process whose daemon is gone. */
const CPU_SECONDS_MAX = 60;

export function startWorker(name: 'search-worker' | 'changes-worker', job: object): BoundedProcess {
  const bounds = { heapMebibytesMax: HEAP_MIB_MAX, cpuSecondsMax: CPU_SECONDS_MAX };
  const worker = startBoundedProcess(import.meta.url, `./${name}`, bounds);
  worker.send(job);
  return worker;
}
