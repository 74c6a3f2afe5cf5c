/**
 * Detects which files of a workspace changed while a command ran, by comparing metadata before and after.
 *
 * - If the workspace is too large or a walk takes too long, the result is empty.
 * - It never runs git, whose configuration could run programs.
 */
import type { ChildProcess } from 'node:child_process';
import { addAbortListener } from 'node:events';
import type { ChangesJob, ChangesMessage } from './changes-worker.ts';
import { startWorker } from './worker.ts';

export interface ChangesRequest extends ChangesJob {
  readonly signal: AbortSignal;
}

export interface ChangesWatch {
  /** Walks again. Created, changed and deleted files, sorted, relative to the workspace. */
  finish(): Promise<readonly string[]>;
  /** The same after an abort, with a shorter time limit because a caller waits. */
  finishAborted(): Promise<readonly string[]>;
  /** Ends the process. May be called at any time and repeatedly. */
  stop(): Promise<void>;
}

const WALK_SECONDS_MAX = 5;
const ABORTED_WALK_SECONDS_MAX = 1;
const CHANGED_FILES_MAX = 1_000;

/** Resolves after the first walk. */
export async function watchChanges({ signal, ...job }: ChangesRequest): Promise<ChangesWatch> {
  const worker = startWorker('changes-worker', job);
  const stop = () => worker.end();
  const first = await nextMessage(worker.child, signal);
  const changedSince = async (until: AbortSignal): Promise<readonly string[]> => {
    if (first === undefined) return [];
    worker.send('walk again');
    const second = await nextMessage(worker.child, until);
    const changed = typeof second === 'object' ? second.changed : null;
    return changed === null || changed.length > CHANGED_FILES_MAX ? [] : changed;
  };
  if (signal.aborted) {
    await stop();
    signal.throwIfAborted();
  }
  return {
    stop,
    finish: () => changedSince(signal),
    finishAborted: () => changedSince(AbortSignal.timeout(ABORTED_WALK_SECONDS_MAX * 1_000)),
  };
}

/** Undefined when the process fails or takes too long, or when the call is aborted. */
async function nextMessage(worker: ChildProcess, signal: AbortSignal): Promise<ChangesMessage | undefined> {
  const { promise, resolve } = Promise.withResolvers<ChangesMessage | undefined>();
  const giveUp = () => resolve(undefined);
  using _late = setTimeout(giveUp, WALK_SECONDS_MAX * 1_000);
  worker.once('message', resolve);
  worker.once('error', giveUp);
  worker.once('exit', giveUp);
  using _aborted = addAbortListener(signal, giveUp);
  const message = await promise;
  worker.off('message', resolve).off('exit', giveUp);
  return message;
}
