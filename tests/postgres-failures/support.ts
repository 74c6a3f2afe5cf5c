/** Writers that retry for ever, and the check of their acknowledged events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import type { NewEvent, RecordedEvent } from '../../src/storage/event-log.ts';
import type { Storage } from '../../src/storage/open.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { uuidV7 } from '../../src/storage/uuid.ts';
import { memoryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';

const PATIENCE_MS = 25_000;
const RETRY_MS = 20;

export function noted(n: number): NewEvent {
  return {
    id: uuidV7(Date.now()),
    type: 'Noted',
    schema: 1,
    at: 1,
    actor: 'owner',
    correlation: null,
    causation: null,
    data: { n },
  };
}

/** A log with a copy of its own; it is closed when the test ends. */
export async function openLog(url: string, directory = memoryFolder('copy')): Promise<Storage> {
  const storage = await openPostgresStorage({ url, directory, report: () => {} });
  onTestFinished(() => storage.close());
  return storage;
}

/** Writers of several logs, each with one event in flight, which it sends until it is answered. */
export class Load {
  /** Positions by the ids of the acknowledged events. */
  readonly acknowledged = new Map<string, number>();
  /** How many attempts failed because the database was away. */
  failures = 0;
  readonly #writers: Promise<void>[] = [];
  #isStopped = false;

  /** A writer's even events go to a stream of its own, the others to one that all share. */
  write({ log }: Pick<Storage, 'log'>, name: string): void {
    const writing = this.#write(log, name);
    // `stop` reports it.
    writing.catch(() => {});
    this.#writers.push(writing);
  }

  /** Resolves when so many events were acknowledged since the call. */
  async reaches(more: number): Promise<void> {
    const goal = this.acknowledged.size + more;
    await until(() => this.acknowledged.size >= goal, `${more} more events are acknowledged`);
  }

  /** Resolves when every event that was begun is acknowledged. Rejects with what a writer was refused for. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#writers);
  }

  async #write(log: Storage['log'], name: string): Promise<void> {
    for (let n = 0; !this.#isStopped; n += 1) {
      const event = noted(n);
      const stream = n % 2 === 0 ? `own-${name}` : 'shared-1';
      const result = await this.#patiently(() => log.append([{ stream, expectedVersion: 'any', events: [event] }]));
      if (result.kind === 'conflict') throw new Error('An append that expects nothing met a conflict.');
      this.acknowledged.set(event.id, result.events[0]!.position);
    }
  }

  async #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error) || performance.now() > end) throw error;
        this.failures += 1;
      }
      await sleep(RETRY_MS);
    }
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'STORAGE_UNAVAILABLE';
}

/**
 * Reads the log from the database into a new copy and expects: no gaps, no event twice, streams without holes, every
 * acknowledged event at the position that its writer was told, a tree that fits. Answers the events.
 */
export async function expectWhole(url: string, acknowledged: ReadonlyMap<string, number>): Promise<RecordedEvent[]> {
  const { log, close } = await openPostgresStorage({ url, directory: memoryFolder('copy') });
  const events = [...log.readAll()];
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  const positions = new Map(events.map(({ id, position }) => [id, position]));
  expect(positions.size).toBe(events.length);
  for (const [id, position] of acknowledged) expect(positions.get(id)).toBe(position);
  const versions = new Map<string, number>();
  for (const { stream, version } of events) {
    expect(version).toBe((versions.get(stream) ?? 0) + 1);
    versions.set(stream, version);
  }
  expect((await log.verify()).errors).toEqual([]);
  await close();
  return events;
}

/** Resolves when the copies of all logs end where the first one does, and expects their trees to be equal. */
export async function expectEqual(storages: readonly Storage[]): Promise<void> {
  const heads = (): string[] => storages.map(({ log }) => JSON.stringify(log.head()));
  await until(() => new Set(heads()).size === 1, 'the copies are equal');
}
