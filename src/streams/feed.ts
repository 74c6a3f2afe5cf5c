/**
 * What happened, as an observable: every committed batch once the views hold it. Whoever writes, reads what they
 * wrote, and whoever listens may read the views about what they heard.
 */
import type { Observable } from 'rxjs/internal/Observable';
import { Subject } from 'rxjs/internal/Subject';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Projector } from './project.ts';

export interface Feed {
  /** Batches in log order, after the views were folded. Synchronous: it runs before the writer's promise resolves. */
  readonly committed$: Observable<readonly RecordedEvent[]>;
  /** Nobody is told any more; the views still follow what is appended. */
  end(): void;
  stop(): void;
}

/** Call it when the views have caught up: it folds what comes from here on. */
export function createFeed(log: EventLog, projector: Projector): Feed {
  const committed$ = new Subject<readonly RecordedEvent[]>();
  const off = log.onAppended((events) => {
    projector.apply(events);
    committed$.next(events);
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
