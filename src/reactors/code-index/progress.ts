/**
 * Progress of the index builds under way. Progress is not recorded: it is in no event and no view, and ends with the
 * daemon.
 */
import { type Observable, Subject } from 'rxjs';
import type { BuildProgress } from '../../ports/code-index.ts';

export interface IndexProgress {
  /** The progress of the build with this stream id; null before its first report. */
  of(id: string): BuildProgress | null;
  /** Completes when the daemon stops. */
  readonly reported$: Observable<{ readonly id: string; readonly progress: BuildProgress }>;
  /** Builds that stopped without a recorded outcome. Completes when the daemon stops. */
  readonly broken$: Observable<{ readonly id: string; readonly message: string }>;
  report(id: string, progress: BuildProgress): void;
  broke(id: string, message: string): void;
  ended(id: string): void;
  close(): void;
}

export function createIndexProgress(): IndexProgress {
  const newest = new Map<string, BuildProgress>();
  const reported$ = new Subject<{ id: string; progress: BuildProgress }>();
  const broken$ = new Subject<{ id: string; message: string }>();
  return {
    of: (id) => newest.get(id) ?? null,
    reported$,
    broken$,
    report(id, progress) {
      newest.set(id, progress);
      reported$.next({ id, progress });
    },
    broke: (id, message) => broken$.next({ id, message }),
    ended: (id) => void newest.delete(id),
    close() {
      reported$.complete();
      broken$.complete();
    },
  };
}
