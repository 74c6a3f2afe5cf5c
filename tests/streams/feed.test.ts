/** The feed as a picture: batches as the log commits them, each after the views were folded, until it stops. */
import { TestScheduler } from 'rxjs/testing';
import { expect, it } from 'vitest';
import type { EventLog, RecordedEvent } from '../../src/storage/event-log.ts';
import { createFeed } from '../../src/streams/feed.ts';
import type { Projector } from '../../src/streams/projector.ts';

type Listener = (events: readonly RecordedEvent[]) => void;

/** A log that does nothing but tell its listeners, and a projector that does nothing but note down. */
function parts() {
  const listeners = new Set<Listener>();
  const folded: string[] = [];
  const recorded: RecordedEvent[] = [];
  const log = {
    onAppended(listener: Listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    head: () => ({ position: recorded.length, treeHash: '', at: null }),
    readAll: ({ after = 0 } = {}) => recorded.slice(after).values(),
  } as Partial<EventLog> as EventLog;
  let stalled: string | null = null;
  let resumed = (): void => {};
  const projector = {
    apply: (events) => folded.push(nameOf(events)),
    get stalled() {
      return stalled;
    },
    onResumed: (listener) => {
      resumed = listener;
    },
  } as Partial<Projector> as Projector;
  const commit = (events: readonly RecordedEvent[]): void => {
    recorded.push(...events);
    for (const listener of listeners) listener(events);
  };
  const stall = (): void => {
    stalled = 'database or disk is full';
  };
  const resume = (): void => {
    stalled = null;
    resumed();
  };
  return { log, projector, folded, commit, stall, resume };
}

const batch = (...positions: number[]): readonly RecordedEvent[] =>
  positions.map((position) => ({ position }) as RecordedEvent);
const nameOf = (events: readonly RecordedEvent[]): string => events.map(({ position }) => position).join('+');

function scheduler(): TestScheduler {
  return new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
}

it('tells each committed batch in its frame, to everybody, once the views hold it', () => {
  scheduler().run(({ hot, expectObservable, flush }) => {
    const { log, projector, folded, commit } = parts();
    const feed = createFeed(log, projector);
    const batches = { a: batch(1), b: batch(2, 3), c: batch(4) };
    hot('-a--(bc)-|', batches).subscribe(commit);
    feed.committed$.subscribe((events) => expect(folded.at(-1)).toBe(nameOf(events)));
    expectObservable(feed.committed$).toBe('-a--(bc)', batches);
    expectObservable(feed.committed$, '---^').toBe('----(bc)', batches);
    flush();
    expect(folded).toEqual(['1', '2+3', '4']);
  });
});

it('while the views are stalled nobody is told; then all of it, in order and once', () => {
  scheduler().run(({ hot, expectObservable }) => {
    const { log, projector, commit, stall, resume } = parts();
    const feed = createFeed(log, projector);
    const batches = { a: batch(1), b: batch(2), c: batch(3), d: batch(4), r: batch(2, 3) };
    hot('-a-b-c---d-|', batches).subscribe(commit);
    hot('--s').subscribe(stall);
    hot('-------r').subscribe(resume);
    expectObservable(feed.committed$).toBe('-a-----r-d', batches);
  });
});

it('stopped: it completes, and nothing is folded or told any more', () => {
  scheduler().run(({ hot, expectObservable, flush }) => {
    const { log, projector, folded, commit } = parts();
    const feed = createFeed(log, projector);
    const batches = { a: batch(1), b: batch(2), c: batch(3) };
    hot('-a-b-c-|', batches).subscribe(commit);
    hot('--s').subscribe(() => feed.stop());
    expectObservable(feed.committed$).toBe('-a|', batches);
    flush();
    expect(folded).toEqual(['1']);
  });
});
