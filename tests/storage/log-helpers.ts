/** Builders for tests of the event log: events with ascending ids, and engines that fail or wait on demand. */
import type { Change, CommitOptions, KeyValueEngine } from '../../src/storage/engine.ts';
import type { StorageError } from '../../src/storage/errors.ts';
import type { AppendResult, EventLog, Json, NewEvent, StreamAppend } from '../../src/storage/event-log.ts';

/** The n-th event id: valid, and greater than the ones before. */
export function idOf(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function event(number: number, data: Json = { number }): NewEvent {
  return {
    id: idOf(number),
    type: 'ThingHappened',
    schema: 1,
    at: 1_700_000_000_000 + number,
    actor: 'owner',
    correlation: null,
    causation: null,
    data,
  };
}

export function to(
  stream: string,
  events: readonly NewEvent[],
  expectedVersion: StreamAppend['expectedVersion'] = 'any',
): StreamAppend {
  return { stream, expectedVersion, events };
}

export function positionsOf(result: AppendResult): number[] {
  if (result.kind === 'conflict') throw new Error(`conflict on ${result.stream} at ${result.actual}`);
  return result.events.map(({ position }) => position);
}

/** Appends `count` events one group at a time, spread over three streams. */
export async function fill(log: EventLog, count: number, from = 1): Promise<void> {
  const appends = Array.from({ length: count }, (_, index) =>
    log.append([to(`stream-${index % 3}`, [event(from + index)])]),
  );
  for (const result of await Promise.all(appends)) positionsOf(result);
}

/** An engine whose commits can be made to fail or to wait. */
export function controlled(engine: KeyValueEngine) {
  const control = {
    /** The value of `engine.failure`. */
    failure: null as StorageError | null,
    failNext: null as StorageError | null,
    commits: [] as { readonly batch: readonly Change[]; readonly options: CommitOptions }[],
    gate: Promise.resolve(),
  };
  const commit = async (batch: readonly Change[], options: CommitOptions): Promise<void> => {
    control.commits.push({ batch, options });
    await control.gate;
    const failure = control.failNext;
    control.failNext = null;
    if (failure !== null) throw failure;
    await engine.commit(batch, options);
  };
  const proxy = new Proxy(engine, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      if (name === 'failure') return control.failure;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { engine: proxy, control };
}
