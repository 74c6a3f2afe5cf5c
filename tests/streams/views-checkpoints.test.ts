/**
 * A thread copies the write-ahead log of the views into their file; this thread does when that one fails or must be
 * awaited.
 */
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CheckpointThread } from '../../src/compose/checkpoint-thread.ts';
import { type CheckpointsElsewhere, openViews, openViewsToFill, type ViewsStore } from '../../src/projections/views.ts';
import { temporaryFolder } from '../support/folders.ts';

const MEBIBYTE = 1_048_576;

let path: string;
let reported: string[];

beforeEach(() => {
  path = join(temporaryFolder('views-checkpoints'), 'views.db');
  reported = [];
});

function opened(elsewhere: CheckpointsElsewhere): ViewsStore {
  const views = openViews(path, elsewhere);
  views.exec('CREATE TABLE texts (text BLOB)');
  return views;
}

function write(views: ViewsStore, mebibytes: number): void {
  for (let written = 0; written < mebibytes; written += 1) {
    views.begin();
    views.run('INSERT INTO texts VALUES (?)', Buffer.alloc(MEBIBYTE, written));
    views.commit();
  }
}

const isStored = (text: string): boolean => ['', '-wal'].some((suffix) => readFileSync(path + suffix).includes(text));
const size = (suffix: string): number => statSync(path + suffix).size / MEBIBYTE;

async function ended(thread: CheckpointThread): Promise<void> {
  await expect.poll(() => thread.isRunning, { timeout: 10_000 }).toBe(false);
}

it('a thread copies 16 MiB after the commit that reached this size has returned', async () => {
  const thread = new CheckpointThread((line) => reported.push(line));
  const views = opened(thread);
  write(views, 15);
  expect(thread.isRunning).toBe(false);
  write(views, 3);
  expect(thread.isRunning).toBe(true);
  await ended(thread);
  // The last commits may come after the copy.
  expect(size('')).toBeGreaterThan(16);
  // Copied pages are overwritten: the write-ahead log does not grow.
  write(views, 10);
  expect(size('-wal')).toBeLessThan(20);
  expect(views.get('SELECT count(*) AS count FROM texts')).toEqual({ count: 28 });
  views.close();
  expect(reported).toEqual([]);
});

it('large commits count one by one: the thread begins with the one that reaches 16 MiB', () => {
  let commits = 0;
  let beganAt = 0;
  const views = opened({
    isRunning: false,
    begin: () => {
      beganAt ||= commits;
      return true;
    },
  });
  for (commits = 1; commits <= 7; commits += 1) {
    views.begin();
    for (let part = 0; part < 6; part += 1) views.run('INSERT INTO texts VALUES (?)', Buffer.alloc(MEBIBYTE, part));
    views.commit();
  }
  expect(beganAt).toBe(3);
  views.close();
});

/** Keeps the write-ahead log from being emptied for a while that begins when `held[0]` is 1. */
const HOLDING = `
  const { workerData: { path, held } } = require('node:worker_threads');
  const database = new (require('better-sqlite3'))(path);
  database.exec('BEGIN; SELECT * FROM texts');
  database.prepare('SELECT count(*) FROM texts').get();
  Atomics.store(held, 0, 1);
  Atomics.notify(held, 0);
  Atomics.wait(held, 1, 0, 600);
  database.close();
`;

it('a checkpoint that empties the write-ahead log waits for the thread', async () => {
  const views = opened({ isRunning: true, begin: () => true });
  write(views, 3);
  const held = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(HOLDING, { eval: true, workerData: { path, held } });
  const exited = once(worker, 'exit');
  await Atomics.waitAsync(held, 0, 0).value;
  views.checkpoint();
  expect(size('-wal')).toBe(0);
  await exited;
  views.close();
});

it('a failure of the thread is reported once; then the views are copied here', async () => {
  const thread = new CheckpointThread((line) => reported.push(line));
  expect(thread.begin(join(path, 'nowhere'))).toBe(true);
  await ended(thread);
  copiesHere(thread);
});

it('the views are copied here when the system has no thread left', () => {
  const start = (): never => {
    throw new Error('EAGAIN');
  };
  copiesHere(new CheckpointThread((line) => reported.push(line), start));
});

function copiesHere(thread: CheckpointThread): void {
  const views = opened(thread);
  write(views, 40);
  expect(thread.isRunning).toBe(false);
  expect(size('')).toBeGreaterThan(15);
  expect(size('-wal')).toBeLessThan(20);
  views.close();
  expect(reported).toEqual([expect.stringContaining('The thread that copies the write-ahead log of the views ended')]);
}

it.each([
  ['openViews', openViews],
  ['openViewsToFill', openViewsToFill],
])('what a connection of %s deletes is in no file after a checkpoint', (_, open) => {
  const text = 'half forgotten words';
  const views = open(path);
  views.exec('CREATE TABLE texts (text TEXT); CREATE TABLE dropped (text TEXT)');
  for (const table of ['texts', 'dropped']) views.run(`INSERT INTO ${table} VALUES (?)`, text.repeat(1_000));
  views.checkpoint();
  expect(isStored(text)).toBe(true);
  views.run('DELETE FROM texts');
  views.exec('DROP TABLE dropped');
  views.checkpoint();
  expect(isStored(text)).toBe(false);
  views.close();
});

it('a checkpoint of views that have moved to memory removes their file, which holds older rows', () => {
  const views = openViews(path);
  views.exec('CREATE TABLE texts (text TEXT)');
  views.moveToMemory();
  expect(existsSync(path)).toBe(true);
  views.checkpoint();
  expect(existsSync(path)).toBe(false);
});

it('a deleted text leaves the write-ahead log when another program has finished reading it', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const text = 'half forgotten words';
  const views = openViews(path);
  views.exec('CREATE TABLE texts (text TEXT)');
  views.run('INSERT INTO texts VALUES (?)', text);
  const reader = new Database(path, { readonly: true });
  reader.exec('BEGIN; SELECT count(*) FROM texts');
  views.run('DELETE FROM texts');
  views.checkpoint();
  vi.advanceTimersByTime(10_000);
  expect(isStored(text)).toBe(true);
  reader.close();
  views.begin();
  vi.advanceTimersByTime(10_000);
  views.commit();
  expect(isStored(text)).toBe(true);
  vi.advanceTimersByTime(10_000);
  expect(isStored(text)).toBe(false);
  views.close();
});
