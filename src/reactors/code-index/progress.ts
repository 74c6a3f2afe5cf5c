/**
 * How far the builds under way are. It is no fact, so it is in no event and no view: it lives as long as the daemon.
 */
import type { BuildProgress } from '../../ports/code-index.ts';

export interface ProgressWatcher {
  progress?(id: string, progress: BuildProgress): void;
  /** A build stopped and not even that could be recorded. */
  broke?(id: string, message: string): void;
  /** The daemon is stopping. */
  over(): void;
}

export interface IndexProgress {
  /** Of the build of this stream id, or null when none has reported yet. */
  of(id: string): BuildProgress | null;
  report(id: string, progress: BuildProgress): void;
  broke(id: string, message: string): void;
  ended(id: string): void;
  /** Called at every report; answers how to stop it. */
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
