/**
 * The background tasks of the engine, as plain data and generators over a `Disk`. The worker thread runs them on the
 * real disk; tests run the same code in process on a simulated disk.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from '../disk.ts';
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

/** Runs a task in steps, and yields the bytes done so far after each. */
export function runTask(disk: Disk, task: Task): Generator<number, Results[Task['kind']]> {
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

/** Whether commits wait for the task (edits and flushes): it runs first and without interruption. */
export function isUrgent(task: Task): boolean {
  return task.kind === 'edit' || (task.kind === 'merge' && task.sources[0]?.kind === 'memtable');
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
    const from = disk.openFile(join(task.directory, tableName(meta.id)), 'read');
    let to: DiskFile | undefined;
    try {
      to = disk.openFile(join(task.target, tableName(meta.id)), 'create');
      for (let at = 0; at < meta.fileBytes; at += COPY_STEP_BYTES) {
        const bytes = from.read(at, COPY_STEP_BYTES);
        to.write(at, bytes);
        done += bytes.length;
        yield done;
      }
      to.syncNow();
    } finally {
      from.close();
      to?.close();
    }
  }
  return null;
}
