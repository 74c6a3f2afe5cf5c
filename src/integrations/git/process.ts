/**
 * Runs git once and hands its output on as it comes.
 *
 * - It ends within `GIT_SECONDS_MAX`, or when it printed more than it may, or when the daemon stops: then it is killed.
 * - At most `GIT_PROCESSES_MAX` run at once; others wait, and beyond `GIT_WAITING_MAX` are refused.
 */
import { spawn } from 'node:child_process';
import { GitError } from '../../ports/git.ts';

export const GIT_SECONDS_MAX = 60;
export const GIT_PROCESSES_MAX = 4;
export const GIT_WAITING_MAX = 512;
export const OUTPUT_BYTES_MAX = 2 ** 31;
const STDERR_BYTES_MAX = 4_000;

export interface GitJob {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing of the daemon's own is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly output: (chunk: Buffer) => void;
}

export interface GitEnd {
  readonly code: number;
  /** The beginning of what it complained. */
  readonly stderr: string;
}

export interface GitRunner {
  run(job: GitJob): Promise<GitEnd>;
  /** Kills what runs and refuses what comes. */
  close(): Promise<void>;
}

export function createGitRunner(): GitRunner {
  const stop = new AbortController();
  const running = new Set<Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let free = GIT_PROCESSES_MAX;
  const enter = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else if (waiting.length >= GIT_WAITING_MAX) throw new GitError('busy', 'Too many repositories are being measured.');
    else await new Promise<void>((go) => waiting.push(go));
  };
  /** Hands the place on, or frees it. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async run(job) {
      await enter();
      try {
        if (stop.signal.aborted) throw new GitError('failed', STOPPED);
        const work = runOnce(job, stop.signal);
        running.add(work);
        return await work.finally(() => running.delete(work));
      } finally {
        leave();
      }
    },
    async close() {
      stop.abort();
      await Promise.allSettled(running);
    },
  };
}

const STOPPED = 'The daemon is being stopped.';

async function runOnce({ args, cwd, env, input, output }: GitJob, stop: AbortSignal): Promise<GitEnd> {
  const child = spawn('git', ['--no-pager', '--literal-pathspecs', ...args], {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let failure: GitError | null = null;
  const end = (error: GitError): void => {
    failure ??= error;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end(new GitError('timed_out', TIMED_OUT)), GIT_SECONDS_MAX * 1_000);
  const onStop = (): void => end(new GitError('failed', STOPPED));
  stop.addEventListener('abort', onStop, { once: true });
  let bytes = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > OUTPUT_BYTES_MAX) return end(new GitError('bad_path', 'The repository is too large to be measured.'));
    if (failure === null) output(chunk);
  });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_BYTES_MAX) stderr += chunk.toString('utf8');
  });
  // Errors on it say only that git ended before it read everything.
  child.stdin?.on('error', () => undefined).end(input);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(error)));
  child.once('close', (code) => resolve(code ?? 128));
  try {
    const code = await promise;
    if (failure !== null) throw failure;
    return { code, stderr };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}

const TIMED_OUT = `git did not finish within ${GIT_SECONDS_MAX} s.`;

function notStarted({ code }: NodeJS.ErrnoException): GitError {
  if (code === 'ENOENT') return new GitError('missing', 'git is not installed, or not on the PATH of the daemon.');
  return new GitError('failed', `git could not be started (${code ?? 'unknown error'}).`);
}
