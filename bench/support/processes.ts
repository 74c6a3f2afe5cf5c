/**
 * The processes of the benchmark: the daemon as users run it, the bare servers, and the clients. Each is ended by its
 * pid.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { LoadPlan, LoadResult } from './load.ts';
import type { ObserverPlan, ObserverResult } from './observers.ts';
import type { RoomPlan, RoomResult } from './room-peers.ts';

export interface BenchDaemon {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  request(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `daybook-bench-${name}-`));
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

const RATE = '1000000000';
/** The arguments of `npm start`, so that the measured daemon is the one that users run. */
const START_ARGUMENTS = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }
).scripts.start
  .split(' ')
  .slice(1)
  .map((word) => (word.startsWith('bin/') ? resolve(word) : word));

/** The V8 flags among them: every process whose memory is measured uses the same. */
export const NODE_FLAGS = START_ARGUMENTS.filter((word) => word.startsWith('--'));

/** Rate limits are disabled; everything else is as in `npm start`. */
export function spawnDaemon(
  home: string,
  nodeFlags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, ...START_ARGUMENTS, '--port', '0'], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      DAYBOOK_HOME: home,
      DAYBOOK_STORAGE_OPS_PORT: 'off',
      DAYBOOK_RATE_AUTHENTICATED: RATE,
      DAYBOOK_RATE_PUBLIC: RATE,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

export async function startDaemon(
  home: string,
  nodeFlags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<BenchDaemon> {
  const child = spawnDaemon(home, nodeFlags, env);
  const stderr = await untilLine(child, 'stderr', /^listening (\S+)$/m);
  const url = /^listening (\S+)$/m.exec(stderr)![1]!;
  const headers = { authorization: `Bearer ${/^token (\S+)$/m.exec(stderr)![1]!}` };
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid!,
    headers,
    request: (path, init = {}) => fetch(url + path, { ...init, headers }),
    stop: () => end(child, 'SIGTERM'),
  };
}

export interface BareServers {
  readonly fastifyPort: number;
  readonly fanOutPort: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** `valuesFile` holds the `BareValues` to serve. */
export async function startBare(valuesFile: string): Promise<BareServers> {
  const child = spawn(process.execPath, [resolve('bench/support/bare.ts'), valuesFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [, fastifyPort, fanOutPort] = /^ports (\d+) (\d+)$/m.exec(
    await untilLine(child, 'stdout', /^ports \d+ \d+$/m),
  )!;
  return {
    fastifyPort: Number(fastifyPort),
    fanOutPort: Number(fanOutPort),
    pid: child.pid!,
    stop: () => end(child, 'SIGKILL'),
  };
}

const run = promisify(execFile);

export async function load(plan: LoadPlan): Promise<LoadResult> {
  return client<LoadResult>('load.ts', plan);
}

export async function observe(plan: ObserverPlan): Promise<ObserverResult> {
  return client<ObserverResult>('observers.ts', plan);
}

export async function roomPeers(plan: RoomPlan): Promise<RoomResult> {
  return client<RoomResult>('room-peers.ts', plan);
}

async function client<Result>(file: string, plan: unknown): Promise<Result> {
  const { stdout } = await run(process.execPath, [resolve('bench/support', file), JSON.stringify(plan)]);
  return JSON.parse(stdout) as Result;
}

/** The current resident bytes of a process. */
export function residentBytes(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return Number(pages) * 4_096;
}

/** The CPU seconds that a process has used since its start. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** How often the main thread of a process has waited since its start. */
export function waits(pid: number): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill(signal);
  await ended;
}

function untilLine(child: ChildProcess, from: 'stdout' | 'stderr', line: RegExp): Promise<string> {
  return new Promise((found, failed) => {
    let text = '';
    child[from]?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (line.test(text)) found(text);
    });
    child.once('exit', (code) => failed(new Error(`The process ended with ${code} too early:\n${text}`)));
  });
}
