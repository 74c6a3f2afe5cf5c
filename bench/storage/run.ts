/** Starts the child processes one after another: each subject runs alone, and its folder is removed before the next. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { NODE_FLAGS, removeFolder, temporaryFolder } from '../support/processes.ts';
import type {
  CrashResult,
  KvPlan,
  LogPlan,
  LogResult,
  PauseResult,
  RecoverResult,
  ReopenResult,
  Scale,
  SubjectName,
  WorkResult,
} from './plan.ts';
import { settle } from './system.ts';

export interface KvReport {
  readonly subject: SubjectName;
  readonly valueBytes: number;
  readonly work: WorkResult;
  /** Null for a subject that stores nothing. */
  readonly kept: {
    readonly reopen: ReopenResult;
    readonly crash: CrashResult;
    readonly recover: RecoverResult;
  } | null;
}

export interface PauseReport {
  readonly subject: SubjectName | 'none';
  readonly pause: PauseResult;
}

export interface LogReport {
  readonly backend: LogPlan['backend'];
  readonly work: LogResult;
  /** Milliseconds to open the log after a clean close, and after a kill; null for the peer. */
  readonly openMs: { readonly clean: readonly number[]; readonly killed: readonly number[] } | null;
}

export async function runKv(subject: SubjectName, valueBytes: number, scale: Scale): Promise<KvReport> {
  return inFolder(async (directory) => {
    const plan = { subject, directory, valueBytes, scale, profile: false };
    const work = await child<WorkResult>('kv-child.ts', { ...plan, step: 'work' });
    if (subject === 'map') return { subject, valueBytes, work, kept: null };
    const reopen = await child<ReopenResult>('kv-child.ts', { ...plan, step: 'reopen' });
    const crash = await child<CrashResult>('kv-child.ts', { ...plan, step: 'crash' });
    const recover = await child<RecoverResult>('kv-child.ts', { ...plan, step: 'recover' });
    return { subject, valueBytes, work, kept: { reopen, crash, recover } };
  });
}

export async function runPause(subject: SubjectName | 'none', scale: Scale): Promise<PauseReport> {
  return inFolder(async (directory) => {
    const plan: KvPlan = { step: 'pause', subject, directory, valueBytes: 100, scale, profile: false };
    return { subject, pause: await child<PauseResult>('kv-child.ts', plan) };
  });
}

export async function runLog(backend: LogPlan['backend'], scale: Scale): Promise<LogReport> {
  return inFolder(async (directory) => {
    const plan = { backend, directory, scale, profile: false };
    const work = await child<LogResult>('log-child.ts', { ...plan, step: 'work' });
    if (backend === 'sqlite-table') return { backend, work, openMs: null };
    const clean = await child<ReopenResult>('log-child.ts', { ...plan, step: 'reopen' });
    await child('log-child.ts', { ...plan, step: 'crash' });
    const killed = await child<ReopenResult>('log-child.ts', { ...plan, step: 'reopen' });
    return { backend, work, openMs: { clean: clean.openMs, killed: killed.openMs } };
  });
}

/** Runs the workloads once more with the sampling profiler; the figures of this run are discarded. */
export async function profileKv(subject: SubjectName, valueBytes: number, scale: Scale): Promise<WorkResult> {
  return inFolder((directory) =>
    child<WorkResult>('kv-child.ts', { step: 'work', subject, directory, valueBytes, scale, profile: true }),
  );
}

export async function profileLog(backend: LogPlan['backend'], scale: Scale): Promise<LogResult> {
  return inFolder((directory) =>
    child<LogResult>('log-child.ts', { step: 'work', backend, directory, scale, profile: true }),
  );
}

async function inFolder<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = temporaryFolder('storage');
  settle(directory);
  try {
    return await work(directory);
  } finally {
    removeFolder(directory);
  }
}

/** A step that printed its answer and then killed itself has succeeded. */
function child<Result>(file: string, plan: KvPlan | LogPlan): Promise<Result> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [...NODE_FLAGS, join(import.meta.dirname, file), JSON.stringify(plan)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    process_.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    process_.once('close', (code, signal) => {
      const isDone = code === 0 || (plan.step === 'crash' && signal === 'SIGKILL');
      if (isDone && text !== '') resolve(JSON.parse(text) as Result);
      else reject(new Error(`${file} ended with ${code ?? signal}: ${JSON.stringify(plan)}`));
    });
  });
}
