/** The events of the runs that are shown: their past is loaded once, then the subscription adds new ones. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, type Envelope } from '../api.ts';
import { epoch, isOpen, onEvents } from '../live.ts';
import { apply, emptyRun, type Run } from './fold.ts';

const PAGE = 2_000;
/** The number of runs kept that are no longer shown, so that returning to one is quick. */
const IDLE_MAX = 4;

export interface History {
  readonly events: readonly Envelope[];
  readonly run: Run;
  /** Changes with every batch of events. */
  readonly version: ReadonlySignal<number>;
  /** Whether the past has been loaded. */
  readonly isComplete: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<Error | null>;
  load(): Promise<void>;
}

class Kept implements History {
  /** The number of components that show it. */
  watchers = 0;
  events: Envelope[] = [];
  run = emptyRun();
  readonly version = signal(0);
  readonly isComplete = signal(false);
  readonly error = signal<Error | null>(null);
  readonly #stream: string;
  #loading: Promise<void> | null = null;
  /** Events received while the past was being loaded. */
  #early: Envelope[] = [];

  constructor(id: string) {
    this.#stream = `run-${id}`;
  }

  load(): Promise<void> {
    if (this.isComplete.value) return Promise.resolve();
    this.#loading ??= this.#read().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    this.error.value = null;
    try {
      let after: number | null = this.events.at(-1)?.position ?? 0;
      while (after !== null) {
        const page: { events: readonly Envelope[]; next: number | null } = await api.log.list({
          query: { stream: this.#stream, after, limit: PAGE },
        });
        this.#add(page.events);
        after = page.next;
      }
      this.isComplete.value = true;
      this.#add(this.#early.splice(0));
    } catch (error) {
      this.error.value = error as Error;
    }
  }

  hear(events: readonly Envelope[]): void {
    const mine = events.filter(({ stream }) => stream === this.#stream);
    if (mine.length === 0) return;
    if (this.isComplete.value) this.#add(mine);
    else if (this.#loading !== null) this.#early.push(...mine);
  }

  #add(events: readonly Envelope[]): void {
    let last = this.events.at(-1)?.position ?? 0;
    for (const event of events) {
      if (event.position <= last) continue;
      last = event.position;
      this.events.push(event);
      apply(this.run, event);
    }
    this.version.value += 1;
  }
}

const kept = new Map<string, Kept>();
let isHearing = false;

function listen(): void {
  if (isHearing) return;
  isHearing = true;
  onEvents((events) => {
    for (const history of kept.values()) history.hear(events);
  });
  epoch.subscribe(() => kept.clear());
  isOpen.subscribe((open) => {
    if (!open) return;
    for (const each of kept.values()) if (each.error.value !== null && each.watchers > 0) void each.load();
  });
}

function historyOf(id: string): Kept {
  listen();
  const known = kept.get(id) ?? new Kept(id);
  kept.delete(id);
  kept.set(id, known);
  return known;
}

/** Removes the idle runs that were shown longest ago. */
function forgetIdle(): void {
  const idle = [...kept].filter(([, { watchers }]) => watchers === 0);
  for (const [id] of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) kept.delete(id);
}

/** Loads the past of a run and follows it while the component is shown. */
export function useHistory(id: string): History {
  // A replaced log has another history.
  void epoch.value;
  const history = historyOf(id);
  useEffect(() => {
    history.watchers += 1;
    void history.load();
    return () => {
      history.watchers -= 1;
      forgetIdle();
    };
  }, [history]);
  void history.version.value;
  return history;
}
