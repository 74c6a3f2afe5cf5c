/**
 * Runs tasks off the event loop: in a worker thread on the real disk, otherwise in this thread step by step.
 *
 * - Errors keep their properties across the thread boundary: a `StorageError` its file and offset, a system error its
 *   code.
 * - All stores of a process share one thread, started by the first task. It keeps the process alive only while a task
 *   runs.
 */
import type { Worker } from 'node:worker_threads';
import type { Disk } from '../disk.ts';
import { StorageError, type StorageErrorCode } from '../errors.ts';
import { nodeDisk } from '../node-disk.ts';
import { startThread } from '../thread.ts';
import { MergeStopped } from './merge.ts';
import { type Results, runTask, type Task } from './tasks.ts';

/** Runs one task and resolves with its result; `onProgress` receives the bytes done so far. */
export interface Background {
  run<T extends Task>(task: T, onProgress?: (bytes: number) => void): Promise<Results[T['kind']]>;
}

/** Where the tasks of a store on this disk run. */
export function backgroundFor(disk: Disk): Background {
  return disk === nodeDisk ? thread : { run: (task, onProgress) => runTask(disk, task, onProgress) };
}

/** A message of the worker. */
export type Answer =
  | { readonly id: number; readonly kind: 'progress'; readonly bytes: number }
  | { readonly id: number; readonly kind: 'result'; readonly result: Results[Task['kind']] }
  | { readonly id: number; readonly kind: 'error'; readonly error: PlainError };

/** An error as it crosses the thread boundary. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly file: string | undefined;
  readonly offset: number | undefined;
}

interface PendingTask {
  readonly resolve: (result: Results[Task['kind']]) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((bytes: number) => void) | undefined;
}

class WorkerBackground implements Background {
  #worker: Worker | undefined;
  #lastId = 0;
  readonly #pending = new Map<number, PendingTask>();

  run<T extends Task>(task: T, onProgress?: (bytes: number) => void): Promise<Results[T['kind']]> {
    const worker = this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (result) => resolve(result as Results[T['kind']]), reject, onProgress });
      worker.ref();
      worker.postMessage({ id, task });
    });
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    // A merge's garbage is mostly outside the heap: a small young generation collects it soon.
    const resourceLimits = { maxYoungGenerationSizeMb: 12 };
    const worker = startThread(import.meta.url, './background-worker', { name: 'daybook-lsm', resourceLimits });
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error) => this.#rejectAll(error as Error));
    worker.on('exit', () => this.#rejectAll(new Error('The lsm worker thread has ended.')));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: Answer): void {
    const task = this.#pending.get(answer.id);
    if (task === undefined) return;
    if (answer.kind === 'progress') {
      task.onProgress?.(answer.bytes);
      return;
    }
    this.#pending.delete(answer.id);
    // An idle worker must not keep the process alive.
    if (this.#pending.size === 0) this.#worker?.unref();
    if (answer.kind === 'result') task.resolve(answer.result);
    else task.reject(revive(answer.error));
  }

  #rejectAll(error: Error): void {
    this.#worker = undefined;
    for (const task of this.#pending.values()) task.reject(error);
    this.#pending.clear();
  }
}

const thread = new WorkerBackground();

/** An error as a value that can be sent to another thread. */
export function plain(error: unknown): PlainError {
  const { name, message, code, file, offset } = error as PlainError;
  return { name, message, code, file, offset };
}

function revive(error: PlainError): Error {
  const { name, message, code, file, offset } = error;
  if (name === 'MergeStopped') return new MergeStopped();
  if (name !== 'StorageError') return Object.assign(new Error(message), code === undefined ? {} : { code });
  return new StorageError(code as StorageErrorCode, message, {
    ...(file === undefined ? {} : { file }),
    ...(offset === undefined ? {} : { offset }),
  });
}
