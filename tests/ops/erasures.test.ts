/** The removal of erased payloads from the disk, in the background: when, how often, and how it is reported. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { createControl } from '../../src/storage/ops/control.ts';
import { Erasures } from '../../src/storage/ops/erasures.ts';
import type { Clock } from '../../src/storage/ops/schedule.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';

/** Time passes when the test says so, and while the engine works. Timers follow it, the displayed time may jump. */
class TestClock implements Clock {
  #passed = 0;
  #displayed = 1_000_000;
  #waiting: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#displayed + this.#passed;
  }

  elapsed(): number {
    return this.#passed;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const entry = { at: this.#passed + milliseconds, callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== entry);
    };
  }

  pass(milliseconds: number): void {
    this.#passed += milliseconds;
    const due = this.#waiting.filter(({ at }) => at <= this.#passed);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#passed);
    for (const { callback } of due) callback();
  }

  jump(milliseconds: number): void {
    this.#displayed += milliseconds;
  }
}

const opened: { readonly storage: Storage; readonly erasures: Erasures }[] = [];
afterEach(async () => {
  for (const { storage, erasures } of opened.splice(0)) {
    erasures.stop();
    await storage.close();
  }
});

interface Setup {
  readonly backend?: DiskBackend;
  readonly directory?: string;
  readonly workMs?: number;
  /** Change of the displayed time while the engine works. */
  readonly jumpMs?: number;
  readonly fails?: () => boolean;
}

async function setUp(setup: Setup = {}) {
  const { directory = join(temporaryFolder('erasures'), 'data'), backend = 'cow', workMs = 0 } = setup;
  const { jumpMs = 0, fails } = setup;
  const storage = await openStorage({ directory, backend });
  const clock = new TestClock();
  const reports: string[] = [];
  let count = 0;
  const compact = storage.engine.compact.bind(storage.engine);
  storage.engine.compact = async (progress) => {
    count += 1;
    clock.pass(workMs);
    clock.jump(jumpMs);
    if (fails?.() === true) throw new StorageError('STORAGE_FULL', 'The disk is full.');
    await compact(progress);
  };
  const erasures = new Erasures({
    storage,
    clock,
    elapsed: () => clock.elapsed(),
    report: (line) => reports.push(line),
  });
  opened.push({ storage, erasures });
  erasures.start();
  const erase = async (...positions: readonly number[]) => storage.log.erase(positions);
  if (storage.log.head().position === 0) {
    await storage.log.append([to('a', [event(1), event(2), event(3), event(4)])]);
  }
  return { directory, storage, clock, reports, erasures, erase, compactions: () => count };
}

/** Until the work that began has ended. */
async function idle(erasures: Erasures): Promise<void> {
  while (erasures.state().state === 'running') await new Promise((resolve) => setImmediate(resolve));
}

const SECRET = 'a text that must leave the disk';

/** Whether a file of the folder holds the text. */
function holds(folder: string, text: string): boolean {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names.some((file) => file.isFile() && readFileSync(join(file.parentPath, file.name)).includes(text));
}

