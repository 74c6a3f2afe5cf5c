/** A list that is read page by page as it is scrolled, and that hears the events of the log. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Envelope } from './api.ts';
import { onEvents } from './live.ts';

export abstract class PagedList<Item> {
  /** Undefined before the first page. */
  readonly items = signal<readonly Item[] | undefined>(undefined);
  /** Why the last page could not be read; nothing is read until `retry`. */
  readonly error = signal<Error | null>(null);
  #isReading = false;

  /** Reads the next page, unless one is being read or there is none. */
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

  /** Whether a page can be read without asking anybody. */
  protected abstract hasMore(): boolean;
  protected abstract readNext(): Promise<void>;
  abstract hear(events: readonly Envelope[]): void;
  /** Nobody looks at it any more. */
  close(): void {}
}

/** One list for each key, from its first page on, while the component is shown. */
export function usePagedList<List extends PagedList<unknown>>(make: () => List, key: readonly unknown[]): List {
  const list = useMemo(make, [...key]);
  useEffect(() => {
    list.more();
    const stop = onEvents((events) => list.hear(events));
    return () => {
      stop();
      list.close();
    };
  }, [list]);
  return list;
}
