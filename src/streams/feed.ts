/**
 * What happened, as an observable: every committed batch once the views hold it. Whoever writes, reads what they
 * wrote, and whoever listens may read the views about what they heard. What is appended while the views are stalled is
 * told when they have caught up.
 */
import type { Observable } from 'rxjs/internal/Observable';
import { Subject } from 'rxjs/internal/Subject';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Projector } from './projector.ts';

export interface Feed {
  /** Batches in log order, after the views were folded. Synchronous: it runs before the writer's promise resolves. */
  readonly committed$: Observable<readonly RecordedEvent[]>;
  /** Nobody is told any more; the views still follow what is appended. */
  end(): void;
  stop(): void;
}

const PAGE_EVENTS = 256;

/** Folds and tells what comes from here on. */
export function createFeed(log: EventLog, projector: Projector): Feed {
  const committed$ = new Subject<readonly RecordedEvent[]>();
  let told = log.head().position;
  const tell = (events: readonly RecordedEvent[]): void => {
    told = events.at(-1)!.position;
    committed$.next(events);
  };
  const off = log.onAppended((events) => {
    projector.apply(events);
    if (projector.stalled === null) tell(events);
  });
  projector.onResumed(() => {
    while (told < log.head().position) tell([...log.readAll({ after: told, limit: PAGE_EVENTS })]);
  });
  return {
    committed$,
    end: () => committed$.complete(),
    stop() {
      off();
      committed$.complete();
    },
  };
}