describe('erased payloads', () => {
  it('are taken off the disk a second after the first of several erasures, in one go', async () => {
    const { clock, erasures, erase, compactions } = await setUp();
    expect(erasures.state()).toEqual({ state: 'done', recorded: 0, doneThrough: 0, doneAt: null, failure: null });
    await erase(1);
    await erase(2);
    expect(erasures.state()).toMatchObject({ state: 'waiting', recorded: 6, doneThrough: 0 });
    clock.pass(999);
    expect(compactions()).toBe(0);
    clock.pass(1);
    expect(erasures.state().state).toBe('running');
    await idle(erasures);
    expect(compactions()).toBe(1);
    expect(erasures.state()).toEqual({
      ...{ state: 'done', recorded: 6, doneThrough: 6, doneAt: clock.now(), failure: null },
    });
  });

  it('take at most a tenth of the time', async () => {
    const { clock, erasures, erase, compactions } = await setUp({ workMs: 500 });
    await erase(1);
    clock.pass(1_000);
    await idle(erasures);
    await erase(2);
    clock.pass(4_499);
    expect([compactions(), erasures.state().state]).toEqual([1, 'waiting']);
    clock.pass(1);
    await idle(erasures);
    expect([compactions(), erasures.state().state]).toEqual([2, 'done']);
  });

  it.each([
    { clock: 'is set forward during the work', during: 3_600_000, after: 0 },
    { clock: 'is set back after it', during: 0, after: -3_600_000 },
  ])('wait no longer when the clock $clock', async ({ during, after }) => {
    const { clock, erasures, erase, compactions } = await setUp({ workMs: 100, jumpMs: during });
    await erase(1);
    clock.pass(1_000);
    await idle(erasures);
    clock.jump(after);
    await erase(2);
    clock.pass(1_000);
    await idle(erasures);
    expect([compactions(), erasures.state().state]).toEqual([2, 'done']);
  });

  it('are finished by a compaction on request, which no second one follows', async () => {
    const { clock, storage, erasures, erase, compactions } = await setUp();
    const control = createControl({ storage, erasures, backups: null });
    await erase(1);
    const { id } = control.start({ kind: 'compact' });
    expect(await control.operation(id, 60_000)).toMatchObject({
      state: 'done',
      result: { disk_bytes: expect.any(Number) },
    });
    expect(control.erasures()).toMatchObject({ state: 'done', doneThrough: 5, doneAt: clock.now() });
    clock.pass(60_000);
    await idle(erasures);
    expect(compactions()).toBe(1);
  });

  it.each<DiskBackend>(['lsm', 'embedded_kv'])(
    'are not finished in %s while a read of the log is open',
    async (backend) => {
      const { directory, storage, erasures, erase } = await setUp({ backend });
      const control = createControl({ storage, erasures, backups: null });
      await storage.log.append([to('b', [event(5, { secret: SECRET }), event(6)])]);
      await storage.engine.settle?.();
      const reading = storage.log.readAll();
      reading.next();
      await erase(5);
      await expect(erasures.finish()).rejects.toThrow('An earlier state of the store is being read.');
      const { id } = control.start({ kind: 'compact' });
      expect(await control.operation(id, 60_000)).toMatchObject({ state: 'done' });
      expect(erasures.state()).toMatchObject({ state: 'waiting', doneThrough: 0 });
      reading.return?.();
      await erasures.finish();
      expect(holds(directory, SECRET)).toBe(false);
    },
  );

  it.each<DiskBackend>(['lsm', 'embedded_kv'])(
    'are not finished in %s while a snapshot reads them',
    async (backend) => {
      const { clock, storage, erasures, erase } = await setUp({ backend });
      const control = createControl({ storage, erasures, backups: null });
      const snapshot = storage.engine.snapshot();
      await erase(1);
      const { id } = control.start({ kind: 'compact' });
      expect(await control.operation(id, 60_000)).toMatchObject({ state: 'done' });
      expect(erasures.state()).toMatchObject({ state: 'waiting', doneThrough: 0, failure: null });
      await expect(erasures.finish()).rejects.toThrow('An earlier state of the store is being read.');
      snapshot.release();
      clock.pass(10_000);
      await idle(erasures);
      expect(erasures.state()).toMatchObject({ state: 'done', doneThrough: 5, failure: null });
    },
  );

  it('are finished in the background when a compaction on request has failed, which says why', async () => {
    let isFull = true;
    const { clock, storage, erasures, erase, reports } = await setUp({ fails: () => isFull });
    const control = createControl({ storage, erasures, backups: null });
    await erase(1);
    const { id } = control.start({ kind: 'compact' });
    expect(await control.operation(id, 60_000)).toMatchObject({ state: 'failed', error: { code: 'STORAGE_FULL' } });
    isFull = false;
    clock.pass(1_000);
    await idle(erasures);
    expect([erasures.state().state, reports]).toEqual(['done', []]);
  });

  it('are said to be there while it fails, which is reported once and tried again', async () => {
    let isFull = true;
    const { clock, reports, erasures, erase } = await setUp({ fails: () => isFull });
    await erase(1);
    for (const pause of [1_000, 10_000]) {
      clock.pass(pause);
      await idle(erasures);
      expect(erasures.state()).toMatchObject({ state: 'waiting', doneThrough: 0, failure: 'The disk is full.' });
    }
    await expect(erasures.finish()).rejects.toThrow('The disk is full.');
    isFull = false;
    clock.pass(10_000);
    await idle(erasures);
    expect(erasures.state()).toMatchObject({ state: 'done', failure: null });
    expect(reports).toEqual(['Erased texts are still on the disk: The disk is full. It is tried again.']);
  });

  it('are remembered over a restart, and looked after again when the file that says so is gone', async () => {
    const first = await setUp();
    await first.erase(1);
    await first.erasures.finish();
    await first.erase(2);
    const stop = async () => {
      const { storage, erasures } = opened.pop()!;
      erasures.stop();
      await storage.close();
    };
    await stop();
    const second = await setUp({ directory: first.directory });
    expect(second.erasures.state()).toMatchObject({ state: 'waiting', recorded: 6, doneThrough: 5 });
    second.clock.pass(1_000);
    await idle(second.erasures);
    await stop();
    const third = await setUp({ directory: first.directory });
    expect(third.erasures.state()).toMatchObject({ state: 'done', recorded: 6 });
    await stop();
    rmSync(join(first.directory, 'erased.json'));
    const fourth = await setUp({ directory: first.directory });
    expect(fourth.erasures.state()).toMatchObject({ state: 'waiting', recorded: 6, doneThrough: 0 });
  });

  // Positions up to that of the file counted as finished, although their payloads were in the files.
  it('are looked after when the file that says so belongs to a longer log', async () => {
    const first = await setUp();
    const { storage } = opened.pop()!;
    await storage.close();
    writeFileSync(join(first.directory, 'erased.json'), '{"through":100,"at":5}');
    const { clock, erasures, erase, compactions } = await setUp({ directory: first.directory });
    await erase(1);
    expect(erasures.state()).toMatchObject({ state: 'waiting', recorded: 5, doneThrough: 0, doneAt: null });
    clock.pass(1_000);
    await idle(erasures);
    expect([compactions(), erasures.state().state]).toEqual([1, 'done']);
  });
});
