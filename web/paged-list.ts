/**
 * A list that is loaded page by page while it is scrolled, and that receives the events of the log. Both go on at the
 * same time, so a list changes its present items, not those from before a request.
 */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Envelope } from './api.ts';
import { epoch, isOpen, onEvents } from './live.ts';

export abstract class PagedList<Item> {
  /** Undefined before the first page. */
  readonly items = signal<readonly Item[] | undefined>(undefined);
  /** Why the last page could not be loaded; nothing is loaded until `retry`, or until the daemon is back. */
  readonly error = signal<Error | null>(null);
  #isReading = false;

  /** Loads the next page, unless one is being loaded or there is none. */
  more(): void {
    if (!this.#isReading && this.error.value === null && this.hasMore()) void this.#read();
  }

  retry(): void {
    this.error.value = null;
    this.more();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      await this.readNext();
    } catch (error) {
      this.error.value = error as Error;
    }
    this.#isReading = false;
  }

  /** Whether the next page is available without a request. */
  protected abstract hasMore(): boolean;
  protected abstract readNext(): Promise<void>;
  /** Called with new events, and with none when the daemon is back. */
  abstract hear(events: readonly Envelope[]): void;
  /** Called when the list is no longer shown. */
  close(): void {}
}

/** A list for each key, loaded from its first page, while the component is shown. */
export function usePagedList<List extends PagedList<unknown>>(make: () => List, key: string): List {
  const list = useMemo(make, [key, epoch.value]);
  useEffect(() => {
    list.more();
    const stop = onEvents((events) => list.hear(events));
    const stopWaiting = isOpen.subscribe((open) => {
      if (!open) return;
      list.hear([]);
      if (list.error.value !== null) list.retry();
    });
    return () => {
      stop();
      stopWaiting();
      list.close();
    };
  }, [list]);
  return list;
}
