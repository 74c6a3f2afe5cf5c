/** Committed events as marbles: `appended$` emits at the commit, `folded$` when the views hold the batch. */
import { TestScheduler } from 'rxjs/testing';
import { expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/storage/event-log.ts';
import { createCommittedEvents } from '../../src/streams/committed-events.ts';
import { batch } from './marbles.ts';

type Listener = (events: readonly RecordedEvent[]) => void;

/** A log that only calls its listeners, and a projector that only records what it folds. */
function parts() {
  const listeners = new Set<Listener>();
  const folded: string[] = [];
  const recorded: RecordedEvent[] = [];
  const log: Parameters<typeof createCommittedEvents>[0] = {
    onAppended(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    head: () => ({ position: recorded.length, treeHash: '', at: null }),
    readAll: ({ after = 0 } = {}) => recorded.slice(after).values(),
  };
  let isFollowing = true;
  let caughtUp = (): void => {};
  const projector: Parameters<typeof createCommittedEvents>[1] = {
    apply: (events) => folded.push(nameOf(events)),
    get isFollowing() {
      return isFollowing;
    },
    onCaughtUp: (listener) => {
      caughtUp = listener;
    },
  };
  const record = (events: readonly RecordedEvent[]): void => {
    recorded.push(...events);
  };
  const notify = (events: readonly RecordedEvent[]): void => {
    for (const listener of listeners) listener(events);
  };
  const commit = (events: readonly RecordedEvent[]): void => {
    record(events);
    notify(events);
  };
  const fallBehind = (): void => {
    isFollowing = false;
  };
  const catchUp = (): void => {
    isFollowing = true;
    caughtUp();
  };
  return { log, projector, folded, record, notify, commit, fallBehind, catchUp };
}

const nameOf = (events: readonly RecordedEvent[]): string => events.map(({ position }) => position).join('+');

function scheduler(): TestScheduler {
  return new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
}

it('both emit each batch in its frame, to every subscriber, after the views have folded it', () => {
  scheduler().run(({ hot, expectObservable, flush }) => {
    const { log, projector, folded, commit } = parts();
    const committed = createCommittedEvents(log, projector);
    const batches = { a: batch(1), b: batch(2, 3), c: batch(4) };
    hot('-a--(bc)-|', batches).subscribe(commit);
    for (const events$ of [committed.appended$, committed.folded$]) {
      events$.subscribe((events) => expect(folded.at(-1)).toBe(nameOf(events)));
      expectObservable(events$).toBe('-a--(bc)', batches);
      expectObservable(events$, '---^').toBe('----(bc)', batches);
    }
    flush();
    expect(folded).toEqual(['1', '2+3', '4']);
  });
});

it('while views are behind, folded$ emits nothing; afterwards it emits every event once, in order; appended$ goes on', () => {
  scheduler().run(({ hot, expectObservable }) => {
    const { log, projector, commit, fallBehind, catchUp } = parts();
    const committed = createCommittedEvents(log, projector);
    const batches = { a: batch(1), b: batch(2), c: batch(3), d: batch(4), r: batch(2, 3) };
    hot('                                -a-b-c---d-|', batches).subscribe(commit);
    hot('                                --s').subscribe(fallBehind);
    hot('                                -------r').subscribe(catchUp);
    expectObservable(committed.appended$).toBe('-a-b-c---d', batches);
    expectObservable(committed.folded$).toBe('  -a-----r-d', batches);
  });
});

it('views still follow the log after complete, but not after stop', () => {
  scheduler().run(({ hot, expectObservable, flush }) => {
    const { log, projector, folded, commit } = parts();
    const committed = createCommittedEvents(log, projector);
    const batches = { a: batch(1), b: batch(2), c: batch(3) };
    hot('                                -a-b-c-|', batches).subscribe(commit);
    hot('                                --c').subscribe(() => committed.complete());
    hot('                                ----s').subscribe(() => committed.stop());
    expectObservable(committed.appended$).toBe('-a|', batches);
    expectObservable(committed.folded$).toBe('  -a|', batches);
    flush();
    expect(folded).toEqual(['1', '2']);
  });
});

it('a batch that the head includes and a catch-up has emitted is not emitted again', () => {
  scheduler().run(({ hot, expectObservable }) => {
    const { log, projector, record, notify, fallBehind, catchUp } = parts();
    const committed = createCommittedEvents(log, projector);
    const batches = { a: batch(1, 2), b: batch(3) };
    hot('                                ab---', batches).subscribe(record);
    hot('                                s').subscribe(fallBehind);
    hot('                                --r').subscribe(catchUp);
    hot('                                ---ab', batches).subscribe(notify);
    expectObservable(committed.appended$).toBe('---ab', batches);
    expectObservable(committed.folded$).toBe('  --r', { r: batch(1, 2, 3) });
  });
});
