/** Positions of the log, with which a client of several daemons reads at one what it wrote at another. */
import { fromEvent, lastValueFrom, type Observable, takeUntil, takeWhile } from 'rxjs';
import type { EventLog } from '../storage/event-log.ts';
import type { EventBatch } from './committed-events.ts';
import type { Projector } from './projector.ts';

export interface Positions {
  /**
   * Position of the newest event in the log of this daemon: views that have folded it hold every earlier write here.
   */
  written(): number;
  /** The position up to which every view of this daemon has folded the log. */
  folded(): number;
  /**
   * Waits until the views have folded the position, `timeout` is aborted or the views have ended. Resolves to whether
   * they have folded it.
   */
  reached(position: number, timeout: AbortSignal): Promise<boolean>;
}

export interface PositionsParts {
  readonly log: Pick<EventLog, 'head'>;
  readonly projector: Pick<Projector, 'position'>;
  /** Every batch once the views hold it. */
  readonly folded$: Observable<EventBatch>;
}

/** The positions of one daemon. */
export function createPositions({ log, projector, folded$ }: PositionsParts): Positions {
  const folded = (): number => projector.position;
  return {
    written: () => log.head().position,
    folded,
    async reached(position, timeout) {
      if (folded() < position && !timeout.aborted) {
        const pending$ = folded$.pipe(
          takeWhile(() => folded() < position),
          takeUntil(fromEvent(timeout, 'abort')),
        );
        await lastValueFrom(pending$, { defaultValue: null });
      }
      return folded() >= position;
    },
  };
}
