/**
 * Detects which files of a workspace changed while a command ran, by comparing metadata before and after.
 *
 * - If the workspace is too large, too much changed or a walk takes too long, no files are named, and a note says why.
 * - It never runs git, whose configuration could run programs.
 */
import type { ChildProcess } from 'node:child_process';
import { addAbortListener } from 'node:events';
import type { ChangesJob, ChangesMessage } from './changes-worker.ts';
import { startWorker } from './worker.ts';

export interface ChangesRequest extends ChangesJob {
  readonly signal: AbortSignal;
}

export interface Changes {
  /** Created, changed and deleted files, sorted, relative to the workspace. */
  readonly files: readonly string[];
  /** A line that says why the files are not known; empty when they are. */
  readonly note: string;
}

export interface ChangesWatch {
  /** Walks again. */
  finish(): Promise<Changes>;
  /** The same after an abort, with a shorter time limit because a caller waits. */
  finishAborted(): Promise<Changes>;
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
  const changedSince = async (until: AbortSignal): Promise<Changes> => {
    if (first !== undefined) worker.send('walk again');
    const second = first && (await nextMessage(worker.child, until));
    if (typeof second !== 'object') return unknown('the workspace could not be compared in time');
    const { changed } = second;
    if (changed === null) return unknown(`the workspace has more than ${job.filesMax} files`);
    if (changed.length > CHANGED_FILES_MAX) return unknown(`there are more than ${CHANGED_FILES_MAX}`);
    return { files: changed, note: '' };
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

function unknown(why: string): Changes {
  return { files: [], note: `[the changed files are not named: ${why}]` };
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
