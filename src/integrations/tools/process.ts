/**
 * Runs one command to its end and kills everything that it started.
 *
 * - When `runProcess` settles, no process of the command is alive, whether it exited, timed out, printed too much or
 *   was aborted. First its group is killed, then processes with its marker, then those that hold its output. A command
 *   that timed out gets SIGTERM before, and `OUTPUT_SETTLE_MS`.
 * - Output is read to its end, so no output of a command that exits at once is lost.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { constants as osConstants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { configurationVariables } from '../git/safe-configuration.ts';
import {
  descendants,
  holding,
  kill,
  killAll,
  outputLinks,
  processRow,
  remainingOf,
  type StartedCommand,
  WATCHDOG_VARIABLE,
} from './marker.ts';
import { type Captured, HeadAndTail, NOTHING_CAPTURED } from './text.ts';
import { start, underWatchdog, WATCHDOG_DESCRIPTOR } from './watchdog.ts';

export interface ProcessJob {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment; the daemon's own is not added. */
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  /** Standard input; empty by default. */
  readonly input?: Readable;
  /** Called with output as it is printed. */
  readonly printed?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  readonly timeoutSeconds: number;
  /** Bytes kept of the beginning and of the end of each stream. */
  readonly outputBytesMax: number;
  /** Limit of both streams together; a command that prints more is ended. */
  readonly printedBytesMax: number;
}

export interface ProcessEnd {
  readonly kind: 'exited' | 'timed_out' | 'printed_too_much' | 'not_started';
  /** Exit code, or 128 + n after signal n; `null` unless it exited. */
  readonly code: number | null;
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** Why it was not started, such as `EMFILE`; otherwise empty. */
  readonly fault: string;
}

/** Rejects with the signal's reason on abort, after everything is dead; all other ends are results. */
export async function runProcess(job: ProcessJob, signal: AbortSignal): Promise<ProcessEnd> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', underWatchdog(job.marker, job.command), {
    cwd: job.cwd,
    env: { ...job.env, [WATCHDOG_VARIABLE]: job.marker },
    detached: true,
    stdio: [job.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const error = Promise.withResolvers<NodeJS.ErrnoException>();
  child.on('error', error.resolve);
  // An error here only means that the command ended before it read everything.
  if (child.stdin) job.input?.pipe(child.stdin.on('error', () => undefined));
  const { pid } = child;
  if (pid === undefined) return notStarted(await error.promise);
  const outputs = [child.stdout, child.stderr] as [Readable, Readable];
  // The command has not begun, so nothing of it is older than this.
  const leader = { pid, start: processRow(pid)?.start ?? '0' };
  const links = outputLinks(pid);
  start(child);
  const stdout = new HeadAndTail(job.outputBytesMax);
  const stderr = new HeadAndTail(job.outputBytesMax);
  const { printed = () => undefined } = job;
  outputs[0].on('data', (chunk: Buffer) => printed('stdout', chunk));
  outputs[1].on('data', (chunk: Buffer) => printed('stderr', chunk));
  const drained = Promise.all([drain(outputs[0], stdout), drain(outputs[1], stderr)]);
  const kind = await firstEnd({ child, job, signal, printed: () => stdout.seenBytes + stderr.seenBytes });
  const family = hasEnded(child) ? [] : descendants(pid);
  // git removes its locks then. After an abort there is no time: another daemon may have taken the run.
  if (kind === 'timed_out' && kill(-pid, 'SIGTERM')) await settles(drained);
  const children = family.flatMap((row) => descendants(row.pid));
  await endEverything({ leader, marker: job.marker, family: [...family, ...children] });
  await settleOutput({ outputs, drained, links });
  child.stdio[WATCHDOG_DESCRIPTOR]?.destroy();
  signal.throwIfAborted();
  const code = kind === 'exited' ? exitCode(child) : null;
  return { kind, code, stdout: stdout.captured(), stderr: stderr.captured(), fault: '' };
}

function notStarted({ code = 'unknown error' }: NodeJS.ErrnoException): ProcessEnd {
  const fault = code === 'ENOENT' ? 'its folder or /bin/sh is gone' : code;
  return { kind: 'not_started', code: null, stdout: NOTHING_CAPTURED, stderr: NOTHING_CAPTURED, fault };
}

const OUTPUT_SETTLE_MS = 500;

interface Running {
  readonly child: ChildProcess;
  readonly job: ProcessJob;
  readonly signal: AbortSignal;
  readonly printed: () => number;
}

/** Resolves with the first of the possible ends. An abort counts as `exited`: the caller checks the signal. */
async function firstEnd({ child, job, signal, printed }: Running): Promise<ProcessEnd['kind']> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd['kind']>();
  const onData = () => {
    if (printed() > job.printedBytesMax) resolve('printed_too_much');
  };
  using _late = setTimeout(() => resolve('timed_out'), job.timeoutSeconds * 1_000);
  using _aborted = addAbortListener(signal, () => resolve('exited'));
  child.stdout?.on('data', onData);
  child.stderr?.on('data', onData);
  child.once('exit', () => resolve('exited'));
  return await promise;
}

/** `family` is read before the group gets a signal: orphans become children of init. */
async function endEverything(command: StartedCommand): Promise<void> {
  kill(-command.leader.pid);
  await killAll(remainingOf(command));
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

interface Output {
  readonly outputs: readonly Readable[];
  readonly drained: Promise<unknown>;
  readonly links: ReadonlySet<string>;
}

/** Waits for the end of the output. Kills processes without the marker that keep it open. */
async function settleOutput({ outputs, drained, links }: Output): Promise<void> {
  if (await settles(drained)) return;
  await killAll(holding(links));
  if (await settles(drained)) return;
  for (const output of outputs) output.destroy();
}

/** Whether the work ends within `OUTPUT_SETTLE_MS`. */
async function settles(work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(OUTPUT_SETTLE_MS, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return ended;
}

function drain(stream: Readable, into: HeadAndTail): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.on('data', (chunk: Buffer) => into.push(chunk));
  stream.once('error', () => resolve());
  stream.once('close', () => resolve());
  return promise;
}

function exitCode(child: ChildProcess): number {
  if (child.signalCode === null) return child.exitCode ?? 0;
  return 128 + (osConstants.signals[child.signalCode] ?? 0);
}

/** The environment of a tool's process: an allow-list, without keys, tokens and settings of the daemon. */
export function scrubbedEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isAllowed(name, value)) kept[name] = value;
  }
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...kept, ...FIXED };
}

/**
 * Keeps programs from waiting for a person or drawing on a screen. git takes messages as they are, and refuses the plan
 * of an interactive rebase that nobody edits. It collects no garbage in the background: killed with the call, it would
 * leave its lock, after which the repository collects none any more.
 */
const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'false',
  EDITOR: 'false',
  VISUAL: 'false',
  ...configurationVariables([
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
  ]),
};

const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LANGUAGE'],
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT', 'VIRTUAL_ENV'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
]);

const LOCALE = /^LC_[A-Z]+$/;
const PROXY = /^(?:https?|no|all)_proxy$/i;

function isAllowed(name: string, value: string): boolean {
  // A proxy with user and password is a secret.
  if (PROXY.test(name)) return !value.includes('@');
  return ALLOWED.has(name) || LOCALE.test(name);
}
