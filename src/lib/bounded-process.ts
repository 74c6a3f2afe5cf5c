/**
 * Runs a file of this program in a child process whose memory and processor time are bounded, so that its work cannot
 * exhaust the parent process. A thread has no such bound, because V8 ends the whole process when the heap of a thread
 * is full and its collector needs more than the thread has left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiledCode } from './compiled-code.ts';
import { moduleBeside } from './module-beside.ts';

export interface ProcessBounds {
  /** Beyond it V8 ends the process with SIGABRT. Buffers do not count. */
  readonly heapMebibytesMax: number;
  /** Beyond it the system ends the process with SIGKILL; not on Windows. Left out, there is no bound. */
  readonly cpuSecondsMax?: number;
}

export interface BoundedProcess {
  readonly child: ChildProcess;
  /** Messages to a process that has ended are dropped. */
  send(message: object | string): void;
  /** Kills it. Resolves when it is gone; may be called repeatedly. */
  end(): Promise<void>;
}

const YOUNG_MEBIBYTES = 4;

/**
 * `file` is a module beside the one at `base`, without its ending. The process gets no arguments and, of the
 * environment, nothing that changes its bounds, no key and no token. It prints nothing and leaves no core file.
 */
export function startBoundedProcess(base: string, file: `./${string}`, bounds: ProcessBounds): BoundedProcess {
  const path = fileURLToPath(moduleBeside(base, file));
  const flags = [`--max-old-space-size=${bounds.heapMebibytesMax}`, `--max-semi-space-size=${YOUNG_MEBIBYTES}`];
  const [program, ...args] = withSystemLimits([process.execPath, ...flags, path], bounds.cpuSecondsMax);
  const { SystemRoot } = process.env;
  const child = spawn(program, args, {
    // Windows starts nothing without its own folder.
    env: { ...compiledCode(), ...(SystemRoot !== undefined && { SystemRoot }) },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    child,
    // Where the system has no room for a process there is no channel either, and an `error` follows.
    send: (message) => void child.send?.(message, () => undefined),
    end() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Ignores a limit that cannot be set because the system has a lower one. */
function withSystemLimits(
  command: readonly [string, ...string[]],
  cpuSeconds?: number,
): readonly [string, ...string[]] {
  if (process.platform === 'win32') return command;
  const time = cpuSeconds === undefined ? '' : `ulimit -t ${cpuSeconds}; `;
  return ['/bin/sh', '-c', `{ ulimit -c 0; ${time}} 2>/dev/null; exec "$0" "$@"`, ...command];
}

/** In the child process: its first message. The process ends when its parent is gone. */
export function receiveJob<T>(): Promise<T> {
  process.once('disconnect', () => process.exit());
  return new Promise((resolve) => {
    process.once('message', (job: T) => resolve(job));
  });
}

/** In the child process: sends a message to its parent. */
export function tellStarter(message: object | string): void {
  process.send?.(message);
}
