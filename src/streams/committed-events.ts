/**
 * The commits of the log as hot Observables of batches, in log order. Both emit in the turn of the commit, before the
 * writer's promise resolves.
 */
import { type Observable, Subject } from 'rxjs';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Projector } from './projector.ts';

export type EventBatch = readonly RecordedEvent[];

export interface CommittedEvents {
  /**
   * Every batch as soon as it is durable. For subscribers that depend on the log or on decider states only: views may
   * be behind.
   */
  readonly appended$: Observable<EventBatch>;
  /**
   * Every batch once the views hold it, for subscribers that read views. Nothing is emitted while the views are behind
   * the log (stalled, or being rebuilt); afterwards the events that were held back are emitted in pages.
   */
  readonly folded$: Observable<EventBatch>;
  /** Completes both Observables; the views still follow the log. */
  complete(): void;
  /** Completes both Observables and stops following the log. */
  stop(): void;
}

const PAGE_EVENTS = 256;

/** Folds every batch from here on into the views, then emits it. */
export function createCommittedEvents(
  log: Pick<EventLog, 'onAppended' | 'head' | 'readAll'>,
  projector: Pick<Projector, 'apply' | 'isFollowing' | 'onCaughtUp'>,
): CommittedEvents {
  const appended$ = new Subject<EventBatch>();
  const folded$ = new Subject<EventBatch>();
  let foldedTo = log.head().position;
  const emitFolded = (events: EventBatch): void => {
    foldedTo = events.at(-1)!.position;
    folded$.next(events);
  };
  const unsubscribe = log.onAppended((events) => {
    projector.apply(events);
    appended$.next(events);
    if (!projector.isFollowing) return;
    // The head includes a commit before it is notified, so a catch-up may have emitted the first events.
    const left = events.filter(({ position }) => position > foldedTo);
    if (left.length > 0) emitFolded(left);
  });
  projector.onCaughtUp(() => {
    while (foldedTo < log.head().position) emitFolded([...log.readAll({ after: foldedTo, limit: PAGE_EVENTS })]);
  });
  const complete = (): void => {
    appended$.complete();
    folded$.complete();
  };
  return {
    appended$,
    folded$,
    complete,
    stop() {
      unsubscribe();
      complete();
    },
  };
}
