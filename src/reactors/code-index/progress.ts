/** The progress of builds under way. It is in memory only, because progress is not recorded as events. */
import type { BuildProgress } from '../../ports/code-index.ts';

export interface ProgressWatcher {
  progress?(id: string, progress: BuildProgress): void;
  /** A build failed, and its end could not be recorded. */
  broke?(id: string, message: string): void;
  /** The daemon is stopping. */
  over(): void;
}

export interface IndexProgress {
  /** The progress of the build of an index; null before its first report. */
  of(id: string): BuildProgress | null;
  report(id: string, progress: BuildProgress): void;
  broke(id: string, message: string): void;
  ended(id: string): void;
  /** Calls the watcher at every report. Returns a function that ends it. */
  watch(watcher: ProgressWatcher): () => void;
  close(): void;
}

export function createIndexProgress(): IndexProgress {
  const newest = new Map<string, BuildProgress>();
  const watchers = new Set<ProgressWatcher>();
  return {
    of: (id) => newest.get(id) ?? null,
    report(id, progress) {
      newest.set(id, progress);
      for (const watcher of watchers) watcher.progress?.(id, progress);
    },
    broke(id, message) {
      for (const watcher of watchers) watcher.broke?.(id, message);
    },
    ended: (id) => void newest.delete(id),
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    close() {
      for (const watcher of watchers) watcher.over();
      watchers.clear();
    },
  };
}
