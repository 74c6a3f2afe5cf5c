/**
 * The background tasks of the engine, as plain data and generators over a `Disk`. The worker thread runs them on the
 * real disk; tests run the same code in process on a simulated disk.
 */
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Disk } from '../disk.ts';
import type { Fault } from '../engine.ts';
import { replaceManifest } from './manifest.ts';
import { type MergeResult, type MergeTask, merge } from './merge.ts';
import { tableName } from './table-format.ts';
import type { TableMeta } from './table-writer.ts';
import { type VerifyTask, verifyLevels } from './verify-tables.ts';

export type Task =
  | MergeTask
  | VerifyTask
  | { readonly kind: 'edit'; readonly directory: string; readonly manifest: Uint8Array }
  | { readonly kind: 'remove'; readonly directory: string; readonly ids: readonly number[] }
  | {
      readonly kind: 'copy';
      readonly directory: string;
      readonly target: string;
      readonly tables: readonly TableMeta[];
    };
type TaskOf<Kind extends Task['kind']> = Extract<Task, { readonly kind: Kind }>;

export interface Results {
  readonly merge: MergeResult;
  readonly edit: null;
  readonly remove: null;
  readonly copy: null;
  readonly verify: readonly Fault[];
}

const COPY_STEP_BYTES = 1_048_576;

/**
 * Runs a task to its end. Urgent tasks (flushes and edits, for which commits wait) begin within the call and are not
 * interrupted; others yield to the event loop after each step, and `onProgress` receives the bytes done so far.
 */
export async function runTask<T extends Task>(
  disk: Disk,
  task: T,
  onProgress?: (bytes: number) => void,
): Promise<Results[T['kind']]> {
  const steps = stepsOf(disk, task);
  const isUrgent = task.kind === 'edit' || (task.kind === 'merge' && task.sources[0]?.kind === 'memtable');
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value as Results[T['kind']];
    if (isUrgent) continue;
    onProgress?.(step.value);
    await yieldToOthers();
  }
}

/** The steps of a task, each of which yields the bytes done so far. */
function stepsOf(disk: Disk, task: Task): Generator<number, Results[Task['kind']]> {
  switch (task.kind) {
    case 'merge':
      return merge(disk, task);
    case 'edit':
      return edit(disk, task);
    case 'remove':
      return remove(disk, task);
    case 'copy':
      return copy(disk, task);
    case 'verify':
      return verifyLevels(disk, task);
  }
}

// biome-ignore lint/correctness/useYield: a task of a single step
function* edit(disk: Disk, task: TaskOf<'edit'>): Generator<number, null> {
  replaceManifest(disk, task.directory, task.manifest);
  return null;
}

function* remove(disk: Disk, task: TaskOf<'remove'>): Generator<number, null> {
  for (const [done, id] of task.ids.entries()) {
    disk.remove(join(task.directory, tableName(id)));
    yield done;
  }
  disk.syncDirectory(task.directory);
  return null;
}

function* copy(disk: Disk, task: TaskOf<'copy'>): Generator<number, null> {
  let done = 0;
  for (const meta of task.tables) {
    using from = disk.openFile(join(task.directory, tableName(meta.id)), 'read');
    using to = disk.openFile(join(task.target, tableName(meta.id)), 'create');
    for (let at = 0; at < meta.fileBytes; at += COPY_STEP_BYTES) {
      const bytes = from.read(at, COPY_STEP_BYTES);
      to.write(at, bytes);
      done += bytes.length;
      yield done;
    }
    to.syncNow();
  }
  return null;
}
