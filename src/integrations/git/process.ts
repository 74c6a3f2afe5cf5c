/**
 * Runs git once and streams its output.
 *
 * - Git is killed after `GIT_SECONDS_MAX`, when it prints more than `OUTPUT_BYTES_MAX`, and when the daemon stops.
 * - At most `GIT_PROCESSES_MAX` run and `GIT_WAITING_MAX` wait; further calls are refused as `busy`.
 */
import { spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { WorkPool } from '../../lib/work-pool.ts';
import { GitError } from '../../ports/git.ts';

const GIT_SECONDS_MAX = 60;
export const GIT_PROCESSES_MAX = 4;
export const GIT_WAITING_MAX = 512;
const OUTPUT_BYTES_MAX = 2 ** 31;
const STDERR_BYTES_MAX = 4_000;

export interface GitJob {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; the daemon's own is not added. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly output: (chunk: Buffer) => void;
}

export interface GitEnd {
  readonly code: number;
  /** The first `STDERR_BYTES_MAX` characters, or a little more. */
  readonly stderr: string;
}

export interface GitRunner {
  run(job: GitJob): Promise<GitEnd>;
  /** Kills running processes; later calls fail. */
  close(): Promise<void>;
}

export function createGitRunner(): GitRunner {
  const pool = new WorkPool({
    runningMax: GIT_PROCESSES_MAX,
    waitingMax: GIT_WAITING_MAX,
    full: () => new GitError('busy', 'Too many repositories are being measured.'),
  });
  return {
    run: (job) => pool.run(null, (stop) => runOnce(job, stop)),
    close: () => pool.close(new GitError('failed', STOPPED)),
  };
}

const STOPPED = 'The daemon is being stopped.';

async function runOnce({ args, cwd, env, input, output }: GitJob, stop: AbortSignal): Promise<GitEnd> {
  const child = spawn('git', ['--no-pager', '--literal-pathspecs', ...args], {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(error)));
  child.once('close', (code) => resolve(code ?? 128));
  let failure: GitError | null = null;
  const end = (error: GitError): void => {
    failure ??= error;
    child.kill('SIGKILL');
  };
  using _late = setTimeout(() => end(new GitError('timed_out', TIMED_OUT)), GIT_SECONDS_MAX * 1_000);
  using _stopped = addAbortListener(stop, () => end(new GitError('failed', STOPPED)));
  let bytes = 0;
  // There are no streams when the system has no descriptors left for them; an `error` follows.
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > OUTPUT_BYTES_MAX) return end(new GitError('bad_path', 'The repository is too large to be measured.'));
    if (failure === null) output(chunk);
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_BYTES_MAX) stderr += chunk.toString('utf8');
  });
  // An error here only means that git ended before it read all input.
  child.stdin?.on('error', () => undefined).end(input);
  const code = await promise;
  if (failure !== null) throw failure;
  return { code, stderr };
}

const TIMED_OUT = `git did not finish within ${GIT_SECONDS_MAX} s.`;

export function tooOld(): GitError {
  return new GitError('missing', 'git is too old here: 2.33 or newer is needed.');
}

function notStarted({ code }: NodeJS.ErrnoException): GitError {
  if (code === 'ENOENT') return new GitError('missing', 'git is not installed, or not on the PATH of the daemon.');
  return new GitError('failed', `git could not be started (${code ?? 'unknown error'}).`);
}
