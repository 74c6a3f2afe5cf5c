/** Positions of the log as clients of several daemons use them to read what they wrote elsewhere. */
import type { Observable } from 'rxjs';
import type { EventLog } from '../storage/event-log.ts';
import type { EventBatch } from './committed-events.ts';
import type { Projector } from './projector.ts';

export interface Positions {
  /** Of the newest event in the log here: whoever has folded it sees everything that was written here so far. */
  written(): number;
  /** Up to which every view here has folded the log. */
  folded(): number;
  /** Whether the views here have folded a position; waits for it as long as `late` is not aborted. */
  reached(position: number, late: AbortSignal): Promise<boolean>;
}

export interface PositionsParts {
  readonly log: Pick<EventLog, 'head'>;
  readonly projector: Pick<Projector, 'position'>;
  /** Every batch once the views hold it. */
  readonly folded$: Observable<EventBatch>;
}

export function createPositions({ log, projector, folded$ }: PositionsParts): Positions {
  const folded = (): number => projector.position();
  return {
    written: () => log.head().position,
    folded,
    reached(position, late) {
      if (folded() >= position || late.aborted) return Promise.resolve(folded() >= position);
      return new Promise((resolve) => {
        const settle = (): void => {
          subscription.unsubscribe();
          late.removeEventListener('abort', settle);
          resolve(folded() >= position);
        };
        const next = (): void => void (folded() >= position && settle());
        const subscription = folded$.subscribe({ next, complete: settle });
        late.addEventListener('abort', settle);
      });
    },
  };
}
